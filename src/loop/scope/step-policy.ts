import { durationMs, type Duration } from "../../model/text/duration.ts";
import { Fault } from "../../model/fault.ts";
import type { ProgramError } from "../../model/events/program-events.ts";
import type { StepBackoff, StepOptions } from "../workflow-function.ts";
import { checkFunction, checkNamed, shown } from "../check-run-options.ts";
import { providerTrouble } from "../../model/agent/provider-trouble.ts";

/** What is recorded of a step that failed and is tried again. */
export interface TriedBefore {
  /** How often it was tried. */
  readonly attempt: number;
  /** When it failed first. */
  readonly since: number;
  readonly until: number;
}

interface Failed {
  readonly error: unknown;
  readonly recorded: ProgramError;
  readonly before: TriedBefore | undefined;
  readonly now: number;
  /** Between 0 and 1: those that failed together do not come back together. */
  readonly chance: number;
}

const DEFAULT_BACKOFF = { initialMs: 1_000, factor: 2, maxMs: 60_000 };
/** How long trouble of a provider is waited out where the step says nothing. */
const WAIT_OUT_MS_MAX = 3_600_000;
/** A provider that says to wait longer is not waited for. */
const NAMED_WAIT_MS_MAX = 21_600_000;
const JITTER = 0.2;

/**
 * When a failed step is tried again; null if it has failed for good. What the step says holds for every error. Where it
 * says nothing, trouble of a provider is waited out for an hour; what must not happen twice is tried again only where
 * the provider refused it, not where its answer was lost.
 */
export function nextTry(
  { retries, effect }: StepOptions<unknown>,
  { error, recorded, before, now, chance }: Failed,
): TriedBefore | null {
  const trouble = providerTrouble(error);
  const attempt = (before?.attempt ?? 0) + 1;
  const since = before?.since ?? now;
  const backoffMs = backoffOf(
    retries === undefined || retries === false ? undefined : retries.backoff,
    attempt,
  );
  const delayMs = Math.max(trouble?.waitMs ?? 0, backoffMs) * (1 + JITTER * chance);
  const next = { attempt, since, until: Math.round(now + delayMs) };
  if (retries === false) return null;
  if (retries !== undefined)
    return attempt < retries.attempts && !isFinal(retries.nonRetryable, error, recorded) ? next : null;
  if (trouble === null || (trouble.waitMs ?? 0) > NAMED_WAIT_MS_MAX) return null;
  if (effect === "once" && trouble.kind === "network") return null;
  const patienceMs = Math.max(WAIT_OUT_MS_MAX, trouble.waitMs ?? 0);
  return next.until - since <= patienceMs ? next : null;
}

type NonRetryable = Exclude<StepOptions<unknown>["retries"], false | undefined>["nonRetryable"];

function isFinal(declared: NonRetryable, error: unknown, { name, code, class: of }: ProgramError): boolean {
  if (declared === undefined) return false;
  if (typeof declared === "function") return declared(error as Error);
  return [name, code, of].some((word) => word !== undefined && declared.includes(word));
}

function backoffOf(backoff: Duration | StepBackoff | undefined, attempt: number): number {
  if (typeof backoff === "number" || typeof backoff === "string") return durationMs(backoff);
  const { initial, factor = DEFAULT_BACKOFF.factor, max } = backoff ?? {};
  const initialMs = initial === undefined ? DEFAULT_BACKOFF.initialMs : durationMs(initial);
  const maxMs = max === undefined ? Math.max(DEFAULT_BACKOFF.maxMs, initialMs) : durationMs(max);
  return Math.min(maxMs, initialMs * factor ** (attempt - 1));
}

const OPTIONS: readonly string[] = ["effect", "inDoubt", "retries", "timeout"];
const RETRIES: readonly string[] = ["attempts", "backoff", "nonRetryable"];
const EXPECTED = {
  effect: 'effect: "once", or leave it out',
  inDoubt: 'inDoubt: "retry", "ask", or a function',
  retries: "retries: { attempts: 3, backoff, nonRetryable }, or false",
} as const;

/** A step as it was given by a program, which may be in plain JavaScript. */
export function checkStep(name: string, work: unknown, options: unknown): void {
  checkNamed("run.step", name, 'run.step("fetch", () => …)');
  checkFunction(`step "${name}"`, work, `run.step("${name}", () => …)`);
  if (options === NO_OPTIONS) return;
  const wrong = (what: string, expected: string): Fault =>
    new Fault("usage", `step "${name}" has ${what}; expected ${expected}`);
  if (typeof options !== "object" || options === null)
    throw wrong(`${String(options)} as its options`, 'an object such as { effect: "once" }');
  const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
  if (unknown !== undefined) throw wrong(`an option "${unknown}"`, `one of ${OPTIONS.join(", ")}`);
  const { effect, inDoubt, retries, timeout } = options as Record<string, unknown>;
  if (effect !== undefined && effect !== "once") throw wrong(`effect: ${shown(effect)}`, EXPECTED.effect);
  if (![undefined, "retry", "ask"].includes(inDoubt as string | undefined) && typeof inDoubt !== "function")
    throw wrong(`inDoubt: ${shown(inDoubt)}`, EXPECTED.inDoubt);
  if (timeout !== undefined) durationMs(timeout as Duration);
  if (retries !== undefined && retries !== false) checkRetries(retries, wrong);
}

function checkRetries(retries: unknown, wrong: (what: string, expected: string) => Fault): void {
  const given = typeof retries === "object" && retries !== null ? (retries as Record<string, unknown>) : null;
  const unknown = Object.keys(given ?? {}).find((key) => !RETRIES.includes(key));
  if (given === null || unknown !== undefined)
    throw wrong(`retries: ${unknown === undefined ? shown(retries) : `{ ${unknown} }`}`, EXPECTED.retries);
  const { attempts, nonRetryable } = given;
  if (!Number.isSafeInteger(attempts) || Number(attempts) < 1)
    throw wrong(`retries.attempts: ${shown(attempts)}`, "a whole number above 0");
  if (nonRetryable !== undefined && typeof nonRetryable !== "function" && !Array.isArray(nonRetryable))
    throw wrong(`retries.nonRetryable: ${shown(nonRetryable)}`, "names or codes of errors, or a function");
  backoffOf(given["backoff"] as Duration | StepBackoff | undefined, 1);
}

/** A step that says nothing about itself. */
export const NO_OPTIONS: StepOptions<never> = {};
