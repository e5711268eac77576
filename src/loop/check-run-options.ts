import { Fault } from "../model/fault.ts";
import { isName } from "../model/ids.ts";
import { checkBudget } from "./check-budget.ts";
import { checkFunction, checkKeys, checkNamed, checkOneOf, misused, shown } from "./check-usage.ts";
import type { TreeLimits } from "./body.ts";
import { checkLimits } from "./life/tree-limits.ts";

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
