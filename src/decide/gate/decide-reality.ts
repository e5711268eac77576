import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { isDoneWithout } from "../../model/requests/proposal.ts";
import { REALITY, type RealityVerdict } from "../../model/requests/reality.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { feedbackOf } from "./decide-checks.ts";
import { reworkOf } from "./gates.ts";
import { worked } from "./decide-gates.ts";
import { replan } from "../dispatch/plan.ts";
import { boundOfRun } from "./bound-evidence.ts";
import { beforeEnd } from "../workspace/decide-checkpoints.ts";
import { lastKept, takesCheckpoints } from "../../fold/workspace/workspace-place.ts";
import { cleanCopy, environmentOf } from "../workspace/workspace-place.ts";

/** A check that is run again over the files as they are at the end; a step or a gate has it as evidence. */
interface Proof {
  readonly step: string | null;
  readonly gate?: string;
  readonly command: string;
  readonly limitMs: number;
  readonly clean: boolean;
  readonly writes: readonly string[];
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
    return demand || when === "always" ? [decided("NEEDS WORK", NOTHING_SHOWN, [])] : null;
  const last = reality.evidence.at(-1);
  if (last !== undefined && last.verdict !== "pass") return notReady(state, proofs);
  // One step that was checked a moment ago, and nothing since: its evidence is of the files as they are.
  const isFresh = when === "auto" && Object.keys(state.steps).length === 1 && proofs[0]?.step !== null;
  const fresh = isFresh ? freshProof(state, now) : null;
  if (fresh !== null) return "events" in fresh ? fresh.events : [shown(state, fresh.digest)];
  return proofs[reality.evidence.length] === undefined
    ? [shown(state, reality.bound.seen?.digest)]
    : intend(state, proofs, now);
}

/** Whether the files are still those that the only step's evidence speaks of; null where they are not. */
function freshProof(
  state: RunState,
  now: number,
): { readonly digest: string | undefined } | { readonly events: RunEvent[] } | null {
  const [step] = Object.values(state.steps);
  const proof = step?.proof ?? null;
  if (proof === null || !takesCheckpoints(state)) return { digest: undefined };
  const look = beforeEnd(state, now);
  if (look !== null) return { events: look };
  return lastKept(state)?.snapshot.digest === proof.digest ? { digest: proof.digest } : null;
}

export const NOTHING_SHOWN = "only the agents say that it is done: no check was run";

function proofsOf({ steps, settings, proposals, gates }: RunState): Proof[] {
  const { limitMs } = settings.checks;
  const given = Object.values(steps)
    // Of a proposal that a person did without, nothing is there that its checks could show.
    .filter(({ spec, status }) => status === "succeeded" && !isDoneWithout(proposals, spec.name))
    .flatMap(({ spec }) => spec.checks.map((check) => proof(check, check.limitMs ?? limitMs, spec.name)));
  const gated = Object.entries(gates)
    .filter(([, { passed }]) => passed)
    .flatMap(([gate, { spec }]) =>
      (spec?.checks ?? []).map((check) => ({
        ...proof(check, check.limitMs ?? limitMs, null),
        gate,
      })),
    );
  const beside = settings.reality.checks.map((run) => proof({ run }, limitMs, null));
  const seen = new Set<string>();
  return [...given, ...gated, ...beside].filter(({ command, clean }) => {
    const key = `${String(clean)} ${command}`;
    return !seen.has(key) && seen.add(key);
  });
}

const proof = (
  { run, clean = false, writes = [] }: StepState["spec"]["checks"][number],
  limitMs: number,
  step: string | null,
): Proof => ({ step, command: run, limitMs, clean, writes });

function intend(state: RunState, proofs: readonly Proof[], now: number): RunEvent[] {
  const { bound, evidence } = state.reality;
  const next = proofs[evidence.length];
  if (next === undefined) return [];
  const { command, limitMs, clean } = next;
  const writes = proofs.flatMap((one) => one.writes);
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
    ...boundOfRun(state, { slot: `seen/${REALITY}`, since: bound.seen, writes, now }),
  } as const;
  return [
    {
      type: "EffectIntended",
      data: { key: effectKey(REALITY, "RunAtGate", state.reality.runs + 1), effect },
    },
  ];
}

