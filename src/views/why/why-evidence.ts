import { spentOfText } from "../../decide/budget/amount-text.ts";
import { ceilingOf, SPENT_KINDS } from "../../model/requests/budget.ts";
import { RETRY_CLASSES } from "../../decide/attempt/retry-class.ts";
import { classOfError } from "../../fold/attempt/class-of-error.ts";
import { GUIDANCE, recoveryOf } from "../../decide/recovery/recovery.ts";
import type { EventType, Recorded } from "../../model/events/events.ts";
import type { Evidence } from "../../model/effects/evidence.ts";
import type { Failure } from "../../model/agent/failure.ts";
import { printableLine } from "../../model/text/printable.ts";
import { principalText } from "../../model/requests/proved.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import type { Signal } from "../../model/agent/signals.ts";
import type { RecordedOf, WhyJournal } from "./why-journal.ts";
import { describeNote } from "../text/describe-event.ts";
import { describeSignal } from "../text/describe-signal.ts";

const TEXT_CHARS_MAX = 300;
const EXCERPT_LINES_MAX = 6;

type Describe = {
  readonly [Type in EventType]?: (event: RecordedOf<Type>, journal: WhyJournal) => readonly string[];
};

const cut = (text: string): string => printableLine(text, TEXT_CHARS_MAX);

/** What was seen, beside what an event says of itself. */
const EVIDENCE: Describe = {
  RunCreated: ({ data: { by, cwd } }) => [`asked for by ${cut(by)}, in ${cut(cwd)}`],
  BodyCreated: ({ data: { by } }) => [`asked for by ${cut(by)}`],
  RequestHeard: ({ data: { request, by, principal } }) => [
    `asked by ${cut(principal === undefined ? by : principalText(principal))}`,
    ...askedWords(request),
  ],
  RunBlocked: (event, journal) => [
    `${recoveryOf(event.data.blocked.reason).owner === "operator" ? "an operator" : "a person"} has to act: ${recoveryOf(event.data.blocked.reason).advice}`,
    ...event.data.blocked.guidance.map((code) => GUIDANCE[code]),
    ...(event.data.blocked.reason === "budget_exhausted" ? budgetWords(event, journal) : []),
  ],
  RunFailed: ({ data: { failure } }) => failureWords(failure),
  StepFailed: (event, journal) => [...failureWords(event.data.failure), ...countWords(event, journal)],
  AttemptEnded: (event, journal) => {
    const { attempt, failure } = event.data;
    const start = journal.last("AttemptStarted", event, ({ data }) => data.attempt === attempt);
    return [
      ...(failure === undefined ? [] : failureWords(failure)),
      ...(start === undefined ? [] : [`it took ${String(Math.round((event.at - start.at) / 100) / 10)} s`]),
    ];
  },
  SignalsHeard: ({ data: { signals } }) => signals.filter(isSignificant).flatMap(signalWords),
  EffectSettled: ({ data: { outcome } }) => {
    if (outcome.kind !== "done") return [cut(outcome.text)];
    return outcome.evidence === undefined ? detailWords(outcome.detail) : checkWords(outcome.evidence);
  },
  StepChecked: ({ data: { feedback } }) => (feedback === undefined ? [] : [cut(feedback)]),
  StepAdvised: ({ data: { note, by } }) => [`${cut(by)} says: ${cut(note)}`],
  AlarmSet: ({ data: { alarm } }) => [`${cut(alarm.by)} notes: ${cut(alarm.note)}`],
  AlarmRang: ({ data: { text } }) => [cut(text)],
  CheckpointNoted: ({ data: { note } }) => [cut(describeNote(note))],
  EscalationResolved: ({ data: { by, note } }) => [
    `by ${cut(by)}`,
    ...(note === undefined ? [] : [`note: ${cut(note)}`]),
  ],
  NoticeQueued: ({ data: { notice } }) => [cut(notice.text)],
  NoticeDropped: ({ data: { why } }) => [cut(why)],
  RunClaimed: ({ data: { owner, epoch, missing = [] } }) => [
    `${cut(owner)}, epoch ${String(epoch)}`,
    ...missing.map((text) => `not found: ${text}`),
  ],
  BodyStepEnded: ({ data: { ended } }) => endWords(ended),
  BodyChildEnded: ({ data: { ended } }) => endWords(ended),
};

