import type { RunCheck } from "../../fold/workspace/settle-join.ts";
import type { CheckBefore } from "../../model/state/baseline.ts";
import type { Blocked } from "../../model/requests/blocked.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { attemptId } from "../../model/ids.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";

/**
 * A fresh worktree that is not ready: a check that fails there before anybody has worked is run once more in the folder
 * that the run was asked for. Where it passes there, the worktree lacks something, and a person is asked before an
 * agent begins. It is asked once: a person who lets the run continue has seen to it, or leaves it to the agent.
 */
export function homeFirst(
  state: RunState,
  step: StepState,
  known: readonly CheckBefore[],
): RunEvent[] | null {
  const { home, asked } = state.workspace;
  if (home.asked || !isFresh(state)) return null;
  const red = known.filter(
    ({ clean, verdict, exitCode }) => !clean && verdict !== "pass" && exitCode !== null,
  );
  const better = red.find(({ command }) => shownAt(home.checks, command)?.verdict === "pass");
  if (better !== undefined) return [askAbout(state, step, better)];
  const next = step.spec.checks.find(
    ({ run }) => red.some(({ command }) => command === run) && shownAt(home.checks, run) === undefined,
  );
  if (next === undefined) return null;
  const attempt = attemptId(step.spec.name, step.started + 1);
  if (Object.values(state.effects).some((effect) => effect.kind === "RunCheck" && effect.phase === "home"))
    return [];
  const effect: RunCheck = {
    kind: "RunCheck",
    phase: "home",
    attempt,
    step: step.spec.name,
    command: next.run,
    cwd: asked,
    limitMs: next.limitMs ?? state.settings.checks.limitMs,
    outputBytesMax: state.settings.checks.outputBytesMax,
  };
  return [
    {
      type: "EffectIntended",
      data: { key: effectKey(`${attempt}/home`, "RunCheck", home.runs + 1), effect },
    },
  ];
}

/** Nobody has worked in the worktree, and it was made to be what the user's folder is. */
const isFresh = ({ workspace, settings, steps }: RunState): boolean =>
  workspace.worktree !== null &&
  settings.workspace.uncommitted === "carry" &&
  Object.values(steps).every(({ started }) => started === 0);

const shownAt = (checks: readonly CheckBefore[], wanted: string): CheckBefore | undefined =>
  checks.find(({ command }) => command === wanted);

function askAbout(state: RunState, { spec }: StepState, { command, exitCode }: CheckBefore): RunEvent {
  const { worktree, asked, install } = state.workspace;
  const folder = worktree?.cwd ?? state.cwd;
  const code = exitCode === null ? "" : ` (exit code ${String(exitCode)})`;
  const blocked: Blocked = {
    reason: "dispatch_error",
    detail: [
      `\`${command}\` passes in ${asked} and fails${code} in the fresh worktree ${folder}, which lacks something that git does not hold`,
      `prepare it${install === null ? "" : ` (cd ${folder} && ${install})`} and retry, or retry as it is and leave it to the agent`,
      `for later runs: workspace.setup${install === null ? "" : ` (${install})`} or workspace.carry (such as [node_modules, .env]) in the configuration, or run --in-place`,
    ].join("; "),
    step: spec.name,
    attemptKept: false,
    guidance: [],
  };
  return { type: "RunBlocked", data: { blocked } };
}

const NAMED_MAX = 5;

/** Asked once, before an agent begins: a person who lets the run continue has committed them, or does without. */
export function askAboutUncarried(state: RunState, { spec }: StepState): RunEvent {
  const { uncarried, asked, worktree } = state.workspace;
  const more = uncarried.length - NAMED_MAX;
  const names = `${uncarried.slice(0, NAMED_MAX).join(", ")}${more > 0 ? ` and ${String(more)} more` : ""}`;
  const blocked: Blocked = {
    reason: "dispatch_error",
    detail: [
      `what you have changed in ${asked} and not committed is in no worktree of this run (${names}): with workspace.isolation attempt all of them begin from ${worktree?.from.slice(0, 12) ?? "a commit"}`,
      "retry to continue without it; or cancel this run, commit the files and start it again",
      "for later runs: workspace.isolation run carries such files over, workspace.uncommitted leave does not ask",
    ].join("; "),
    step: spec.name,
    attemptKept: false,
    guidance: [],
  };
  return { type: "RunBlocked", data: { blocked } };
}
