import { isoTime } from "../model/iso-time.ts";
import type { WhyJournal } from "./why-journal.ts";

const ROWS_MAX = 500;

const seconds = (ms: number): string => `${String(Math.round(ms / 100) / 10)} s`;

/** Every attempt, oldest first: who worked it, how long, and how it ended. */
export function attemptRows(journal: WhyJournal): string[][] {
  const started = [...journal.before("AttemptStarted", journal.end)].reverse();
  const ended = new Map(
    [...journal.before("AttemptEnded", journal.end)].map((event) => [event.data.attempt, event]),
  );
  return started.slice(-ROWS_MAX).map(({ seq, at, data: { attempt, agent } }) => {
    const end = ended.get(attempt);
    return [
      String(seq),
      attempt,
      agent,
      isoTime(at),
      end === undefined ? "" : seconds(end.at - at),
      end?.data.outcome ?? "under way",
      end?.data.why ?? "",
    ];
  });
}

/** Every check that Holdfast ran, with its evidence, oldest first. */
export const checkRows = (journal: WhyJournal): string[][] =>
  [...journal.before("EffectSettled", journal.end)]
    .reverse()
    .flatMap(({ seq, data: { outcome } }) => {
      const evidence = outcome.kind === "done" ? outcome.evidence : undefined;
      if (evidence === undefined) return [];
      const { command, verdict, exitCode, signal, timedOut, durationMs, digest, excerpt } = evidence;
      const exit = timedOut ? "timed out" : String(exitCode ?? signal ?? "unknown");
      return [
        [String(seq), command, verdict, exit, seconds(durationMs), digest.slice(0, 12), excerpt.trim()],
      ];
    })
    .slice(-ROWS_MAX);
