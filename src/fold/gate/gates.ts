import { unbound } from "../../model/state/bound-tree.ts";
import type { Flow, Step } from "../../model/flow/flow.ts";
import {
  commandsGateKey,
  COMPLETION_GATE,
  type Gate,
  type GateState,
  phaseGateKey,
  PLAN_GATE,
  PLAN_STEPS,
} from "../../model/flow/gate.ts";
import { newReality } from "../../model/requests/reality.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import type { RunSettings } from "../../model/settings/settings.ts";
import { dequeue, enqueue } from "../step/enqueue.ts";

type About = Pick<GateState, "name" | "of" | "spec" | "members" | "followers" | "previous">;

const newGate = (about: About): GateState => ({
  ...about,
  left: about.members.length,
  passed: false,
  runs: 0,
  checkFails: 0,
  expiries: 0,
  ...unasked(),
});

/** What a gate knows of work that it has not seen yet. */
const unasked = () => ({
  evidence: [],
  bound: unbound(),
  unknowns: 0,
  look: null,
  asked: null,
  approval: null,
  confirmed: false,
  action: null,
});

const APPROVAL = { kind: "approval" } as const;

/** The gates of a run: those of its phases in their order, and those that were asked for beside. */
export function newGates(
  { steps, phases }: Flow,
  { approve }: Pick<RunSettings, "approve">,
): Record<string, GateState> {
  const gates: Record<string, GateState> = {};
  const byPhase = namesByPhase(steps);
  const namesOf = (phase: string | undefined): string[] => [...(byPhase.get(phase ?? "") ?? [])];
  for (const [at, { name, gate }] of phases.entries()) {
    const before = phases[at - 1];
    gates[phaseGateKey(name)] = newGate({
      name: gate?.name ?? name,
      of: "phase",
      spec: gate ?? null,
      members: namesOf(name),
      followers: namesOf(phases[at + 1]?.name),
      previous: before === undefined ? null : phaseGateKey(before.name),
    });
  }
  const plan = approve.plan
    ? (steps.find(({ plans }) => plans !== undefined) ?? steps.find(({ name }) => PLAN_STEPS.includes(name)))
    : undefined;
  if (plan !== undefined)
    gates[PLAN_GATE] = newGate({
      name: PLAN_GATE,
      of: "plan",
      spec: { name: PLAN_GATE, ...APPROVAL } satisfies Gate,
      members: [plan.name],
      followers: steps.filter(({ needs }) => needs.includes(plan.name)).map(({ name }) => name),
      previous: null,
    });
  if (approve.completion)
    gates[COMPLETION_GATE] = newGate({
      name: COMPLETION_GATE,
      of: "completion",
      spec: { name: COMPLETION_GATE, ...APPROVAL } satisfies Gate,
      members: [],
      followers: [],
      previous: null,
    });
  return gates;
}

function namesByPhase(steps: readonly Step[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { name, phase } of steps) {
    if (phase === undefined) continue;
    const before = found.get(phase);
    if (before === undefined) found.set(phase, [name]);
    else before.push(name);
  }
  return found;
}

/** The gates that a step's work goes through. */
function gatesOf(state: RunState, name: string): string[] {
  const phase = state.steps[name]?.spec.phase;
  const keys = phase === undefined ? [] : [phaseGateKey(phase)];
  return [...keys, ...planGatesOf(state, name)];
}

const planGatesOf = (state: RunState, planner: string): string[] =>
  [PLAN_GATE, commandsGateKey(planner)].filter((key) => state.gates[key]?.members.includes(planner) === true);

/** A plan that names commands which nobody has allowed waits for a person; the next plan may name others, or none. */
export function guardCommands(state: RunState, planner: string, commands: readonly string[]): void {
  const key = commandsGateKey(planner);
  const known = state.gates[key];
  if (known === undefined && commands.length === 0) return;
  const gate = known ?? newCommandsGate(state, planner);
  gate.commands = commands;
  gate.spec = commands.length === 0 ? null : { name: gate.name, ...APPROVAL };
  if (known !== undefined) return;
  state.gates[key] = gate;
  closeGate(state, key);
}

