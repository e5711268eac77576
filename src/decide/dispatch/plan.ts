import type { RunEvent } from "../../model/events/events.ts";
import type { Step } from "../../model/flow/flow.ts";
import { PLAN_FILE } from "../../model/flow/flow-file.ts";
import { planJsonSchema, readPlan, unknownCommands } from "../../model/flow/plan.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";

/** What a step that plans has delivered: steps for the run, or what is wrong with them; null for other steps. */
export function decidePlan(
  state: RunState,
  { spec, checking }: StepState,
): { readonly planned: RunEvent[] } | { readonly problems: readonly string[] } | null {
  if (spec.plans === undefined) return null;
  const plan = checking?.outputs?.artifacts.find(({ path }) => path === PLAN_FILE)?.values?.[""];
  const all = Object.values(state.steps);
  const { steps, problems } = readPlan(plan, {
    planner: spec,
    steps: all.filter(({ status }) => status !== "dropped").map((step) => asItStands(state, step)),
    planned: new Set(plannedBy(state, spec.name).map((step) => step.spec.name)),
    taken: new Set(all.filter(({ status }) => status === "dropped").map((step) => step.spec.name)),
    flow: state.flow,
    agents: state.agents,
    stepsMax: state.settings.plan.stepsMax,
  });
  if (problems.length > 0) return { problems };
  const commands = unknownCommands(steps, knownCommands(state, spec));
  const data = { step: spec.name, steps, ...(commands.length === 0 ? {} : { commands }) };
  return { planned: [{ type: "StepsPlanned", data }] };
}

/** What people have written into the flow and the settings, and what was run of earlier plans, which they allowed. */
function knownCommands({ steps, flow, settings }: RunState, planner: Step): ReadonlySet<string> {
  const written = Object.values(steps)
    .filter(({ plannedBy, status }) => plannedBy === null || status === "succeeded")
    .flatMap(({ spec }) => [...spec.checks, ...(spec.plans?.checks ?? [])]);
  const atGates = flow.phases.flatMap(({ gate }) => gate?.checks ?? []);
  const commands = [...written, ...atGates, ...(planner.plans?.checks ?? [])].map(({ run }) => run);
  return new Set([...commands, ...settings.reality.checks, ...(settings.plan.commands ?? [])]);
}

/** What a step that is done was built on may have been dropped since: that is no fault of the plan that comes after. */
function asItStands({ steps }: RunState, { spec, status }: StepState): Step {
  const needs = spec.needs.filter((need) => steps[need]?.status !== "dropped");
  if (status !== "succeeded") return { ...spec, needs };
  const done: Step = { ...spec, needs };
  delete done.inputs;
  delete done.when;
  return done;
}

const plannedBy = (state: RunState, planner: string): StepState[] =>
  Object.values(state.steps).filter((step) => step.plannedBy === planner && step.status !== "dropped");

/** Where a planned step has failed for good, the rest is replanned, so often as the settings say (R6). */
export function replanAfter(state: RunState, failed: StepState): RunEvent[] | null {
  const planner = state.steps[failed.plannedBy ?? ""];
  if (planner === undefined || planner.replans >= state.settings.plan.replans) return null;
  const name = failed.spec.name;
  const why = `step "${name}" has failed: ${failed.lastFailure?.text ?? "unknown"}`;
  return replan(state, planner, { why, by: "holdfast" });
}

/** What is not done of a plan is dropped, and its step plans again. What is done stays, and what it has delivered. */
export function replan(
  state: RunState,
  planner: StepState,
  { why, by }: { readonly why: string; readonly by: string },
): RunEvent[] {
  const planned = plannedBy(state, planner.spec.name);
  const dropped = planned.filter(({ status }) => status !== "succeeded").map(({ spec }) => spec.name);
  const done = planned.filter(({ status }) => status === "succeeded").map(({ spec }) => spec.name);
  const feedback = [
    why,
    `Of your last plan these steps are done and stay: ${done.join(", ") || "none"}.`,
    `These are dropped, and their names cannot be used again: ${dropped.join(", ") || "none"}.`,
    "Plan again what is left to do.",
  ].join("\n");
  return [{ type: "StepsReplanned", data: { step: planner.spec.name, dropped, feedback, by } }];
}

/** What was planned after a checkpoint is not there any more, whether it was done or not. */
export const planAgain = (state: RunState, step: string, feedback: string): RunEvent => ({
  type: "StepsReplanned",
  data: { step, dropped: plannedBy(state, step).map(({ spec }) => spec.name), feedback, by: "checkpoint" },
});

/** Steps of a plan that are at work; while there are some it cannot be replanned. */
export const atWorkOf = (state: RunState, planner: string): string[] =>
  plannedBy(state, planner)
    .filter(({ live, checking }) => live !== null || checking !== null)
    .map(({ spec }) => spec.name);

const checkWords = ({ plans }: Step): string =>
  (plans?.checks ?? []).length === 0
    ? ""
    : `Every step must pass ${(plans?.checks ?? []).map(({ run }) => JSON.stringify(run)).join(" and ")}, which need not be named. `;

/** What an agent that plans is given of how a plan is written. */
export function planWords(state: RunState, { spec, replanFor }: StepState): string[] {
  if (spec.plans === undefined) return [];
  const roles = Object.keys(state.flow.roles ?? {});
  return [
    [
      `You plan; others do. Write the steps that lead to the goal as JSON into ${PLAN_FILE}: each with a name, a task that its agent can do without asking, and the names of the steps that it needs.`,
      `Agents that you may name: ${(spec.plans.agents ?? [spec.agent]).join(", ")}${roles.length === 0 ? "" : `; or roles: ${roles.join(", ")}`}.`,
      `${checkWords(spec)}Of any other check a person is asked first.`,
      `It must fit this JSON Schema: ${JSON.stringify(planJsonSchema())}`,
    ].join("\n"),
    ...(replanFor === null ? [] : [`You have planned this before. ${replanFor}`]),
  ];
}
