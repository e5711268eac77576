import type { EventType, Recorded } from "../../model/events/events.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { printableLine } from "../../model/text/printable.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { StopKind } from "../../model/state/run-status.ts";
import { stopOf } from "../../decide/dispatch/stop-kind.ts";
import { statusView } from "../status/status.ts";
import { supervisedRun, supervisionOf, type Looked } from "../status/supervision.ts";
import type { StatusSupervision } from "../status/status-supervision.ts";
import { describeEvent } from "../text/describe-event.ts";
import { EVENT_KINDS } from "../text/event-kinds.ts";
import { causesOf } from "./why-causes.ts";
import { evidenceOf } from "./why-evidence.ts";
import { WhyJournal } from "./why-journal.ts";
import { nowOf } from "./why-now.ts";

/** One link of the chain: an event, what was seen, and the events it follows from. */
export interface WhyLink {
  readonly seq: number;
  readonly at: string;
  readonly type: EventType;
  readonly text: string;
  readonly evidence: readonly string[];
  /** Sequence numbers of its causes, each smaller than its own. */
  readonly because: readonly number[];
}

export interface WhyView {
  readonly run: string;
  /** The event as of which the state is shown. */
  readonly at: number;
  readonly status: string;
  /** The state in one sentence. */
  readonly state: string;
  /** From the root causes to the state, oldest first. */
  readonly chain: readonly WhyLink[];
  /** Causes further back that were left out. */
  readonly leftOut: number;
  /** What happens now, and what is waited for. */
  readonly now: readonly string[];
  /** The command that helps; null where none is needed. */
  readonly next: string | null;
}

/** So many links are shown; those nearest to the state come first. */
const LINKS_MAX = 200;
const SENTENCE_CHARS_MAX = 500;

/** Events that bring a run into the state it is in. */
const STATE_EVENTS: readonly EventType[] = [
  "RunCreated",
  "BodyCreated",
  "RunStarted",
  "RunStopping",
  "RunPaused",
  "RunResumed",
  "RunBlocked",
  "RunUnblocked",
  "RunCompleted",
  "RunFailed",
  "RunCancelled",
  "RunReopened",
];

/** The causal chain of the state that the events lead to. Every link is an event; nothing is guessed. */
export function whyView(events: readonly Recorded[], store: string | null, looked?: Looked): WhyView {
  const journal = new WhyJournal(events);
  const { state } = journal;
  const { links, leftOut } = chainOf(journal);
  const supervision = looked === undefined ? null : supervisionOf(supervisedRun(state, looked.now), looked);
  return {
    run: state.run,
    at: state.seq,
    status: state.status,
    state: sentenceOf(state),
    chain: links.sort((a, b) => a.seq - b.seq),
    leftOut,
    now: [...nowOf(state), ...supervisionLines(supervision)],
    next: statusView(state, store).next ?? supervision?.command ?? null,
  };
}

const supervisionLines = (supervision: StatusSupervision | null): string[] => {
  if (supervision === null) return [];
  const { text, command } = supervision;
  return [command === null ? text : `${text}: ${command}`];
};

/** Breadth first, so that what is left out is what lies furthest back. */
function chainOf(journal: WhyJournal): { links: WhyLink[]; leftOut: number } {
  const queue = anchorsOf(journal);
  const seen = new Set(queue.map(({ seq }) => seq));
  const links: WhyLink[] = [];
  for (const event of queue) {
    const causes = causesOf(event, journal).filter(({ seq }) => seq < event.seq);
    for (const cause of causes) {
      if (seen.has(cause.seq)) continue;
      seen.add(cause.seq);
      queue.push(cause);
    }
    if (links.length < LINKS_MAX) links.push(linkOf(event, causes, journal));
  }
  return { links, leftOut: queue.length - links.length };
}

function linkOf(event: Recorded, causes: readonly Recorded[], journal: WhyJournal): WhyLink {
  // What was asked for, and a supervisor that comes, stand at the beginning.
  const isRoot = EVENT_KINDS[event.type] === "request" || event.type === "RunClaimed";
  const unknown = causes.length === 0 && !isRoot ? ["what led to it is not recorded"] : [];
  return {
    seq: event.seq,
    at: isoTime(event.at),
    type: event.type,
    text: describeEvent(event),
    evidence: [...evidenceOf(event, journal), ...unknown],
    because: causes.map(({ seq }) => seq).sort((a, b) => a - b),
  };
}