/** As if it had been passed: the one that waits for the step that plans has not waited for this gate before. */
function newCommandsGate(state: RunState, planner: string): GateState {
  const about = { name: `commands-${planner}`, of: "plan", spec: null, previous: null } as const;
  const followers = [...(state.dependents[planner] ?? [])];
  return { ...newGate({ ...about, members: [planner], followers }), passed: true };
}

export function stepDone(state: RunState, name: string): void {
  for (const key of gatesOf(state, name)) {
    const gate = state.gates[key];
    if (gate !== undefined) gate.left -= 1;
  }
}

/** A planned step is of the phase of the step that planned it, and waits for a yes to the plan. */
export function stepAdded(state: RunState, step: StepState, planner: string): void {
  const { name, phase } = step.spec;
  const own = phase === undefined ? undefined : state.gates[phaseGateKey(phase)];
  if (own !== undefined) {
    own.left += 1;
    own.members.push(name);
  }
  for (const key of planGatesOf(state, planner)) {
    const plan = state.gates[key];
    plan?.followers.push(name);
    if (plan?.passed === false) step.needsLeft += 1;
  }
}

/** A step that was done is to be done again: what was said of it counts no more, nor of what came after it. */
export function stepUndone(state: RunState, name: string): void {
  for (const key of gatesOf(state, name)) {
    const gate = state.gates[key];
    if (gate === undefined) continue;
    gate.left += 1;
    closeGate(state, key);
  }
  forgetResult(state);
}

/** What was said of the run's result is not said of another. */
function forgetResult(state: RunState): void {
  const completion = state.gates[COMPLETION_GATE];
  if (completion !== undefined) forget(completion);
  const { runs, rounds } = state.reality;
  state.reality = { ...newReality(), runs, rounds };
}

/** The files of the run are others: what was shown, checked or approved of the former ones counts no more (G4). */
export function filesReplaced(state: RunState): void {
  for (const gate of Object.values(state.gates)) if (!gate.passed) forget(gate);
  forgetResult(state);
}

function closeGate(state: RunState, key: string): void {
  const gate = state.gates[key];
  if (gate === undefined) return;
  if (gate.passed) {
    gate.passed = false;
    for (const follower of gate.followers) {
      const step = state.steps[follower];
      if (step !== undefined) step.needsLeft += 1;
      dequeue(state, follower);
    }
  }
  forget(gate);
  for (const [after, { previous }] of Object.entries(state.gates))
    if (previous === key) closeGate(state, after);
}

export function openGate(state: RunState, gate: GateState): void {
  gate.passed = true;
  gate.checkFails = 0;
  for (const follower of gate.followers) {
    const step = state.steps[follower];
    if (step === undefined) continue;
    step.needsLeft -= 1;
    if (step.needsLeft === 0 && step.status === "pending") enqueue(state, follower);
  }
}

export function forget(gate: GateState): void {
  gate.passed = false;
  Object.assign(gate, unasked());
  gate.expiries = 0;
}

/** Somebody had a say: what did not work is tried again. */
export function gatesAfterPerson(state: RunState): void {
  const { verdict, runs } = state.reality;
  // What could not be shown is looked at again; what needs work was accepted by the person who looked at it.
  if (verdict === "NOT READY") state.reality = { ...newReality(), runs };
  if (verdict === "NEEDS WORK") state.reality.accepted = true;
  for (const gate of Object.values(state.gates)) {
    if (gate.passed) continue;
    gate.checkFails = 0;
    gate.unknowns = 0;
    if (gate.evidence.some(({ verdict }) => verdict !== "pass")) {
      gate.evidence = [];
      gate.bound = unbound();
    }
  }
}
