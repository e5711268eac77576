import type { Flag, HealthState, OpenCall, Pattern } from "../../model/agent/health.ts";
import type { Observed } from "../../model/agent/observed.ts";
import type { HealthLimits } from "./health-limits.ts";
import { cycleOf, isReplayed, repeat } from "./health-repeats.ts";

/**
 * Loops of calls. A step is a call with its result; what makes two of them the same depends on the question, so there
 * are several: the same call with the same result, the same call that only differs in numbers, the same edit again,
 * the same failure from any call, and nothing new for a long time. Steps of one batch that are the same count once.
 */
export interface Step {
  readonly call: OpenCall;
  readonly result: Extract<Observed, { kind: "result" }>;
}

/** A step that polls is expected to see the same for a while. */
const POLL_ROUNDS = 10;
const ALIKE_ROUNDS = 8;
const ALIKE_PAIR_ROUNDS = 4;
const ALIKE_POLL_ROUNDS = 30;
const CYCLE_ROUNDS = 3;
const SAME_CALL_FAILS = 4;
const SAME_FAILURE_ANY_CALL = 6;
const READS_SAME_FAILURE = 8;
const SAME_HEAD_FAILS = 6;
/** Of the last ten, with at most one that did not fail. */
const FAILED_OF_TEN = 9;
const FAILS_DESPITE_EDITS = 8;
const READS_FAILED_DESPITE_EDITS = 10;
const STALE_STEPS = 12;
/** Among the last eight steps, with no news among them. */
const MOSTLY_SAME = 5;
const MOSTLY_SAME_FAILURE = 4;
const SAME_ANSWER = 8;
/** A model does not read a result and call again within a second. */
const BURST_MS = 1_000;
const EDIT_PERIOD_MAX = 4;

const KNOWN_MAX = 128;
const FAILING_MAX = 12;
const OUTCOMES_MAX = 10;

/** Takes a finished step and says whether it completes a loop. `isNews` shows whether something new was seen. */
export function observeStep(
  health: HealthState,
  step: Step,
  limits: HealthLimits,
  at: number,
): { flag: Flag | null; isNews: boolean } {
  const { call, result } = step;
  const key = stepKey(step);
  const isNews = isNew(health, key);
  // A new thought is no act: what is done before and after it is compared as if it were not there.
  if (call.does === "think" && isNews) return { flag: null, isNews: false };
  if (isReplayed(health, key)) return { flag: null, isNews: false };
  // Cancelled siblings and parallel copies: one act, however many results it has.
  if (health.lastStep.batch === call.batch && health.lastStep.key === key)
    return { flag: null, isNews: false };
  health.lastStep = { batch: call.batch, key };
  const good = !result.failed && !result.readsFailed;
  if (call.does !== "wait") health.stale = isNews ? 0 : health.stale + 1;
  health.stepsSinceWait = call.does === "wait" ? 0 : health.stepsSinceWait + 1;
  repeat(health.exact, key);
  repeat(health.alike, call.does === "edit" && !result.failed ? call.key : `${call.key} ${result.alike}`);
  const inBurst = countFailures(health, step, at);
  if (!inBurst) note(health, result.failed ? "x" : isNews && good ? "n" : ".");
  countAnswers(health, step);
  const isEdit = call.does === "edit";
  if (isEdit) repeat(health.edits, call.key);
  // Edits first: a circle of them is recognised by what they are, not by their having been calls.
  const found =
    (isEdit && !result.failed ? editsAgain(health, step, limits) : null) ??
    sameAgain(health, step, limits) ??
    failuresAgain(health, step, limits) ??
    mostlySame(health, step, key) ??
    sameAnswer(health, step) ??
    nothingNew(health);
  const flag = found === null ? null : { ...found, at };
  return { flag, isNews: isNews && good };
}

type Found = Omit<Flag, "at">;
const found = (pattern: Pattern, confidence: number, ...evidence: string[]): Found => ({
  pattern,
  confidence,
  evidence,
});

/**
 * The same edit is the same no matter what the file looks like by now; a failure is the same no matter which numbers it
 * names.
 */
