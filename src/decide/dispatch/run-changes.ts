import { applyChange } from "../../fold/resource/evolve-limits.ts";
import type { BlockedReason } from "../../model/requests/blocked.ts";
import { type AgentBudget, agentBudgetSchema, ceilingOf } from "../../model/requests/budget.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { stepSchema } from "../../model/flow/flow.ts";
import type { SettingChange } from "../../model/events/limit-events.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { type PartKey, partOf, settable, whyFixed } from "../../model/settings/settable.ts";
import { runSettingsSchema } from "../../model/settings/settings.ts";
import { spentOfText } from "../budget/amount-text.ts";
import { spentKind, spentOfRun, spentOfStep, stepSpentKind } from "../budget/run-budget.ts";
import { limitInTheWay } from "../budget/time-limits.ts";
import { acceptUncounted } from "../budget/uncounted-money.ts";
import { answered, refusedFor, type Verdict } from "./verdict.ts";

const refusal = (text: string): { readonly refused: string } => ({ refused: `set is refused: ${text}` });
type DecidedChange = SettingChange | { readonly refused: string };

/** Changes limits and other settings of a run that lives; they hold at once, and a run that lacked only them goes on. */
export function setRun(
  state: RunState,
  { changes, note }: Extract<RunRequest, { kind: "set" }>,
  by: string,
): Verdict {
  const decided = changes.map((wish) => decideWish(state, wish));
  for (const one of decided) if ("refused" in one) return refusedFor(one.refused);
  const settled = decided.filter((one): one is SettingChange => "to" in one);
  const ofBudget = settled.filter(({ key }) => key.startsWith("budget."));
  const others = settled.filter(({ key }) => !key.startsWith("budget."));
  const budget = ofBudget.reduce<AgentBudget>(
    (sum, { key, to }) => ({ ...sum, [key.slice("budget.".length)]: to }),
    state.budget,
  );
  const words = note === undefined ? {} : { note };
  const events: RunEvent[] = [
    ...(ofBudget.length > 0 ? [{ type: "RunBudgetSet", data: { budget, by, ...words } } as const] : []),
    ...(others.length > 0
      ? [{ type: "RunSettingsChanged", data: { changes: others, by, ...words } } as const]
      : []),
  ];
  const text = settled.map(({ key, to }) => `${key} is ${String(to)}`).join(", ");
  return afterChange(state, events, text);
}

/** Whether what blocks the run is over with the change is seen on a copy: the change itself is not made here. */
function afterChange(state: RunState, events: readonly RunEvent[], text: string): Verdict {
  const { blocked } = state;
  if (blocked === null || !isAbout(events, blocked.reason)) return answered(text, [...events]);
  const after = copyOf(state);
  for (const event of events) {
    if (event.type === "RunBudgetSet") after.budget = event.data.budget;
    if (event.type === "RunSettingsChanged")
      for (const change of event.data.changes) applyChange(after, change);
  }
  const left = stillInTheWay(after);
  if (left !== null) return refusedFor(`set is refused: ${left}, so the run would not go on; name more`);
  const { reason, step } = blocked;
  const replanned: RunEvent[] =
    reason === "timeout" && step !== undefined ? [{ type: "StepReset", data: { step } }] : [];
  return answered(`${text}; the run goes on`, [...events, ...replanned, { type: "RunUnblocked", data: {} }]);
}

const TIME_KEY = /^(time\.(runMs|phaseMs)|attempts\.limitMs|(step|phase)\..+\.limitMs)$/;
const STEP_BUDGET_KEY = /^step\..+\.budget\./;

/** A change about something else lets nobody go on. */
const isAbout = (events: readonly RunEvent[], reason: BlockedReason): boolean =>
  events.some((event) => {
    if (event.type === "RunBudgetSet") return reason === "budget_exhausted";
    if (event.type !== "RunSettingsChanged") return false;
    const keys = reason === "budget_exhausted" ? STEP_BUDGET_KEY : reason === "timeout" ? TIME_KEY : null;
    return event.data.changes.some(({ key }) => keys?.test(key) === true);
  });

