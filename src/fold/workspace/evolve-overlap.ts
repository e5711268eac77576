import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { EventData } from "../../model/events/events.ts";
import { noConflict } from "../../model/state/conflict.ts";
import { noOverlap } from "../../model/state/overlap.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** The part of the fold that concerns what other runs have changed too. */
export const evolveOverlap = {
  OverlapFound(state: RunState, { own, peers }: EventData<"OverlapFound">): void {
    const { overlap } = state;
    overlap.report = null;
    overlap.own = own;
    overlap.peers = peers;
    for (const { run, since, files } of peers) {
      // Of two runs the one that began later gives way: it alone counts.
      const isFirst = overlap.since < since || (overlap.since === since && state.run < run);
      if (isFirst || overlap.counted.includes(run)) continue;
      overlap.counted.push(run);
      noteConflict(state, files);
    }
  },
};

export function intendCompare({ overlap }: RunState): void {
  overlap.looks += 1;
}

/** A look that failed has seen nothing; the next one comes when it is due. */
export function settleCompare(
  { overlap }: RunState,
  snapshot: string,
  { outcome, at }: { readonly outcome: EffectOutcome; readonly at: number },
): void {
  overlap.notified = snapshot;
  overlap.lookedAt = at;
  const facts = outcome.kind === "done" ? outcome.overlap : undefined;
  if (facts === undefined) return;
  const isNews = JSON.stringify(facts.peers) !== JSON.stringify(overlap.peers);
  if (isNews) overlap.report = facts;
  else overlap.own = facts.own;
}

export function beginOverlap(state: RunState, at: number): void {
  state.overlap = { ...noOverlap(), looks: state.overlap.looks, since: at };
}

/** The first snapshot of a worktree is what the run's changes are counted from. */
export function noteFirstSnapshot({ overlap, workspace }: RunState, tree: string, snapshot: string): void {
  if (workspace.worktree?.tree === tree) overlap.base ??= snapshot;
}

/** What was taken in is the run's alone no more. */
export function noteWorkTaken({ overlap, workspace }: RunState): void {
  overlap.base = workspace.commit.base?.snapshot ?? overlap.base;
  overlap.notified = null;
  overlap.counted = [];
  overlap.again = false;
}

export function freshOverlaps({ overlap }: RunState): void {
  overlap.again = true;
}

export function recountOverlaps({ overlap }: RunState): void {
  if (overlap.again) overlap.counted = [];
  overlap.again = false;
}

/** So many paths are remembered to show how much of a run's work is in conflict. */
const OWN_MAX = 2_000;

export function noteCommitted({ conflict }: RunState, files: readonly string[]): void {
  conflict.own = [...new Set([...conflict.own, ...files])].slice(0, OWN_MAX);
}

export function noteConflict({ conflict }: RunState, files: readonly string[]): void {
  conflict.times += 1;
  conflict.files = files;
  conflict.pending = true;
}

export function noteTakenIn(state: RunState): void {
  state.conflict = noConflict();
}