function stepKey({ call, result }: Step): string {
  if (result.failed) return `${call.key} x${result.alike}`;
  if (call.does === "edit") return call.key;
  return `${call.key} ${result.readsFailed ? result.alike : result.exact}`;
}

function isNew(health: HealthState, key: string): boolean {
  if (health.known.includes(key)) return false;
  health.known.push(key);
  if (health.known.length > KNOWN_MAX) health.known.shift();
  return true;
}

function note(health: HealthState, outcome: string): void {
  health.outcomes = (health.outcomes + outcome).slice(-OUTCOMES_MAX);
}

function countFailures(health: HealthState, { call, result }: Step, at: number): boolean {
  const { failures } = health;
  const inBurst = call.at - health.burstAt < BURST_MS && call.key !== failures.call && result.failed;
  health.burstAt = at;
  const failed = result.failed;
  const reads = failed || result.readsFailed;
  const sameResult = reads && failures.alike === result.alike;
  failures.callRun = failed ? (failures.call === call.key ? failures.callRun + 1 : 1) : 0;
  failures.call = failed ? call.key : "";
  const more = inBurst ? 0 : 1;
  failures.alikeRun = reads ? (sameResult ? failures.alikeRun + more : 1) : 0;
  failures.marked = failed ? (sameResult ? failures.marked + more : 1) : 0;
  failures.alike = reads ? result.alike : "";
  failures.run = failed ? failures.run + more : 0;
  // What a file or a search shows may speak of failures; what a command says is its own.
  if (failed || call.does !== "look") failures.reads = reads ? failures.reads + more : 0;
  failures.headRun = failed ? (failures.head === call.head ? failures.headRun + more : 1) : 0;
  failures.head = failed ? call.head : "";
  if (reads && call.does !== "wait") countFailing(health, { call, result });
  return inBurst;
}

function countFailing(health: HealthState, { call, result }: Step): void {
  const known = health.failing.find((one) => one.call === call.key);
  if (known === undefined) {
    health.failing.push({ call: call.key, alike: result.alike, times: 1, batch: call.batch });
    if (health.failing.length > FAILING_MAX) health.failing.shift();
    return;
  }
  if (known.batch === call.batch) return;
  known.batch = call.batch;
  known.times = known.alike === result.alike ? known.times + 1 : 1;
  known.alike = result.alike;
}

function sameAgain(health: HealthState, { call, result }: Step, limits: HealthLimits): Found | null {
  const polls = (period: number): boolean => health.stepsSinceWait < period;
  const once = result.failed ? limits.sameFailure : limits.sameCall;
  const roundsOf = (period: number): number => {
    if (polls(period)) return POLL_ROUNDS;
    return period === 1 ? once : Math.max(CYCLE_ROUNDS, Math.ceil(limits.alternation / period));
  };
  const exact = cycleOf(health.exact, roundsOf, limits.period);
  if (exact !== null) {
    const { period, rounds } = exact;
    const what = period === 1 ? `${call.name} ${call.words}` : `a cycle of ${String(period)} calls`;
    const same = result.failed ? "the same failure" : "the same result";
    return found(
      result.failed ? "error_loop" : "tool_loop",
      period === 1 ? 0.95 : 0.9,
      `${what}: ${String(rounds)} times in a row with ${same}`,
      `the last result: ${result.words}`,
    );
  }
  const alikeRoundsOf = (period: number): number => {
    if (polls(period)) return ALIKE_POLL_ROUNDS;
    if (period === 1) return ALIKE_ROUNDS;
    return period === 2 ? ALIKE_PAIR_ROUNDS : CYCLE_ROUNDS;
  };
  const alike = cycleOf(health.alike, alikeRoundsOf, limits.period);
  if (alike === null) return null;
  return found(
    "tool_loop",
    0.8,
    `${alike.period === 1 ? `${call.name} ${call.words}` : `a cycle of ${String(alike.period)} calls`}: ${String(alike.rounds)} times in a row with results that differ only in numbers`,
  );
}

