import { isoTime } from "../../model/text/iso-time.ts";
import { principalText } from "../../model/requests/proved.ts";
import type { RecordedOf, WhyJournal } from "../why/why-journal.ts";

const minutes = (ms: number): string => {
  const whole = Math.round(ms / 1_000);
  return whole < 120 ? `${String(whole)} s` : `${String(Math.round(whole / 60))} min`;
};

/** What people were asked, who settled it, and how long that took. */
export function escalationRows(journal: WhyJournal): string[][] {
  const settled = new Map(
    [...journal.before("EscalationResolved", journal.end)].map((event) => [event.data.id, event]),
  );
  return [...journal.before("EscalationRaised", journal.end)]
    .reverse()
    .map(({ at, data: { escalation } }) => {
      const end = settled.get(escalation.id);
      const person = end === undefined ? null : settledBy(end, journal);
      return [
        escalation.id,
        escalation.reason,
        isoTime(at),
        end === undefined ? "open" : `${isoTime(end.at)} (${end.data.how})`,
        end === undefined ? "" : minutes(end.at - at),
        person?.by ?? "",
        person?.note ?? "",
      ];
    });
}

/** The one that cleared what was in the way has settled what was asked about it. */
function settledBy(
  end: RecordedOf<"EscalationResolved">,
  journal: WhyJournal,
): { readonly by: string; readonly note?: string | undefined } {
  if (end.data.by !== "holdfast") return end.data;
  const cleared = journal.last("RunUnblocked", end);
  const asked = cleared === undefined ? undefined : journal.askedBy(cleared);
  const raised = journal.last("EscalationRaised", end, ({ data }) => data.escalation.id === end.data.id);
  if (asked?.type !== "RequestHeard" || asked.seq < (raised?.seq ?? Infinity)) return end.data;
  const { by, request } = asked.data;
  return { by, note: "note" in request && typeof request.note === "string" ? request.note : undefined };
}

/** What people asked of the run, in their words, and what they were answered. */
export function decisionRows(journal: WhyJournal): string[][] {
  const answers = new Map(
    [...journal.before("RequestAnswered", journal.end)].map((event) => [
      event.data.requestId,
      event.data.answer,
    ]),
  );
  return [...journal.before("RequestHeard", journal.end)]
    .reverse()
    .map(({ seq, at, data: { requestId, request, by, principal } }) => {
      const { kind, ...rest } = request;
      const words = Object.entries(rest).map(([name, value]) =>
        name === "note"
          ? String(value)
          : `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
      );
      const answer = answers.get(requestId);
      return [
        String(seq),
        isoTime(at),
        principal === undefined ? by : principalText(principal),
        kind,
        words.join("; "),
        answer === undefined ? "not answered yet" : `${answer.kind}: ${answer.text}`,
      ];
    });
}
