import type { AnswerOf } from "../../../../../src/api/client/client.ts";
import { EVENT_KINDS } from "../../../../../src/views/text/event-kinds.ts";

export type JournalEvent = AnswerOf<"listEvents">["events"][number];

/** How something came about: what was seen, what was decided, what was done, and what came of it. */
export interface Explained {
  readonly evidence: readonly JournalEvent[];
  readonly decision: JournalEvent | null;
  readonly effects: readonly JournalEvent[];
  readonly result: JournalEvent | null;
}

const EFFECT = /^Effect/;
const EVIDENCE_MAX = 4;

const kindOf = ({ type }: JournalEvent): string =>
  (EVENT_KINDS as Readonly<Record<string, string>>)[type] ?? "observation";
const fieldOf = ({ data }: JournalEvent, name: string): unknown =>
  typeof data === "object" && data !== null ? (data as Readonly<Record<string, unknown>>)[name] : undefined;

/** Reads it from the events around one; a turn is one append, so that its events have one time. */
export function explain(events: readonly JournalEvent[], seq: number): Explained {
  const at = events.findIndex((event) => event.seq === seq);
  const chosen = events[at];
  if (chosen === undefined) return { evidence: [], decision: null, effects: [], result: null };
  if (kindOf(chosen) === "observation")
    return {
      evidence: [chosen],
      decision:
        events.slice(at + 1).find((one) => one.at === chosen.at && kindOf(one) === "decision") ?? null,
      effects: [],
      result: null,
    };
  const before = events.slice(0, at);
  const evidence = evidenceFor(chosen, before);
  const after = events.slice(at + 1);
  const effects = after.filter(
    (one) => one.at === chosen.at && (EFFECT.test(one.type) || kindOf(one) === "intent"),
  );
  return { evidence, decision: chosen, effects, result: resultOf(chosen, after, effects) };
}

/** What the same turn heard before it; of a remedy what was thought of the attempt's health. */
function evidenceFor(chosen: JournalEvent, before: readonly JournalEvent[]): readonly JournalEvent[] {
  const isCause = (one: JournalEvent): boolean => ["observation", "request"].includes(kindOf(one));
  const heard = before.filter((one) => one.at === chosen.at && isCause(one));
  const attempt = fieldOf(chosen, "attempt");
  const health = before.findLast(
    (one) => one.type === "HealthChanged" && fieldOf(one, "attempt") === attempt,
  );
  const last = heard.length > 0 ? heard : before.filter(isCause).slice(-1);
  const found = chosen.type.startsWith("Remedy") && health !== undefined ? [health, ...last] : last;
  return found.slice(-EVIDENCE_MAX);
}

const RESULTS: Readonly<Record<string, readonly string[]>> = {
  RemedyTaken: ["RemedyJudged"],
  AttemptStarted: ["AttemptEnded"],
  RunBlocked: ["RunUnblocked", "RunCancelled"],
  GateAsked: ["GateApproved", "GateRejected", "GateExpired"],
  EscalationRaised: ["EscalationResolved"],
  RequestHeard: ["RequestAnswered"],
  RunPaused: ["RunResumed"],
  StepRetryScheduled: ["AttemptStarted"],
};
const SAME = ["attempt", "step", "requestId", "key", "gate"] as const;

function resultOf(
  chosen: JournalEvent,
  after: readonly JournalEvent[],
  effects: readonly JournalEvent[],
): JournalEvent | null {
  const types = RESULTS[chosen.type];
  const isSame = (one: JournalEvent): boolean =>
    SAME.every((name) => {
      const [mine, other] = [fieldOf(chosen, name), fieldOf(one, name)];
      return mine === undefined || other === undefined || mine === other;
    });
  if (types !== undefined) return after.find((one) => types.includes(one.type) && isSame(one)) ?? null;
  const keys = new Set<unknown>(effects.map((one) => fieldOf(one, "key")).filter((key) => key !== undefined));
  return (
    after.find(
      (one) => /^Effect(Done|Failed|Settled|Ended)/.test(one.type) && keys.has(fieldOf(one, "key")),
    ) ?? null
  );
}
