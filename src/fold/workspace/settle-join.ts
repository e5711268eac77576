import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { WorkspaceEffect } from "../../model/state/workspace-state.ts";

/**
 * What a join keeps on the way: the step's tree before its work is committed, and the run's tree with it. What it has
 * overwritten is not among it: that stays.
 */
export function intendJoin({ workspace }: RunState, key: string, effect: WorkspaceEffect): void {
  if (effect.kind !== "JoinWork") return;
  const { project } = effect;
  workspace.joins.push(
    { project, key: `${key}/kept`, of: key, snapshot: null },
    { project, key: `${key}/after`, of: key, snapshot: null },
  );
}

/** From then on changes may be counted from the second. */
export function settleJoin({ workspace }: RunState, key: string, outcome: EffectOutcome): void {
  const place = outcome.kind === "done" ? outcome.place : undefined;
  if (place?.kind !== "joined") return;
  workspace.joins = workspace.joins.map((one) =>
    one.key === `${key}/after` ? { ...one, snapshot: place.snapshot } : one,
  );
}

export function releaseJoins({ workspace }: RunState, released: readonly { readonly key: string }[]): void {
  const keys = new Set(released.map(({ key }) => key));
  workspace.joins = workspace.joins.filter(({ key }) => !keys.has(key));
}