function failuresAgain(health: HealthState, { call, result }: Step, limits: HealthLimits): Found | null {
  const { failures } = health;
  if (failures.callRun >= Math.max(SAME_CALL_FAILS, limits.sameFailure) && call.does !== "wait")
    return found(
      "error_loop",
      0.9,
      `${call.name} ${call.words}: failed ${String(failures.callRun)} times in a row`,
    );
  if (!result.bare && (failures.marked >= SAME_FAILURE_ANY_CALL || failures.alikeRun >= READS_SAME_FAILURE))
    return found(
      "error_loop",
      0.8,
      `${String(failures.alikeRun)} calls in a row gave the same failure: ${result.words}`,
    );
  if (failures.headRun >= SAME_HEAD_FAILS)
    return found(
      "error_loop",
      0.75,
      `${String(failures.headRun)} calls in a row that begin like ${call.name} ${call.words} failed; the last: ${result.words}`,
    );
  const failedOfTen = result.failed ? health.outcomes.split("x").length - 1 : 0;
  if (failures.run >= limits.failuresInARow || (result.failed && failedOfTen >= FAILED_OF_TEN))
    return found(
      "error_loop",
      0.75,
      `${String(failedOfTen)} of the last ${String(health.outcomes.length)} calls failed; the last: ${result.words}`,
    );
  if (failures.reads >= limits.unmarkedFailures)
    return found(
      "error_loop",
      0.7,
      `${String(failures.reads)} results in a row read like failures; the last: ${result.words}`,
    );
  const failing = health.failing.find((one) => one.call === call.key);
  if (
    (result.failed || result.readsFailed) &&
    (failing?.times ?? 0) >= (result.failed ? FAILS_DESPITE_EDITS : READS_FAILED_DESPITE_EDITS)
  )
    return found(
      "error_loop",
      0.8,
      `${call.name} ${call.words}: the same failure ${String(failing?.times)} times, despite the changes in between`,
    );
  return null;
}

/** Edits are compared among themselves: a test between them does not make them different. */
function editsAgain(health: HealthState, { call }: Step, limits: HealthLimits): Found | null {
  const cycle = cycleOf(
    health.edits,
    (period) =>
      period === 1 ? limits.sameCall : Math.max(CYCLE_ROUNDS, Math.ceil(limits.alternation / period)),
    EDIT_PERIOD_MAX,
  );
  if (cycle === null) return null;
  if (cycle.period === 1)
    return found("tool_loop", 0.9, `the same edit ${String(cycle.rounds)} times: ${call.name} ${call.words}`);
  return found(
    "alternation",
    0.9,
    `the same ${String(cycle.period)} edits were made and taken back ${String(cycle.rounds)} times; the last: ${call.name} ${call.words}`,
  );
}

/** Round and round, with something else thrown in. */
function mostlySame(health: HealthState, { call, result }: Step, key: string): Found | null {
  if (call.does === "wait" || health.stale < MOSTLY_SAME_FAILURE) return null;
  let times = 0;
  for (const one of health.exact.keys) if (one === key) times += 1;
  if (times < (result.failed ? MOSTLY_SAME_FAILURE : MOSTLY_SAME)) return null;
  return found(
    result.failed ? "error_loop" : "tool_loop",
    0.85,
    `${call.name} ${call.words}: ${String(times)} of the last ${String(health.exact.keys.length)} calls, with the same result and nothing new in between`,
  );
}

function countAnswers(health: HealthState, { call, result }: Step): void {
  const { answers } = health;
  const counted = !result.bare && call.does !== "edit" && call.does !== "wait";
  const same = counted && answers.head === call.head && answers.exact === result.exact;
  health.answers = { head: call.head, exact: result.exact, run: counted ? (same ? answers.run + 1 : 1) : 0 };
}

/** Always the same answer, however the question is put. */
const sameAnswer = ({ answers }: HealthState, { call, result }: Step): Found | null =>
  answers.run < SAME_ANSWER
    ? null
    : found(
        "tool_loop",
        0.7,
        `${String(answers.run)} calls in a row that begin like ${call.name} ${call.words} gave the same result: ${result.words}`,
      );

const nothingNew = ({ stale }: HealthState): Found | null =>
  stale < STALE_STEPS
    ? null
    : found(
        "tool_loop",
        0.75,
        `${String(stale)} calls in a row, and each had been made before with the same result`,
      );
