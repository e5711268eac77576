/** Runs expressions on attack strings, in a process of its own: one that never ends is told by the last line begun. */
import { attackStrings } from "./attack-strings.ts";

const SHORT_CHARS = 2_500;
/** Four times as long: a linear expression takes four times as long, a quadratic one sixteen times. */
const LONG_CHARS = 4 * SHORT_CHARS;
const RATIO_MAX = 9;
/** What a simple linear expression takes for the same text on this machine; others may take so many times more. */
const REFERENCE = /(?:[a-c]x|[d-f]y|[0-3]z)w/;
const TIMES_REFERENCE = 20;
const TRIES = 3;
const LOOKS = 4;

/** User and system time alone are only sampled by the kernel; their sum is measured. */
function threadMicros(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** Processor time of this thread: what else the machine does is no part of it. */
function millis(expression: RegExp, text: string): number {
  const begun = threadMicros();
  if (expression.global) text.replaceAll(expression, "");
  else expression.test(text);
  return (threadMicros() - begun) / 1_000;
}

/** The quickest of some tries: whatever else the machine does only makes one slower. */
function quickest(expression: RegExp, text: string): number {
  let best = Infinity;
  for (let tries = 0; tries < TRIES; tries += 1) best = Math.min(best, millis(expression, text));
  return best;
}

interface Texts {
  readonly short: string;
  readonly long: string;
  /** Nobody waits for what takes no longer than this. */
  readonly allowed: number;
}

/** The least of some comparisons: a machine that is busy during one of them proves nothing. */
function steadyRatio(expression: RegExp, { short, long, allowed }: Texts): number {
  let least = Infinity;
  for (let looks = 0; looks < LOOKS && least > RATIO_MAX; looks += 1) {
    const took = quickest(expression, long);
    least = Math.min(least, took <= allowed ? 0 : took / quickest(expression, short));
  }
  return least;
}

/** What shows it, or undefined for an expression that stays linear. */
function superLinear(expression: RegExp): string | undefined {
  const [short, long] = [SHORT_CHARS, LONG_CHARS].map((chars) => attackStrings(expression.source, chars));
  for (const [index, text] of (long ?? []).entries()) {
    const allowed = TIMES_REFERENCE * millis(REFERENCE, text);
    if (millis(expression, text) <= allowed) continue;
    const ratio = steadyRatio(expression, { short: short?.[index] ?? "", long: text, allowed });
    if (ratio > RATIO_MAX)
      return `${JSON.stringify(text.slice(0, 40))}…: ${ratio.toFixed(1)} times as long for 4 times the text`;
  }
  return undefined;
}

const asked: unknown = JSON.parse(process.argv[2] ?? "[]");
for (const [source, flags] of asked as [string, string][]) {
  process.stdout.write(`${JSON.stringify({ begun: source })}\n`);
  const found = superLinear(new RegExp(source, flags));
  if (found !== undefined) process.stdout.write(`${JSON.stringify({ source, found })}\n`);
}
process.stdout.write(`${JSON.stringify({ done: true })}\n`);