/** What of budgets and time still keeps the run from going on; null for nothing. */
export function stillInTheWay(state: RunState): string | null {
  const { blocked } = state;
  if (blocked?.reason === "budget_exhausted") {
    const step = state.steps[blocked.step ?? ""];
    const kind = spentKind(state) ?? (step === undefined ? null : stepSpentKind(state, step));
    if (kind === null)
      return acceptUncounted(state).length === 0 ? null : "what its agents spend cannot be counted";
    const ofRun = spentKind(state) !== null || step === undefined;
    const spent = ofRun ? spentOfRun(state, state.at) : spentOfStep(state, step, state.at);
    const ceiling = ceilingOf(ofRun ? state.budget : step.spec.budget, kind) ?? 0;
    return `${spentOfText(kind, spent[kind], ceiling)} is spent already`;
  }
  if (blocked?.reason === "timeout") {
    const limit = limitInTheWay(state);
    if (limit === undefined) return null;
    return `the time limit of ${limit.phase === null ? "the run" : `phase "${limit.phase}"`} is reached`;
  }
  return null;
}

const copyOf = (state: RunState): RunState => ({
  ...state,
  flow: { ...state.flow, phases: [...state.flow.phases] },
  steps: Object.fromEntries(Object.entries(state.steps).map(([name, step]) => [name, { ...step }])),
});

function decideWish(
  state: RunState,
  { key, value }: Extract<RunRequest, { kind: "set" }>["changes"][number],
): DecidedChange {
  const part = partOf(key);
  if (part !== null) return decidePart(state, key, part, value);
  const fixed = whyFixed(key);
  if (fixed !== undefined) return refusal(`${key} cannot be changed: ${fixed}`);
  if (!Object.hasOwn(settable(), key)) return refusal(`there is no setting "${key}" of a run`);
  if (key.startsWith("budget.")) return decideBudgetWish(state.budget, key, key.slice(7), value);
  const [section = "", name = ""] = key.split(".");
  const settings: Record<string, Record<string, unknown>> = state.settings as never;
  const from = settings[section]?.[name];
  const parsed = runSettingsSchema.safeParse({
    ...settings,
    [section]: { ...settings[section], [name]: value },
  });
  if (!parsed.success)
    return refusal(`${key}=${String(value)}: ${parsed.error.issues[0]?.message ?? "wrong"}`);
  const isAgent = key === "ladder.nextAgent" || key === "triage.agent";
  if (isAgent && !Object.hasOwn(state.agents, String(value)))
    return refusal(
      `${key}=${String(value)}: the run has no such agent; its agents are ${Object.keys(state.agents).join(", ")}`,
    );
  return { key, from, to: value };
}

function decidePart(
  state: RunState,
  key: string,
  { of, name, part }: PartKey,
  value: unknown,
): DecidedChange {
  if (of === "phase") {
    const phase = state.flow.phases.find((one) => one.name === name);
    const there = state.flow.phases.map((one) => one.name).join(", ") || "none";
    if (phase === undefined) return refusal(`the run has no phase "${name}"; its phases are ${there}`);
    const isTime = Number.isInteger(value) && (value as number) > 0;
    return isTime ? { key, from: phase.limitMs, to: value } : refusal(`${key}=${String(value)}: no time`);
  }
  const step = state.steps[name];
  if (step === undefined)
    return refusal(`the run has no step "${name}"; its steps are ${Object.keys(state.steps).join(", ")}`);
  if (part.startsWith("budget.")) return decideBudgetWish(step.spec.budget ?? {}, key, part.slice(7), value);
  const parsed = stepSchema.safeParse({ ...step.spec, [part]: value });
  return parsed.success
    ? { key, from: step.spec[part as "limitMs"], to: value }
    : refusal(`${key}=${String(value)}: ${parsed.error.issues[0]?.message ?? "wrong"}`);
}

function decideBudgetWish(budget: AgentBudget, key: string, kind: string, value: unknown): DecidedChange {
  const parsed = agentBudgetSchema.safeParse({ ...budget, [kind]: value });
  return parsed.success
    ? { key, from: budget[kind as "usd"], to: value }
    : refusal(`${key}=${String(value)}: ${parsed.error.issues[0]?.message ?? "wrong"}`);
}
