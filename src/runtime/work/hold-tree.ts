import { isEnded } from "../../model/state/run-status.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Journal, Lease, Owner } from "../../journal/journal.ts";
import { loadRun } from "../load-run.ts";
import { pause, type Ports } from "../ports.ts";

const LOOK_EVERY_MS = 1_000;

/** Trees stand on a host; the colon keeps their addresses apart from runs. */
const addressOf = (host: string, tree: string): string => `tree:${host}:${tree}`;

const OWNER = "run:";

interface HoldOrder {
  readonly run: string;
  readonly tree: string;
  readonly wait: boolean;
}

/**
 * The lock on a tree is a lease of the store whose owner is a run, not a process: it outlives every supervisor, and
 * the one that owns the run next takes it again, under a new epoch. So the one that has seen the old one cannot take it
 * away. It is taken from a run that has ended, or is there no more.
 */
export async function holdTree(
  { journal, world }: Pick<Ports, "journal" | "world">,
  { run, tree, wait }: HoldOrder,
  signal: AbortSignal,
): Promise<EffectOutcome> {
  const address = addressOf(world.self.host, tree);
  const owner: Owner = { id: `${OWNER}${run}`, process: world.self };
  for (;;) {
    const taken = await take(journal, address, owner);
    if (typeof taken === "number") {
      world.crashPoint("workspace.hold.taken");
      // Nobody waits for it any more: it must not stay taken.
      if (signal.aborted) await journal.release(address, taken);
      return { kind: "done", place: { kind: "held", epoch: taken } };
    }
    if (!wait || signal.aborted) return { kind: "done", place: { kind: "busy", by: taken.by } };
    await pause(world, LOOK_EVERY_MS);
  }
}

async function take(journal: Journal, address: string, owner: Owner): Promise<number | { by: string }> {
  const first = await journal.claim(address, owner);
  if (first.kind === "claimed") return first.epoch;
  const by = holderOf(first.lease);
  if (first.lease.owner?.id !== owner.id && !(await hasLeft(journal, by))) return { by };
  const second = await journal.takeOver(address, owner, first.lease);
  return second.kind === "claimed" ? second.epoch : { by: holderOf(second.lease) };
}

const holderOf = ({ owner }: Lease): string => owner?.id.slice(OWNER.length) ?? "nobody";

/** An ended run writes nothing before it has taken its tree again. */
async function hasLeft(journal: Journal, run: string): Promise<boolean> {
  const state = await loadRun(journal, run);
  return state === null || (isEnded(state.status) && Object.keys(state.attempts).length === 0);
}

/** Lets go; where somebody else has taken it since, nothing changes. */
export async function freeTree(
  { journal, world }: Pick<Ports, "journal" | "world">,
  { tree, epoch }: { readonly tree: string; readonly epoch: number },
): Promise<EffectOutcome> {
  await journal.release(addressOf(world.self.host, tree), epoch);
  return { kind: "done", place: { kind: "freed" } };
}