export function evidenceOf(event: Recorded, journal: WhyJournal): readonly string[] {
  const describe = EVIDENCE[event.type] as
    ((event: Recorded, journal: WhyJournal) => readonly string[]) | undefined;
  return describe?.(event, journal) ?? [];
}

const detailWords = (detail: string | undefined): string[] => (detail === undefined ? [] : [cut(detail)]);

function askedWords(request: RunRequest): string[] {
  const words = Object.entries(request).filter(([name]) => name !== "kind");
  return words.map(
    ([name, value]: [string, unknown]) =>
      `${name}: ${cut(typeof value === "string" ? value : (JSON.stringify(value) ?? ""))}`,
  );
}

const failureWords = (failure: Failure): string[] => [
  `${failure.class}: ${RETRY_CLASSES[failure.class].meaning}`,
  `what was seen: ${cut(failure.text)}`,
];

function countWords(event: RecordedOf<"StepFailed">, journal: WhyJournal): string[] {
  const counts = journal.countsAt(event);
  const { attempts, checks } = journal.state.settings;
  if (counts === undefined) return [];
  const spec = journal.state.steps[event.data.step]?.spec;
  const { failure } = event.data;
  return [
    ...(failure.class === "check_failed"
      ? [`${String(counts.checkFails)} of ${String(checks.tries)} tries at its checks are used`]
      : [`${String(counts.charged)} of ${String(spec?.attemptsMax ?? attempts.perStep)} attempts are used`]),
    ...(counts.sameFailures > 1
      ? [`the same failure ${String(counts.sameFailures)} times in a row: ${cut(failure.fingerprint)}`]
      : []),
  ];
}

function budgetWords(event: Recorded, journal: WhyJournal): string[] {
  const counts = journal.countsAt(event);
  if (counts === undefined) return [];
  return SPENT_KINDS.flatMap((kind) => {
    const ceiling = ceilingOf(counts.budget, kind);
    return ceiling === undefined ? [] : [`spent: ${spentOfText(kind, counts.spent[kind], ceiling)}`];
  });
}

const SIGNIFICANT: ReadonlySet<Signal["kind"]> = new Set<Signal["kind"]>([
  "exit",
  "result",
  "error",
  "blocked",
  "rate_limit",
]);
const isSignificant = ({ kind }: Signal): boolean => SIGNIFICANT.has(kind);

function signalWords(signal: Signal): string[] {
  if (signal.kind !== "error") return [describeSignal(signal)];
  const { status, code } = signal;
  const known = [
    ...(status === undefined ? [] : [`status ${String(status)}`]),
    ...(code === undefined ? [] : [`code ${cut(code)}`]),
    `class ${classOfError(signal) ?? "unknown"}`,
  ];
  return [`error: ${cut(signal.text)} (${known.join(", ")})`];
}

/** What a check showed; its whole output is known by its digest. */
function checkWords(evidence: Evidence): string[] {
  const { command, exitCode, signal, timedOut, durationMs, outputBytes, digest, excerpt } = evidence;
  const how = timedOut
    ? "did not end in time"
    : exitCode === null
      ? `was ended by ${signal ?? "something unknown"}`
      : `ended with exit code ${String(exitCode)}`;
  const lines = excerpt.trim() === "" ? [] : excerpt.trimEnd().split("\n").slice(-EXCERPT_LINES_MAX);
  return [
    `\`${cut(command)}\` ${how} after ${String(Math.round(durationMs / 100) / 10)} s`,
    `it printed ${String(outputBytes)} bytes (sha256 ${digest.slice(0, 12)}…)`,
    ...lines.map((line) => `| ${cut(line)}`),
  ];
}

const endWords = (ended: RecordedOf<"BodyStepEnded">["data"]["ended"]): string[] =>
  ended.kind === "value" ? [] : [`${cut(ended.error.name)}: ${cut(ended.error.message)}`];
