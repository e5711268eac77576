import { effectKey } from "../model/effects.ts";
import type { RunEvent } from "../model/events.ts";
import { isDoneWithout } from "../model/proposal.ts";
import { REALITY, type RealityVerdict } from "../model/reality.ts";
import type { RunState, StepState } from "../model/run-state.ts";
import { feedbackOf } from "./judge-checks.ts";
import { worked } from "./judge-gates.ts";
import { cleanCopy, environmentOf } from "./workspace-place.ts";

/** A check that is run again over the files as they are at the end; `step` gave it as evidence. */
interface Proof {
  readonly step: string | null;
  readonly command: string;
  readonly limitMs: number;
  readonly clean: boolean;
}

/**
 * Before a run is completed its evidence is run again over the files as they are by then (G7): an agent's word is
 * none, and what a later step has broken shows here. Null where nothing stands against completion.
 */
export function beforeReality(state: RunState, now: number): RunEvent[] | null {
  const { reality, settings } = state;
  const { when, demand } = settings.reality;
  if (when === "never" || reality.accepted) return null;
  if (reality.verdict !== null) return demand && reality.verdict !== "READY" ? [asks(state)] : null;
  const proofs = proofsOf(state);
  if (proofs.length === 0)
    return demand || when === "always" ? [judged("NEEDS WORK", NOTHING_SHOWN, [])] : null;
  const last = reality.evidence.at(-1);
  if (last !== undefined && last.verdict !== "pass") return notReady(state, proofs);
  // One step that was checked a moment ago, and nothing since: its evidence is of the files as they are.
  const isFresh = when === "auto" && Object.keys(state.steps).length === 1 && proofs[0]?.step !== null;
  const next = isFresh ? undefined : proofs[reality.evidence.length];
  return next === undefined ? [shown(state)] : intend(state, next, now);
}

export const NOTHING_SHOWN = "nothing but the agents' word says that it is done: no check was run";

function proofsOf({ steps, settings, proposals }: RunState): Proof[] {
  const { limitMs } = settings.checks;
  const given = Object.values(steps)
    // Of a proposal that a person did without, nothing is there that its checks could show.
    .filter(({ spec, status }) => status === "succeeded" && !isDoneWithout(proposals, spec.name))
    .flatMap(({ spec }) =>
      spec.checks.map((check) => proof(check.run, check.limitMs ?? limitMs, spec.name, check.clean)),
    );
  const beside = settings.reality.checks.map((command) => proof(command, limitMs, null));
  const seen = new Set<string>();
  return [...given, ...beside].filter(({ command, clean }) => {
    const key = `${String(clean)} ${command}`;
    return !seen.has(key) && seen.add(key);
  });
}

const proof = (command: string, limitMs: number, step: string | null, clean = false): Proof => ({
  step,
  command,
  limitMs,
  clean,
});

function intend(state: RunState, { command, limitMs, clean }: Proof, now: number): RunEvent[] {
  const isUnderWay = Object.values(state.effects).some(
    (effect) => effect.kind === "RunAtGate" && effect.gate === REALITY,
  );
  if (isUnderWay) return [];
  const effect = {
    kind: "RunAtGate",
    gate: REALITY,
    part: "check",
    command,
    limitMs,
    cwd: state.cwd,
    outputBytesMax: state.settings.checks.outputBytesMax,
    env: environmentOf(state),
    ...(clean ? { clean: cleanCopy(state, now) } : {}),
  } as const;
  return [
    {
      type: "EffectIntended",
      data: { key: effectKey(REALITY, "RunAtGate", state.reality.runs + 1), effect },
    },
  ];
}

const judged = (verdict: RealityVerdict, why: string, reopened: string[]): RunEvent => ({
  type: "RealityChecked",
  data: { verdict, why, reopened },
});

/** All evidence holds. It is READY if none of the work rests on somebody's word alone. */
function shown(state: RunState): RunEvent {
  const bare = state.settings.reality.checks.length > 0 ? [] : unproved(state);
  if (bare.length > 0)
    return judged("NEEDS WORK", `only their agents say that these are done: ${bare.join(", ")}`, []);
  return judged("READY", "all evidence holds over the files as they are", []);
}

/** Steps whose work no check, declared output or later step with one has looked at. */
function unproved(state: RunState): string[] {
  const known = new Map<string, boolean>();
  const isProved = (name: string): boolean => {
    const before = known.get(name);
    if (before !== undefined) return before;
    known.set(name, false);
    const is = hasProof(state.steps[name]) || (state.dependents[name] ?? []).some(isProved);
    known.set(name, is);
    return is;
  };
  return Object.entries(state.steps)
    .filter(([, { status, spec }]) => status === "succeeded" && spec.authority === "writes")
    .map(([name]) => name)
    .filter((name) => !isProved(name));
}

const hasProof = (step: StepState | undefined): boolean =>
  step !== undefined && (step.spec.checks.length > 0 || (step.spec.outputs ?? []).length > 0);

/** What does not hold any more goes back to the step that gave it; too often, a person is asked. */
function notReady(state: RunState, proofs: readonly Proof[]): RunEvent[] {
  const { reality, settings } = state;
  const last = reality.evidence.at(-1);
  const failed = proofs[reality.evidence.length - 1];
  if (last === undefined) return [];
  const feedback = feedbackOf(last);
  const why = `evidence does not hold at the end: ${feedback}`;
  const isLast = last.verdict === "unknown" || reality.rounds + 1 >= settings.checks.tries;
  const steps = isLast ? [] : stepsOf(state, failed?.step ?? null);
  const event = judged("NOT READY", why, steps);
  if (steps.length > 0)
    return [event, ...worked(state, steps, `at the end of the run ${feedback}`, "holdfast")];
  const detail = `the run is NOT READY: ${why}`;
  const at = failed?.step === null || failed === undefined ? {} : { step: failed.step };
  const blocked = {
    reason: "retries_exhausted",
    detail,
    attemptKept: false,
    guidance: ["proof_not_strong_enough"],
    ...at,
  } as const;
  return [event, { type: "RunBlocked", data: { blocked: { ...blocked, guidance: [...blocked.guidance] } } }];
}

const stepsOf = ({ steps, dependents }: RunState, step: string | null): string[] =>
  step === null ? Object.keys(steps).filter((name) => (dependents[name] ?? []).length === 0) : [step];

const asks = ({ reality }: RunState): RunEvent => ({
  type: "RunBlocked",
  data: {
    blocked: {
      reason: "needs_human",
      detail: `the run is ${reality.verdict ?? "NEEDS WORK"} and READY is asked for: ${reality.why}`,
      attemptKept: false,
      guidance: ["proof_not_strong_enough"],
    },
  },
});
