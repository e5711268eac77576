import type { EventData, EventType, Recorded } from "../model/events/events.ts";
import { isoTime } from "../model/text/iso-time.ts";
import type { RunState } from "../model/state/run-state.ts";
import { describeEvent } from "./text/describe-event.ts";

/** Something that lasts, as it lies in a window of the journal. */
export interface TimelineInterval {
  readonly kind: "attempt" | "wait" | "blocked" | "paused";
  /** What belongs side by side: the step of an attempt or of a wait; the run. */
  readonly lane: string;
  readonly id: string;
  /** Null: it began before the window. */
  readonly from: string | null;
  readonly fromSeq: number | null;
  /** Null: it ends behind the window, or has not ended. */
  readonly to: string | null;
  readonly toSeq: number | null;
  readonly agent: string | null;
  /** How it ended, or why it lasts. */
  readonly outcome: string | null;
  readonly text: string;
}

/** Something that happened at one moment. */
export interface TimelineMark {
  readonly kind:
    | "remedy"
    | "remedy_result"
    | "checkpoint"
    | "health"
    | "question"
    | "answer"
    | "owner"
    | "request"
    | "end"
    | "clock";
  readonly at: string;
  readonly seq: number;
  readonly lane: string;
  readonly outcome: string | null;
  readonly text: string;
}

export interface TimelineView {
  readonly intervals: readonly TimelineInterval[];
  readonly marks: readonly TimelineMark[];
}

const RUN_LANE = "run";

type Open = { -readonly [Key in keyof TimelineInterval]: TimelineInterval[Key] };

/**
 * What a window of the journal shows on a timeline; it costs what the window holds. `state` is given where the window
 * reaches to the run's last event: it reports since when that what still lasts has lasted.
 */
export function timelineOf(events: readonly Recorded[], state: RunState | null): TimelineView {
  const window = new Window();
  for (const event of events) window.take(event);
  if (state !== null) window.complete(state);
  return { intervals: window.intervals, marks: window.marks };
}

type Known = Pick<Open, "kind" | "lane" | "id" | "agent" | "outcome">;

interface Moment {
  readonly window: Window;
  readonly event: Recorded;
}

interface Mark {
  readonly kind: TimelineMark["kind"];
  readonly lane?: string;
  readonly outcome?: string;
}

type Lasting = { readonly [Type in EventType]?: (data: EventData<Type>, at: Moment) => void };
type Marks = { readonly [Type in EventType]?: (data: EventData<Type>) => Mark };

const OF_RUN = { lane: RUN_LANE, id: RUN_LANE, agent: null } as const;
const stepOf = (attempt: string): string => attempt.slice(0, attempt.lastIndexOf("#"));
const wait = (step: string, outcome: string | null): Known => ({
  kind: "wait",
  lane: step,
  id: step,
  agent: null,
  outcome,
});

/** What begins or ends something that lasts. */
const LASTING: Lasting = {
  AttemptStarted({ attempt, step, agent }, { window, event }) {
    if (window.isOpen(`wait ${step}`)) window.end(`wait ${step}`, event, wait(step, null));
    window.begin(attempt, event, { kind: "attempt", lane: step, id: attempt, agent, outcome: null });
  },
  AttemptEnded({ attempt, outcome }, { window, event }) {
    const of = { kind: "attempt", lane: stepOf(attempt), id: attempt, agent: null, outcome } as const;
    window.end(attempt, event, of);
  },
  StepRetryScheduled: ({ step, limit }, { window, event }) =>
    window.begin(`wait ${step}`, event, wait(step, limit ?? "backoff")),
  RunBlocked: ({ blocked }, { window, event }) =>
    window.begin("blocked", event, { ...OF_RUN, kind: "blocked", outcome: blocked.reason }),
  RunUnblocked: (_, { window, event }) =>
    window.end("blocked", event, { ...OF_RUN, kind: "blocked", outcome: null }),
  RunPaused: ({ stop }, { window, event }) =>
    window.begin("paused", event, { ...OF_RUN, kind: "paused", outcome: stop }),
  RunResumed: (_, { window, event }) =>
    window.end("paused", event, { ...OF_RUN, kind: "paused", outcome: null }),
};

