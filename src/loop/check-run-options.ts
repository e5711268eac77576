import type { Spending, TreeLimits } from "./body.ts";
import { checkFunction, checkKeys, checkNamed, checkOneOf, misused, shown } from "./check-usage.ts";
import { checkLimits } from "./life/tree-limits.ts";
import { Fault } from "../model/fault.ts";
import { isName } from "../model/ids.ts";
import { type Budget, budgetSchema } from "../model/requests/budget.ts";

const RUN_OPTIONS = ["input", "budget", "limits", "ifHeld", "signal", "onWaiting"];
const CALL = 'hf.run("triage-1", async (run) => …)';

/** What `hf.run` was given; anything that it could not mean is refused before the run begins. */
export function checkRunOptions(id: unknown, body: unknown, options: unknown): void {
  if (typeof id !== "string" || !isName(id))
    throw new Fault("usage", `${shown(id)} cannot be a run's id: letters, digits and . _ / - , at most 120`);
  checkFunction(`hf.run("${id}")`, body, CALL);
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
