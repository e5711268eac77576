import type { Reader } from "../../open-reader.ts";
import type { Recorded } from "../../model/events/events.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { eventsAfter } from "../run/follow-run.ts";
import { printableLine } from "../../model/text/printable.ts";
import type { LeftSession } from "../../views/status/left-session.ts";

export type FoundSession = LeftSession & Omit<ReturnType<Reader["sessions"]["live"]>[number], "session">;

/**
 * Sessions on this host that live although their attempt has ended (A4): of one run, or of all runs of the store.
 * They are shown, and ended only by a person's word: what they do is not known.
 */
export async function leftSessions(system: Reader, only?: string): Promise<FoundSession[]> {
  const live = system.sessions.live();
  if (live.length === 0) return [];
  const { leftSession, wantedSessions } = await import("../../views/status/left-session.ts");
  const runs = only === undefined ? (await system.ports.journal.runs()).map(({ run }) => run) : [only];
  const found: FoundSession[] = [];
  for (const run of runs) {
    const of = live.filter(({ session }) => session.startsWith(`${run}.`));
    if (of.length === 0) continue;
    const state = await system.loadRun(run).catch(() => null);
    if (state === null) continue;
    const wanted = wantedSessions(state);
    const left = of.filter(({ session }) => !wanted.has(session));
    if (left.length === 0) continue;
    const events: Recorded[] = [];
    for await (const event of eventsAfter(system.ports.journal, run, 0)) events.push(event);
    for (const one of left) found.push({ ...one, ...leftSession(run, one.session, events) });
  }
  return found;
}

const TEXT_CHARS_MAX = 200;

export function leftSessionLines(found: FoundSession): string[] {
  const { attempt, session, ended, processes, since, lastOutput, conversation } = found;
  const name = attempt ?? session;
  const how =
    ended === null
      ? "is not wanted any more"
      : `ended as ${ended.outcome} at ${isoTime(ended.at)} (${ended.why})`;
  return [
    printableLine(`${name} ${how}, and its session still runs`, TEXT_CHARS_MAX),
    ...processes.map(({ pid, program }) => printableLine(`  pid ${String(pid)}: ${program}`, TEXT_CHARS_MAX)),
    ...(since === null ? [] : [`  since ${isoTime(since)}`]),
    lastOutput === null
      ? "  it has printed nothing"
      : printableLine(`  last output at ${isoTime(lastOutput.at)}: ${lastOutput.text}`, TEXT_CHARS_MAX),
    ...(conversation === null ? [] : [printableLine(`  conversation ${conversation}`, TEXT_CHARS_MAX)]),
  ];
}

/** One line for those who look at something else. */
export const leftSessionsText = (count: number): string =>
  count === 1
    ? "a session of an ended attempt still runs"
    : `${String(count)} sessions of ended attempts still run`;
