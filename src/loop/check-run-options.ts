import type { Spending, TreeLimits } from "./workflow-function.ts";
import { checkLimits } from "./life/tree-limits.ts";
import { Fault } from "../model/fault.ts";
import { isName } from "../model/ids.ts";
import { type Budget, budgetSchema } from "../model/requests/budget.ts";

/** What a program gave, which may be in plain JavaScript, as words: a mistake is answered with what was seen. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 100));
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

export const misused = (call: string, seen: string, expected: string): Fault =>
  new Fault("usage", `${call} was given ${seen}; expected ${expected}`);

/** Names distinguish recorded things. */
export function checkNamed(call: string, name: unknown, example: string): void {
  if (typeof name === "string" && name !== "") return;
  throw misused(call, `${shown(name)} as its name`, `a text: ${example}`);
}

export function checkText(call: string, text: unknown): void {
  if (typeof text !== "string") throw misused(call, shown(text), "a text");
}

export function checkFunction(call: string, work: unknown, example: string): void {
  if (typeof work === "function") return;
  const isPromise = typeof work === "object" && work !== null && "then" in work;
  const seen = isPromise ? "a promise, whose work has begun already," : shown(work);
  throw misused(call, `${seen} as its work`, `a function: ${example}`);
}

/** Options that are not known are refused, never ignored: most often they are misspelt. */
export function checkKeys(call: string, options: unknown, known: readonly string[]): Record<string, unknown> {
  if (options === undefined) return {};
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw misused(call, `${shown(options)} as its options`, `an object with any of ${known.join(", ")}`);
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) throw misused(call, `an option "${unknown}"`, `any of ${known.join(", ")}`);
  return options as Record<string, unknown>;
}

function checkOneOf(call: string, option: string, value: unknown, allowed: readonly string[]): void {
  if (value === undefined || allowed.includes(value as string)) return;
  const words = allowed.map((word) => JSON.stringify(word)).join(" or ");
  throw misused(call, `${option}: ${shown(value)}`, words);
}

const RUN_OPTIONS = ["input", "budget", "limits", "ifHeld", "signal", "onWaiting"];
const CALL = 'hf.run("triage-1", async (run) => …)';

/** What `hf.run` was given; anything that it could not mean is refused before the run begins. */
export function checkRunOptions(id: unknown, workflow: unknown, options: unknown): void {
  if (typeof id !== "string" || !isName(id))
    throw new Fault("usage", `${shown(id)} cannot be a run's id: letters, digits and . _ / - , at most 120`);
  checkFunction(`hf.run("${id}")`, workflow, CALL);
  const call = `hf.run("${id}")`;
  const given = checkKeys(call, options, RUN_OPTIONS);
  const { budget, limits, ifHeld, signal, onWaiting } = given;
  if (budget !== undefined) checkBudget(budget, id);
  if (limits !== undefined) checkLimits(limits as Partial<TreeLimits>);
  checkOneOf(call, "ifHeld", ifHeld, ["wait", "refuse"]);
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw misused(call, `signal: ${shown(signal)}`, "the signal of an AbortController");
  if (onWaiting !== undefined && typeof onWaiting !== "function")
    throw misused(call, `onWaiting: ${shown(onWaiting)}`, "a function");
}

const SPAWN_OPTIONS = ["restarts", "within", "budget"];

/** What `run.spawn`, or a member of a group, was given; its numbers are checked where they count. */
export function checkSpawn(name: unknown, child: unknown, options: unknown): void {
  if (typeof name !== "string" || name === "")
    throw misused("run.spawn", `${shown(name)} as its name`, 'a text: run.spawn("fix/7", fixIssue, issue)');
  checkFunction(`the child "${name}"`, child, `run.spawn("${name}", async (run, input) => …, input)`);
  checkKeys(`the child "${name}"`, options, SPAWN_OPTIONS);
}

export function checkLoop(name: string, iterate: unknown): void {
  checkNamed("run.loop", name, 'run.loop("kernel", state, async (state, i, it) => …)');
  checkFunction(`the loop "${name}"`, iterate, "async (state, i, it) => ({ state, done })");
}

export function checkWait(name: string, options: unknown): void {
  checkNamed("run.waitFor", name, 'run.waitFor("approval", { timeout: "24h" })');
  checkKeys(`waitFor("${name}")`, options, ["timeout"]);
}

const KINDS = Object.keys(budgetSchema.shape);
const SPENDING_KINDS: readonly string[] = ["tokens", "usd"];

/** A budget as it was given by a program, or an error that names the part that is wrong. */
export function checkBudget(budget: unknown, whose: string): Budget {
  const parsed = budgetSchema.safeParse(budget);
  if (parsed.success) return parsed.data;
  if (typeof budget !== "object" || budget === null)
    throw new Fault(
      "usage",
      `the budget of ${whose} is ${String(budget)}; expected an object such as { tokens: 1000 }`,
    );
  const given = budget as Record<string, unknown>;
  const unknown = Object.keys(given).find((kind) => !KINDS.includes(kind));
  if (unknown !== undefined)
    throw new Fault(
      "usage",
      `the budget of ${whose} has no kind "${unknown}"; kinds are ${KINDS.join(", ")}`,
    );
  const wrong = String(parsed.error.issues[0]?.path[0]);
  const whole = wrong === "usd" ? "number" : "whole number";
  throw new Fault(
    "usage",
    `the budget of ${whose} has ${wrong}: ${String(given[wrong])}; expected a ${whole} above 0, or leave it out for no limit`,
  );
}

export function checkSpending(spending: Spending): Spending {
  if (typeof spending !== "object" || (spending as unknown) === null)
    throw misused("spend()", shown(spending), "an object such as { tokens: 1200, usd: 0.04 }");
  for (const [kind, amount] of Object.entries(spending as Record<string, number | undefined>)) {
    if (!SPENDING_KINDS.includes(kind))
      throw new Fault(
        "usage",
        `spend() has no kind "${kind}"; kinds are ${SPENDING_KINDS.join(", ")} (iterations and time are counted by themselves)`,
      );
    if (amount !== undefined && (typeof amount !== "number" || !Number.isFinite(amount) || amount < 0))
      throw new Fault(
        "usage",
        `spend() was given ${kind}: ${String(amount)}; expected a number of 0 or more`,
      );
  }
  return spending;
}
