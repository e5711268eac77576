import type { RunState, StepState, SupervisedRun } from "../model/state/run-state.ts";
import { newAttemptState } from "./attempt/new-attempt-state.ts";
import { FOLD_VERSION } from "./fold-version.ts";
import { newProgramRun, newStep } from "./new-run-state.ts";

/** What a store kept of a run's state. */
export interface KeptState {
  readonly seq: number;
  readonly fold: string;
  readonly state: string;
}

/**
 * The state that a snapshot holds; null where this fold cannot go on from it. A snapshot only shortens reading a
 * journal: one that another fold made, or that does not have the form of a state, is ignored and never misread.
 */
export function readSnapshot(run: string, { seq, fold, state: text }: KeptState): RunState | null {
  if (fold !== FOLD_VERSION) return null;
  const state = parsed(text);
  const fits =
    (hasFormOf(state, aRun) || hasFormOf(state, aProgramRun)) &&
    Object.hasOwn(state, "program") === (state.kind === "program") &&
    state.run === run &&
    state.seq === seq &&
    Object.values(state.attempts).every((attempt) => hasFormOf(attempt, anAttempt)) &&
    Object.values(state.steps).every((step) => hasFormOf(step, aStep));
  return fits ? state : null;
}

const aProgramRun = newProgramRun("", 0, { body: null, input: null, budget: {}, by: "" });
const aRun: SupervisedRun = (({ program: _, ...common }) => ({ ...common, kind: "supervised" }))(aProgramRun);
const aStep = newStep({ name: "", needs: [] } as unknown as StepState["spec"]);
const anAttempt = newAttemptState({ attempt: "", step: "", number: 1, agent: "", session: "" }, [], 0);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Ignored like any other that does not have the form.
    return null;
  }
}

/** Whether a value has every field of a form, each of its kind. What is null in either may be anything in the other. */
function hasFormOf<Form extends object>(value: unknown, form: Form): value is Form {
  if (kindOf(value) !== "object") return false;
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.entries(form).every(([name, expected]) => {
    if (expected === undefined) return true;
    const found = fields[name];
    if (found === undefined) return false;
    return found === null || expected === null || kindOf(found) === kindOf(expected);
  });
}

const kindOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
