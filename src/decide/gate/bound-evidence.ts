import { proofOf, writtenBy } from "../../fold/step/bound-evidence.ts";
import {
  proposes,
  takesCheckpoints,
  treeOf,
  treeOfStep,
  writes,
} from "../../fold/workspace/workspace-place.ts";
import type { BoundTree, MovedFiles, ProvedTree, SeenTree } from "../../model/state/bound-tree.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { projectOf } from "../workspace/workspace-place.ts";

interface Ordered {
  readonly slot: string;
  readonly since: SeenTree | null;
  readonly writes: readonly string[];
  readonly now: number;
}

interface Bound {
  readonly bound?: BoundTree;
  readonly ends?: string[];
}

/**
 * Evidence speaks of one tree (G6): its digest is taken before and after a check, a review or a commit. What ignore
 * rules leave out, what a check declares that it writes, and Holdfast's own files do not count. Processes that ended
 * attempts have left behind are ended before evidence is taken.
 */
export function boundOfStep(state: RunState, step: StepState, now: number): Bound {
  const { spec, checking } = step;
  const ordered = {
    slot: `seen/${spec.name}`,
    since: checking?.bound.seen ?? null,
    writes: writtenBy(step),
    now,
  };
  const copy = proposes(step) ? state.proposals.copies[spec.name]?.tree : undefined;
  if (copy !== undefined) {
    const project = state.workspace.worktree?.project ?? treeOf(state);
    return { ...endsOf(state), bound: boundTree({ tree: copy, project }, ordered) };
  }
  // Beside one that only reads others may be at work, and what they change is put back.
  if (!writes(step) || !takesCheckpoints(state)) return endsOf(state);
  const place = { tree: treeOfStep(state, spec.name), ...projectOf(state) };
  return { ...endsOf(state), bound: boundTree(place, ordered) };
}

/** The same for evidence about the run's whole tree, at a gate or at the end. */
export function boundOfRun(state: RunState, ordered: Ordered): Bound {
  const isQuiet =
    Object.keys(state.attempts).length === 0 &&
    state.ready.count === 0 &&
    Object.keys(state.checking).length === 0;
  if (!takesCheckpoints(state) || !isQuiet) return endsOf(state);
  return { ...endsOf(state), bound: boundTree({ tree: treeOf(state), ...projectOf(state) }, ordered) };
}

const boundTree = (
  place: Pick<BoundTree, "tree" | "project">,
  { slot, since, writes: written, now }: Ordered,
): BoundTree => ({
  ...place,
  at: now,
  slot,
  ...(since === null ? {} : { since }),
  ...(written.length === 0 ? {} : { writes: [...written] }),
});

const endsOf = ({ leftovers }: RunState): Pick<Bound, "ends"> =>
  leftovers.length === 0 ? {} : { ends: [...leftovers] };

export const movedWords = ({ files, count }: MovedFiles): string =>
  `${files.join(", ")}${count > files.length ? ` and ${String(count - files.length)} more` : ""}`;

/** The proof of work that is kept elsewhere: joined, or proposed. */
export function provedTree(step: StepState): { readonly proved?: ProvedTree } {
  const proof = proofOf(step);
  if (proof === null) return {};
  const { digest, snapshot, writes: written } = proof;
  return { proved: { digest, snapshot, writes: [...written] } };
}