/** Where the chain begins: what brought the state about, what is under way, and who was notified. */
function anchorsOf(journal: WhyJournal): Recorded[] {
  const { state } = journal;
  const anchors: (Recorded | undefined)[] = [
    newest(STATE_EVENTS.map((type) => journal.last(type, journal.end))),
    ...Object.keys(state.attempts).flatMap((id) => [
      journal.last("AttemptStarted", journal.end, ({ data }) => data.attempt === id),
      journal.last("SignalsHeard", journal.end, ({ data }) => data.attempt === id),
    ]),
    ...(state.status === "running" ? waitingSteps(journal) : []),
    ...Object.keys(state.escalations).flatMap((id) => tellings(id, journal)),
  ];
  return [...new Set(anchors)].filter((anchor) => anchor !== undefined);
}

const newest = (events: readonly (Recorded | undefined)[]): Recorded | undefined =>
  events.filter((event) => event !== undefined).sort((a, b) => b.seq - a.seq)[0];

const waitingSteps = (journal: WhyJournal): (Recorded | undefined)[] =>
  Object.values(journal.state.steps)
    .filter(({ status, notBefore }) => status === "checking" || (status === "pending" && notBefore !== null))
    .map(({ spec: { name }, status }) =>
      status === "checking"
        ? journal.last("AttemptEnded", journal.end, ({ data }) => journal.stepOf(data.attempt) === name)
        : journal.last("StepRetryScheduled", journal.end, ({ data }) => data.step === name),
    );

/** Who was asked and notified about an open escalation, and whether it arrived. */
function tellings(id: string, journal: WhyJournal): Recorded[] {
  const notices = [
    ...journal.before("NoticeQueued", journal.end, ({ data }) => data.notice.escalation === id),
  ];
  const ends = notices.map(({ data: { notice } }) =>
    newest([
      journal.last("NoticeDropped", journal.end, ({ data }) => data.id === notice.id),
      journal.last("NoticeRetryScheduled", journal.end, ({ data }) => data.id === notice.id),
      journal.last("EffectSettled", journal.end, ({ data }) => data.key.startsWith(`${notice.id}/Notify`)),
    ]),
  );
  const raised = journal.last("EscalationRaised", journal.end, ({ data }) => data.escalation.id === id);
  return [raised, ...notices, ...ends].filter((event) => event !== undefined);
}

/** What was skipped, dropped or given up did not succeed, and yet nothing is left to do. */
function doneText({ steps }: RunState): string {
  const counts = new Map<string, number>();
  for (const { status } of Object.values(steps)) counts.set(status, (counts.get(status) ?? 0) + 1);
  const done = counts.get("succeeded") ?? 0;
  counts.delete("succeeded");
  if (counts.size === 0) return "every step succeeded";
  const others = [...counts].map(([status, count]) => `${String(count)} ${status}`);
  return `${String(done)} step${done === 1 ? "" : "s"} succeeded, ${others.join(", ")}`;
}

/** The kind of a stop, where it says more than the reason. */
const kindText = (stop: StopKind | null): string => (stop === null ? "" : ` (${stop})`);

function sentenceOf(state: RunState): string {
  const { run, status, blocked, stop, failure } = state;
  const words = ((): string => {
    switch (status) {
      case "queued":
        return "is queued: no supervisor has begun it yet";
      case "running":
        return "is running";
      case "pausing":
        return `is stopping (${stop ?? "unknown"}), to be ${state.stoppingTo ?? "paused"}`;
      case "paused":
        return `is paused (${stop ?? "unknown"})`;
      case "awaiting_approval":
      case "blocked":
        return `is ${status === "blocked" ? "blocked" : "awaiting approval"}${kindText(stopOf(state))} as ${blocked?.reason ?? "unknown"}: ${blocked?.detail ?? ""}`;
      case "completed":
        return state.kind === "supervised"
          ? `is completed: ${doneText(state)}`
          : "is completed: its workflow function returned";
      case "failed":
        return `is failed: ${failure?.text ?? "unknown"}`;
      case "cancelled":
        return `is cancelled (${stop ?? "unknown"})`;
    }
  })();
  return printableLine(`${run} ${words}`, SENTENCE_CHARS_MAX);
}
