import { firstOutputBy, limitAt } from "../../decide/attempt/live-attempt.ts";
import { keyText, keyOf } from "../../model/values/program-key.ts";
import type { ProgramScope } from "../../model/state/program-state.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { alarmText, pendingAlarms } from "../runs/task.ts";
import { checkpointNotes, checkpointText } from "../runs/checkpoint-notes.ts";
import { heldEvidence } from "../status/status-shared-resources.ts";
import { assessedText } from "../status/status-health.ts";
import { undeliveredNotices, undeliveredText } from "../runs/undelivered.ts";
import { unreceivedText, unreceivedWords } from "../runs/unreceived-words.ts";

/** What a run does at this moment, and what it waits for and until when. */
export function nowOf(state: RunState): string[] {
  return [
    ...attemptsNow(state),
    ...checksNow(state),
    ...(state.reality.verdict === null
      ? []
      : [`reality check: ${state.reality.verdict}: ${state.reality.why}`]),
    ...(state.status === "running" ? waitsNow(state) : []),
    ...heldEvidence(state, state.at),
    ...(state.kind === "supervised" ? [] : programNow(state.program.root)),
    ...Object.values(state.escalations).map(
      ({ id, owner, raisedAt }) =>
        `${owner === "operator" ? "an operator" : "a person"} is asked since ${isoTime(raisedAt)} (${id})`,
    ),
    ...checkpointNotes(state).map(checkpointText),
    ...pendingAlarms(state).map(alarmText),
    ...undeliveredNotices(state).map(undeliveredText),
    ...unreceivedWords(state).map(unreceivedText),
    ...state.requests.map(({ request, by }) => `${by} has asked: ${request.kind}; not answered yet`),
  ];
}

const attemptsNow = (state: RunState): string[] =>
  Object.values(state.attempts).map((attempt) => {
    const received =
      attempt.lastSignalAt === null ? "no signal yet" : `last signal ${isoTime(attempt.lastSignalAt)}`;
    const until =
      attempt.ending !== null
        ? `it is being ended (${attempt.ending})`
        : attempt.started && attempt.lastSignalAt === null
          ? `its first word is waited for until ${isoTime(firstOutputBy(state, attempt))}`
          : `it may take until ${isoTime(limitAt(state, attempt))}`;
    const work = `step ${attempt.step}: attempt ${String(attempt.number)} runs with ${attempt.agent} since ${isoTime(attempt.startedAt)}, ${received}; ${until}`;
    const { state: health, since } = attempt.assessed;
    if (health === "healthy") return work;
    return `${work}; it is ${[assessedText(attempt.assessed), ...attempt.assessed.evidence].join(": ")} (since ${isoTime(since)})`;
  });

const checksNow = (state: RunState): string[] =>
  Object.values(state.effects).flatMap((effect) =>
    effect.kind === "RunCheck" ? [`step ${effect.step}: the check \`${effect.command}\` is run`] : [],
  );

function waitsNow(state: RunState): string[] {
  return Object.values(state.steps).flatMap(({ spec, status, needsLeft, notBefore, limit }) => {
    if (status !== "pending") return [];
    if (needsLeft > 0) {
      const open = spec.needs.filter((need) => state.steps[need]?.settled !== true);
      return [`step ${spec.name} waits for ${open.join(", ")}`];
    }
    return [
      notBefore === null
        ? `step ${spec.name} is to be started`
        : limit === null
          ? `step ${spec.name} is tried again, not before ${isoTime(notBefore)}`
          : `step ${spec.name} waits for a limit of the provider until ${isoTime(notBefore)}: ${limit}`,
    ];
  });
}

/** What of a workflow function is open: waits, and steps whose end is not known. */
function programNow(scope: ProgramScope, path: readonly string[] = []): string[] {
  const own = Object.entries(scope.records).flatMap(([name, record]): string[] => {
    const where = keyText(keyOf(path, name));
    if (record.kind === "waiting")
      return [`waits for "${record.name}"${record.until === null ? "" : ` until ${isoTime(record.until)}`}`];
    if (record.kind === "tried")
      return [
        `${where}: failed ${String(record.attempt)} times, tried again at ${isoTime(record.until)}: ${record.error}`,
      ];
    return record.kind === "intended" ? [`${where}: begun, and its end is not known`] : [];
  });
  const inside = Object.entries(scope.scopes).flatMap(([name, inner]) => programNow(inner, [...path, name]));
  return [...own, ...inside];
}
