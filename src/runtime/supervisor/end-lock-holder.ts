import { pause } from "../ports.ts";
import type { Journal } from "../../journal/journal.ts";
import type { ProcessIdentity, World } from "../../model/world.ts";

/** A process that keeps others from writing to a store. */
export interface HoldingProcess {
  readonly pid: number;
  readonly startedAt: string;
  readonly stopped: boolean;
}

interface Watched {
  readonly world: World;
  readonly journal: Pick<Journal, "holders">;
  readonly leaseMs: number;
  /** Who holds the lock now; null for nobody. */
  readonly look: () => HoldingProcess | null;
  /** Ends exactly this process. */
  readonly kill: (of: ProcessIdentity) => void;
}

export type EndedHolder =
  | { readonly kind: "ended"; readonly runs: readonly string[] }
  /** Somebody else holds it, or nobody: nothing was ended. */
  | { readonly kind: "not_held" }
  /** It gave a sign of life while it was watched. */
  | { readonly kind: "alive" }
  | { readonly kind: "still_there" };

const LOOK_MS = 250;
/** A process that is stopped does nothing, no matter what its clock says; this long it must stay so. */
const STOPPED_MS = 1_000;
const END_MS = 5_000;

/**
 * Ends a process that holds the store's lock, by pid and start time, and only once its lease is over: it must hold the
 * lock all the time and give no sign of life for a whole lease, watched from here; or be stopped, with a last sign of
 * life that is a lease old.
 */
export async function endLockHolder(watched: Watched, asked: ProcessIdentity): Promise<EndedHolder> {
  const { world, journal, leaseMs, look, kill } = watched;
  const leases = async () =>
    (await journal.holders()).filter(
      ({ owner: { process } }) => process.pid === asked.pid && process.startedAt === asked.startedAt,
    );
  const first = await leases();
  const isOld = first.every(({ beatAgeMs }) => (beatAgeMs ?? 0) >= leaseMs);
  const patienceMs = isOld && look()?.stopped === true ? Math.min(STOPPED_MS, leaseMs) : leaseMs;
  for (let watchedMs = 0; watchedMs <= patienceMs; watchedMs += LOOK_MS) {
    const holder = look();
    if (holder?.pid !== asked.pid || holder.startedAt !== asked.startedAt) return { kind: "not_held" };
    if (patienceMs < leaseMs && !holder.stopped) return { kind: "alive" };
    await pause(world, LOOK_MS);
  }
  const hasBeaten = (await leases()).some(({ beatAgeMs }) => (beatAgeMs ?? Infinity) < leaseMs);
  if (hasBeaten) return { kind: "alive" };
  kill(asked);
  for (let waitedMs = 0; waitedMs < END_MS; waitedMs += LOOK_MS) {
    if (world.liveness(asked) === "gone")
      return { kind: "ended", runs: first.map(({ address }) => address).filter(isRun) };
    await pause(world, LOOK_MS);
  }
  return { kind: "still_there" };
}

const isRun = (address: string): boolean => !address.includes(":");