const decided = (verdict: RealityVerdict, why: string, reopened: string[], digest?: string): RunEvent => ({
  type: "RealityChecked",
  data: { verdict, why, reopened, ...(digest === undefined ? {} : { digest }) },
});

/** All evidence holds. It is READY if none of the work rests on somebody's word alone. */
function shown(state: RunState, digest: string | undefined): RunEvent {
  const bare = state.settings.reality.checks.length > 0 ? [] : unproved(state);
  if (bare.length > 0)
    return decided("NEEDS WORK", `only their agents say that these are done: ${bare.join(", ")}`, [], digest);
  const of = digest === undefined ? "" : ` (${digest.slice(0, 12)})`;
  return decided("READY", `all evidence holds over the files as they are${of}`, [], digest);
}

/** Steps whose work no check, declared output or later step with one has looked at. */
function unproved(state: RunState): string[] {
  const known = new Map<string, boolean>();
  const isProved = (name: string): boolean => {
    const before = known.get(name);
    if (before !== undefined) return before;
    known.set(name, false);
    const is =
      hasProof(state.steps[name]) || isGated(state, name) || (state.dependents[name] ?? []).some(isProved);
    known.set(name, is);
    return is;
  };
  return Object.entries(state.steps)
    .filter(([, { status, spec }]) => status === "succeeded" && spec.authority === "writes")
    .map(([name]) => name)
    .filter((name) => !isProved(name));
}

/** Checks that were green before and of which nobody knows whether anything changed show nothing. */
const hasProof = (step: StepState | undefined): boolean =>
  step !== undefined &&
  ((step.spec.checks.length > 0 && step.basis !== "claim") || (step.spec.outputs ?? []).length > 0);

/** The checks of a gate look at all the work of its phase. */
const isGated = ({ gates }: RunState, name: string): boolean =>
  Object.values(gates).some(
    ({ spec, members, passed }) => passed && (spec?.checks ?? []).length > 0 && members.includes(name),
  );

/**
 * What does not hold any more re-opens planning where the run has a step that plans; else it goes back to the step
 * that gave it, or to those that its gate sends back. Too often, a person is asked.
 */
function notReady(state: RunState, proofs: readonly Proof[]): RunEvent[] {
  const { reality } = state;
  const last = reality.evidence.at(-1);
  const failed = proofs[reality.evidence.length - 1];
  if (last === undefined) return [];
  const feedback = feedbackOf(last);
  const why = `evidence does not hold at the end: ${feedback}`;
  const again = last.verdict === "unknown" ? null : reopened(state, failed, feedback);
  if (again !== null) return [decided("NOT READY", why, again.steps), ...again.events];
  const at = failed?.step === null || failed === undefined ? {} : { step: failed.step };
  return [decided("NOT READY", why, []), blockedAsNotReady(why, at)];
}

function reopened(
  state: RunState,
  failed: Proof | undefined,
  feedback: string,
): { readonly steps: string[]; readonly events: RunEvent[] } | null {
  const text = `at the end of the run ${feedback}`;
  const planner = plannerOf(state);
  if (planner !== null) {
    if (planner.replans >= state.settings.plan.replans) return null;
    return { steps: [planner.spec.name], events: replan(state, planner, { why: text, by: "holdfast" }) };
  }
  if (state.reality.rounds + 1 >= state.settings.checks.tries) return null;
  const gate = state.gates[failed?.gate ?? ""];
  const steps = gate === undefined ? stepsOf(state, failed?.step ?? null) : reworkOf(state, gate);
  return steps.length === 0 ? null : { steps, events: worked(state, steps, text, "holdfast") };
}

/** The last step that has planned others: what it planned does not lead to the goal as it is. */
const plannerOf = ({ steps }: RunState): StepState | null =>
  Object.values(steps).findLast(({ spec, status }) => spec.plans !== undefined && status === "succeeded") ??
  null;

const blockedAsNotReady = (why: string, at: { readonly step?: string }): RunEvent => ({
  type: "RunBlocked",
  data: {
    blocked: {
      reason: "retries_exhausted",
      detail: `the run is NOT READY: ${why}`,
      attemptKept: false,
      guidance: ["proof_not_strong_enough"],
      ...at,
    },
  },
});

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
