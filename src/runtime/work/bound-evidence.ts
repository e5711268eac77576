import type { BoundTree, Leftover, MovedFiles, SeenTree } from "../../model/state/bound-tree.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Ports } from "../ports.ts";

interface Bound {
  readonly bound?: BoundTree | undefined;
  readonly ends?: readonly string[] | undefined;
}

/** Between the polite end of what was left behind and the firm one. */
const GRACE_MS = 2_000;

/**
 * Takes evidence of one tree (G6). Processes that ended attempts have left are ended first. The tree is looked at
 * before and after; what moved is reported with what the evidence shows, and the decision is that it does not count.
 *
 * On disk: the snapshot under the slot, which holds what the first evidence of a series has seen. Dying in between
 * leaves it: the same order again replaces it.
 */
export async function withBoundTree(
  ports: Ports,
  { bound, ends = [] }: Bound,
  run: string,
  take: () => Promise<EffectOutcome>,
): Promise<EffectOutcome> {
  const leftovers = await endLeftovers(ports, ends);
  const ended = leftovers.length === 0 ? {} : { leftovers };
  if (bound === undefined) return withFacts(await take(), ended);
  const { since } = bound;
  const seen = since ?? (await hold(ports, bound, run));
  ports.world.crashPoint("evidence.seen");
  const before = since === undefined ? null : await movedSince(ports, bound, seen);
  if (before !== null) return { kind: "done", moved: before, ...ended };
  const outcome = await take();
  ports.world.crashPoint("evidence.taken");
  const moved = await movedSince(ports, bound, seen);
  ports.world.crashPoint("evidence.compared");
  return withFacts(outcome, { ...ended, seen, ...(moved === null ? {} : { moved }) });
}

type Facts = Pick<Extract<EffectOutcome, { kind: "done" }>, "seen" | "moved" | "leftovers">;

function withFacts(outcome: EffectOutcome, facts: Facts): EffectOutcome {
  if (outcome.kind !== "done") return outcome;
  const { evidence } = outcome;
  const tree = facts.seen === undefined || facts.moved !== undefined ? {} : { tree: facts.seen.digest };
  return {
    ...outcome,
    ...facts,
    ...(evidence === undefined ? {} : { evidence: { ...evidence, ...tree } }),
  };
}

async function hold({ workspace }: Ports, bound: BoundTree, run: string): Promise<SeenTree> {
  const { tree, project = tree, at, slot } = bound;
  const { id, digest } = await workspace.snapshot({
    key: `${run}/${slot}`,
    project,
    tree,
    atMs: at,
    again: true,
  });
  return { digest, snapshot: id };
}

/** What differs from what was seen, beside what the checks write themselves; null where nothing does. */
async function movedSince(
  { workspace }: Ports,
  { tree, project = tree, at, writes }: BoundTree,
  since: SeenTree,
): Promise<MovedFiles | null> {
  return (await workspace.look({ project, tree, atMs: at, since, aside: writes })).moved;
}

/**
 * Ends what lives of these sessions. Where processes cannot be seen nothing is known, and the looks show what moved.
 */
export async function endLeftovers({ sessionsHere }: Ports, ends: readonly string[]): Promise<Leftover[]> {
  const living = ends.length === 0 || sessionsHere === undefined ? "unknown" : sessionsHere.living();
  if (living === "unknown") return [];
  const left = living.filter(({ session }) => ends.includes(session));
  for (const { session } of left) await sessionsHere?.end(session, GRACE_MS);
  return left.map(({ session, pids }) => ({ session, pids: [...pids] }));
}