/** What happens at one moment. */
const MARKS: Marks = {
  RemedyTaken: ({ step, remedy }) => ({ kind: "remedy", lane: step, outcome: remedy }),
  RemedyJudged: ({ step, outcome }) => ({ kind: "remedy_result", lane: step, outcome }),
  CheckpointTaken: () => ({ kind: "checkpoint" }),
  RunRestored: () => ({ kind: "checkpoint" }),
  HealthChanged: ({ attempt, state }) => ({ kind: "health", lane: stepOf(attempt), outcome: state }),
  EscalationRaised: () => ({ kind: "question" }),
  GateAsked: () => ({ kind: "question" }),
  EscalationResolved: () => ({ kind: "answer" }),
  GateApproved: () => ({ kind: "answer" }),
  GateRejected: () => ({ kind: "answer" }),
  RunClaimed: ({ from }) => ({ kind: "owner", outcome: from }),
  RequestHeard: ({ request }) => ({ kind: "request", outcome: request.kind }),
  RunCompleted: () => ({ kind: "end" }),
  RunFailed: () => ({ kind: "end" }),
  RunCancelled: () => ({ kind: "end" }),
  ClockJumped: () => ({ kind: "clock" }),
};

class Window {
  readonly intervals: Open[] = [];
  readonly marks: TimelineMark[] = [];
  readonly #open = new Map<string, Open>();
  begin(key: string, event: Recorded, of: Known): void {
    const open = {
      ...of,
      from: isoTime(event.at),
      fromSeq: event.seq,
      to: null,
      toSeq: null,
      text: describeEvent(event),
    };
    this.#open.set(key, open);
    this.intervals.push(open);
  }

  /** What began before the window is there as well, without its beginning. */
  end(key: string, event: Recorded, { outcome, ...of }: Known): void {
    const known = this.#open.get(key);
    const unknown = { from: null, fromSeq: null, to: null, toSeq: null, text: describeEvent(event) };
    const open = known ?? { ...of, ...unknown, outcome: null };
    if (known === undefined) this.intervals.push(open);
    Object.assign(open, {
      to: isoTime(event.at),
      toSeq: event.seq,
      ...(outcome === null ? {} : { outcome }),
    });
    this.#open.delete(key);
  }

  isOpen(key: string): boolean {
    return this.#open.has(key);
  }

  take(event: Recorded): void {
    const lasting = LASTING[event.type] as ((data: unknown, at: Moment) => void) | undefined;
    lasting?.(event.data, { window: this, event });
    const mark = MARKS[event.type] as ((data: unknown) => Mark) | undefined;
    if (mark === undefined) return;
    const { kind, lane = RUN_LANE, outcome = null } = mark(event.data);
    this.marks.push({
      kind,
      at: isoTime(event.at),
      seq: event.seq,
      lane,
      outcome,
      text: describeEvent(event),
    });
  }

  /** What lasts now and began before the window. */
  complete({ attempts, blocked, blockedAt }: RunState): void {
    for (const { id, step, agent, startedAt } of Object.values(attempts))
      if (!this.#open.has(id))
        this.#lasts({ kind: "attempt", lane: step, id, agent, outcome: null, from: isoTime(startedAt) });
    if (blocked !== null && !this.#open.has("blocked"))
      this.#lasts({
        kind: "blocked",
        lane: RUN_LANE,
        id: RUN_LANE,
        agent: null,
        outcome: blocked.reason,
        from: isoTime(blockedAt),
      });
  }

  #lasts(of: Pick<Open, "kind" | "lane" | "id" | "agent" | "outcome" | "from">): void {
    this.intervals.push({ ...of, fromSeq: null, to: null, toSeq: null, text: of.outcome ?? "at work" });
  }
}
