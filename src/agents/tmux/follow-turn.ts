import { readLastWord } from "../../model/text/last-word.ts";
import { resetTime } from "../../model/text/reset-time.ts";
import { toExcerpt, type Signal } from "../../model/agent/signals.ts";
import { isBrokenHistory, missingConversation } from "../headless/provider-error.ts";
import { textDigest } from "../to-signal.ts";
import { aboveInputBox } from "./screen/above-input-box.ts";
import { drawnAnswer, proseOf } from "./screen/drawn-answer.ts";
import type { Progress } from "./type/delivery-log.ts";
import type { Program } from "./programs/program.ts";
import { squeezed, typeable } from "./screen/plain-text.ts";
import { normalised, sinceLastSaid, type Look } from "./screen/recognise.ts";
import type { Ordered } from "./terminal-folder.ts";

/** What is known of a terminal at one instant; times are given, so that judging it is arithmetic. */
export interface Seen {
  readonly now: number;
  readonly look: Look;
  readonly lines: readonly string[];
  /** For how long the terminal has not changed. */
  readonly quietMs: number;
  /** For how long the program has had its task; null while it has not. */
  readonly promptedMs: number | null;
  /** Whether it was seen at work, or has written something, since. */
  readonly workSeen: boolean;
  /** What it was asked to do, as it was typed. */
  readonly task?: string;
  /** Under which it keeps its conversation, as far as that is known. */
  readonly conversation: string | undefined;
  /** Whether that conversation was begun before this session. */
  readonly goesOn?: boolean;
}

/** What of a session's order matters here. */
export const givenOf = (ordered: Ordered | undefined): Pick<Seen, "task" | "conversation" | "goesOn"> => ({
  conversation: ordered?.conversation,
  goesOn: ordered?.goesOn === true,
  task: typeable(ordered?.task ?? "").text,
});

export interface Followed {
  readonly entries: readonly { readonly signal?: Signal; readonly progress: Progress }[];
  readonly progress: Progress;
}

const STEADY_SCREEN_MS = 1_500;
const STEADY_LINES_MS = 300;
/** A spinner that stands still may be that of a program which gets no processor time. */
const STEADY_SPINNER_MS = 15_000;
/** A program that never looked busy was too quick to be seen at it, or did not take its task. */
const UNSEEN_WORK_MS = 8_000;

/** It waits for text, by what its screen proves; that it is silent proves nothing. */
export const isIdle = (program: Program, seen: Seen): boolean =>
  seen.look.state === "idle" &&
  seen.quietMs >= (program.voice === "lines" ? STEADY_LINES_MS / 2 : STEADY_LINES_MS) &&
  !stillLoads(program, seen);

/** A screen that stood still for so long will not show more of the conversation (I7). */
const UNSHOWN_CONVERSATION_MS = 60_000;

/** The conversation that it goes on with is not on its screen yet, and what is typed meanwhile is lost. */
function stillLoads({ conversation }: Program, { goesOn, promptedMs, lines, quietMs }: Seen): boolean {
  const shown = conversation?.shown;
  if (shown === undefined || goesOn !== true || promptedMs !== null) return false;
  return quietMs < UNSHOWN_CONVERSATION_MS && !lines.some((line) => shown.test(line));
}

/** What follows from one look: which signals, and how far the session has come. */
export function followTurn(program: Program, before: Progress, seen: Seen): Followed {
  const entries: { signal?: Signal; progress: Progress }[] = [];
  let progress = before;
  const report = (change: Partial<Progress>, signal?: Signal): void => {
    progress = { ...progress, ...change };
    entries.push(signal === undefined ? { progress } : { signal, progress });
  };
  if (!progress.ready && isIdle(program, seen)) report({ ready: true }, { kind: "ready" });
  // Before it has its task there is nothing that could be gone on with.
  if (!progress.named && seen.promptedMs !== null && seen.conversation !== undefined)
    report({ named: true }, { kind: "conversation", id: seen.conversation });
  const ask = seen.look.dialog?.askId ?? null;
  if (seen.look.dialog !== undefined && ask !== progress.ask)
    report({ ask }, askSignal(seen.look.dialog, seen.now));
  else if (ask === null && progress.ask !== null && seen.look.state !== "unknown")
    report({ ask: null }, { kind: "answered", askId: progress.ask });
  const limit = seen.look.limit === undefined ? null : textDigest(normalised(seen.look.limit));
  // A dialog about a limit has reported all of it.
  if (seen.look.limit !== undefined && limit !== progress.limit)
    report(
      { limit },
      seen.look.dialog?.kind === "limit" ? undefined : limitSignal(seen.look.limit, seen.now),
    );
  const { retry } = seen.look;
  if (retry !== undefined && retry.nth !== progress.retry)
    report(
      { retry: retry.nth },
      { kind: "error", text: toExcerpt(`${retry.what}, tried again`), terminal: false },
    );
  if (!progress.done && turnIsOver(program, seen)) {
    const words = program.voice === "lines" ? printedWords(program, seen) : lastWords(program, seen);
    for (const signal of words) report({ done: true }, signal);
    if (words.length === 0) report({ done: true });
  }
  return { entries, progress };
}

/** Where times without a zone are reported. */
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const limitSignal = (text: string, now: number): Signal => ({
  kind: "rate_limit",
  text: toExcerpt(text),
  ...resetTime(text, now, ZONE),
});

