import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Effect } from "../../model/effects/effects.ts";
import { newBaseline } from "../../model/state/baseline.ts";
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

export type RunCheck = Extract<Effect, { kind: "RunCheck" }>;

/** One whose outcome is not learnt says nothing. */
export function settleHome({ workspace }: RunState, { command }: RunCheck, outcome: EffectOutcome): void {
  const evidence = outcome.kind === "done" ? outcome.evidence : undefined;
  workspace.home.runs += 1;
  workspace.home.checks.push({
    command,
    clean: false,
    verdict: evidence?.verdict ?? "unknown",
    exitCode: evidence?.exitCode ?? null,
  });
}

/** Somebody had a say about a worktree that was not ready: its checks are run again there before the first attempt. */
export function homeAfterPerson(state: RunState): void {
  state.workspace.uncarried = [];
  const { home } = state.workspace;
  if (home.asked || !home.checks.some(({ verdict }) => verdict === "pass")) return;
  home.asked = true;
  for (const step of Object.values(state.steps))
    if (!step.before.begun) step.before = { ...newBaseline(), runs: step.before.runs };
}
