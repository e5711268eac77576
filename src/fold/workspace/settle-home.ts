import { newBaseline } from "../../model/state/baseline.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { RunState } from "../../model/state/run-state.ts";

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