function askSignal(dialog: NonNullable<Look["dialog"]>, now: number): Signal {
  const { kind, askId, text } = dialog;
  if (kind === "permission") return { kind, askId, what: toExcerpt(text) };
  if (kind === "limit") return limitSignal(text, now);
  return { kind, askId, text: toExcerpt(text) };
}

function turnIsOver(program: Program, seen: Seen): boolean {
  const { look, quietMs, promptedMs, workSeen } = seen;
  if (promptedMs === null || look.state !== "idle") return false;
  if (program.voice === "lines")
    return workSeen && quietMs >= (showsSpinner(seen.lines) ? STEADY_SPINNER_MS : STEADY_LINES_MS);
  return (
    quietMs >= STEADY_SCREEN_MS &&
    promptedMs >= STEADY_SCREEN_MS &&
    (workSeen || promptedMs >= UNSEEN_WORK_MS)
  );
}

const LAST_LINES = 12;

const SPINNER = /^\s{0,8}[\u2801-\u28ff]\s/u;

/** A line that begins with a turning glyph says that the program is at work, or was when it was last drawn. */
const showsSpinner = (lines: readonly string[]): boolean =>
  lines
    .filter((line) => line.trim() !== "")
    .slice(-LAST_LINES)
    .some((line) => SPINNER.test(line));

const TASK_TAIL_CHARS = 40;

/** What a plain program has printed since it was given its task, without its prompt. */
function answerOf({ input }: Program, seen: Seen): string[] {
  const { task = "" } = seen;
  const lines = aboveInputBox(seen.lines);
  const tail = (task.trimEnd().split("\n").at(-1) ?? "").slice(-TASK_TAIL_CHARS);
  const at = tail === "" ? -1 : lines.findLastIndex((line) => line.trimEnd().endsWith(tail));
  return lines
    .slice(at + 1)
    .filter((line) => line.trim() !== "" && !input.test(line) && !input.test(`${line} `));
}

/** What a plain program has printed; a shell has no word of its own, and a spinner is none. */
function printedWords(program: Program, seen: Seen): readonly Signal[] {
  if (showsSpinner(seen.lines)) return [];
  const answer = answerOf(program, seen);
  const claimed = claimOf(answer.join("\n"), answer.slice(-LAST_LINES).join("\n"), seen.now);
  return program.mute === true && claimed.every((signal) => signal.kind === "result" && signal.ok)
    ? []
    : claimed;
}

/** An answer is a claim of success, unless it is an error, a limit or a refusal; none claims nothing (B4). */
function claimOf(answer: string, shown: string, now: number): readonly Signal[] {
  if (answer === "") return [];
  // A long line may have been broken by the edge of the screen, and what ends it is then no error by itself.
  const word = readLastWord(answer) ?? readLastWord(proseOf(answer.split("\n")));
  const text = toExcerpt(shown);
  if (word === null) return [{ kind: "result", ok: true, text }];
  return [
    ...(word.kind === "limit" ? [limitSignal(word.line, now)] : []),
    { kind: "error", text: toExcerpt(word.line), terminal: false },
    { kind: "result", ok: false, text },
  ];
}

/** The program waits for its user again. What it has said is its claim; a failure that it shows is reported as one. */
function lastWords(program: Program, { look, lines, now }: Seen): readonly Signal[] {
  const shown = lines.filter((line) => line.trim() !== "");
  const failure =
    look.limit ??
    sinceLastSaid(program, shown.slice(-LAST_LINES))
      .map((line) => program.failures.map((one) => one.exec(line)?.[1]).find((text) => text))
      .find((text) => text);
  if (failure === undefined) {
    const answer = drawnAnswer(program, lines) ?? "";
    return claimOf(answer, answer, now);
  }
  const text = toExcerpt(
    shown
      .slice(-LAST_LINES)
      .map((line) => line.trim())
      .join("\n"),
  );
  const error: Signal = isBrokenHistory(inOneLine(shown))
    ? missingConversation(toExcerpt(failure))
    : { kind: "error", text: toExcerpt(failure), terminal: false, ...statusIn(inOneLine(shown)) };
  return [error, { kind: "result", ok: false, text }];
}

/** The provider's own answer, shown as it came, names its status. */
function statusIn(text: string): { readonly status?: number } {
  const status = /API Error: \{"error": ?\{"code": ?([45]\d\d)\b/.exec(text)?.[1];
  return status === undefined ? {} : { status: Number(status) };
}

/** As it was before the screen broke it into lines. */
const inOneLine = (lines: readonly string[]): string =>
  lines
    .slice(-LAST_LINES)
    .map((line) => line.trim())
    .join(" ");

const NEW_TEXT_CHARS_MAX = 1_000;

/** What is on a screen now and was not before, but for what only moves; undefined where nothing is. */
export function newText(before: readonly string[], now: readonly string[]): string | undefined {
  const known = new Set(before.map(normalised));
  const fresh = now.filter((line) => squeezed(line) !== "" && !known.has(normalised(line)));
  const text = fresh
    .map((line) => line.trim())
    .join("\n")
    .slice(0, NEW_TEXT_CHARS_MAX);
  return text === "" ? undefined : text;
}
