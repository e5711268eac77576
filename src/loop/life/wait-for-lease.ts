import { Fault, isFault } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import type { Leases, Taken } from "../../runtime/leases.ts";

/** A run that another process holds, as it is reported to the one that waits for it. */
export interface Waiting {
  readonly run: string;
  /** Null where another process holds the store itself: the text names it. */
  readonly holder: { readonly host: string; readonly pid: number } | null;
  /** For how long its holder has given no sign of life, as far as this machine has watched. */
  readonly silentMs: number;
  /** Once it was silent for so long, the run is taken over. */
  readonly leaseMs: number;
  /** The same in a sentence, with what can be done. */
  readonly text: string;
}

export interface WaitOptions {
  /** While another process holds the run: wait until it lets go or is found dead (the default), or refuse at once. */
  readonly ifHeld?: "wait" | "refuse";
  /** Ends that wait, with the signal's reason; once the run is at work here it does nothing. */
  readonly signal?: AbortSignal;
  /** Called when the wait begins and every few seconds of it. */
  readonly onWaiting?: (waiting: Waiting) => void;
}

interface WaitOrder extends WaitOptions {
  readonly id: string;
  /** Whether the one that waits was closed meanwhile. */
  readonly closed: () => Fault | null;
}

type Held = Extract<Taken, { kind: "held" }>;

const LOOK_MS_MAX = 1_000;
const SAY_EVERY_MS = 5_000;

/** Takes the lease of a run, or waits for it: a holder that lives lets go in time, and a dead one is silent. */
export async function takeLease(
  { world, leases }: { readonly world: World; readonly leases: Leases },
  { id, ifHeld = "wait", signal, onWaiting, closed }: WaitOrder,
): Promise<number> {
  const lookMs = Math.min(LOOK_MS_MAX, leases.leaseMs / 10);
  for (let waitedMs = 0, sayAtMs = 0; ; waitedMs += lookMs) {
    const taken = await takeOrBusy(leases, id);
    if (!isFault(taken) && taken.kind === "taken") return taken.epoch;
    if (ifHeld === "refuse") throw isFault(taken) ? taken : refusal(id, taken);
    signal?.throwIfAborted();
    if (waitedMs >= sayAtMs) {
      onWaiting?.(waitingFor(id, taken, leases.leaseMs));
      sayAtMs = waitedMs + SAY_EVERY_MS;
    }
    await pause(world, lookMs, signal);
    signal?.throwIfAborted();
    const end = closed();
    if (end !== null) throw end;
  }
}

/** A stopped process may hold the store itself: that is waited for too, and its fault says who it is. */
const takeOrBusy = (leases: Leases, id: string): Promise<Taken | Fault> =>
  leases.take(id).catch((error: unknown) => {
    if (isFault(error, "store_busy")) return error;
    throw error;
  });

function waitingFor(id: string, held: Held | Fault, leaseMs: number): Waiting {
  if (isFault(held)) return { run: id, holder: null, silentMs: 0, leaseMs, text: held.message };
  const { host = "unknown", pid = 0 } = held.lease.owner?.process ?? {};
  const { silentMs } = held;
  const seconds = (ms: number): string => String(Math.round(ms / 1_000));
  const text =
    `${whoHolds(id, held)} and has shown no sign of life for ${seconds(silentMs)} s; ` +
    `it is taken over when that process lets go, ends, or is silent for ${seconds(leaseMs)} s`;
  return { run: id, holder: { host, pid }, silentMs, leaseMs, text };
}

const refusal = (id: string, held: Held): Fault =>
  new Fault("refused", `${whoHolds(id, held)}; end that process, or wait for it with ifHeld: "wait"`, {
    retry: "later",
  });

const whoHolds = (id: string, { lease }: Held): string =>
  `${id} is at work in process ${String(lease.owner?.process.pid)} on ${String(lease.owner?.process.host)}`;

function pause(world: World, delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const cancel = world.timer(delayMs, end);
    signal?.addEventListener("abort", end);
  });
}
