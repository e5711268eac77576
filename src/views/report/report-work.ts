import { isoTime } from "../../model/text/iso-time.ts";
import type { Recorded } from "../../model/events/events.ts";
import type { GateView } from "../status/status-gates.ts";
import { proofText } from "../text/proof-text.ts";
import { describeEvent } from "../text/describe-event.ts";
import { causesOf } from "../why/why-causes.ts";
import type { WhyJournal } from "../why/why-journal.ts";

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

/** Each gate: whether it is open, who has opened it, and how often it has sent work back. */
export const gateRows = (gates: readonly GateView[], journal: WhyJournal): string[][] =>
  gates.map(({ id, gate, state, digest, approvedBy, proof }) => {
    const ofIt = ({ data }: { data: { gate: string } }): boolean => data.gate === id;
    const back = [
      ...journal.before("GateRejected", journal.end, ofIt),
      ...journal.before("GateChecked", journal.end, ofIt),
    ];
    const by = approvedBy === null ? "" : `${approvedBy}${proofText(proof)}`;
    return [gate, state, by, digest?.slice(0, 12) ?? "", String(back.length)];
  });

/** What changed the course of a run; all else went as it should. */
function isTurn({ type, data }: Recorded): boolean {
  if (type === "RunClaimed") return data.from === "gone" || data.from === "silent";
  if (type === "HookJudged") return data.outcome !== "passed";
  if (type === "StepChecked") return data.verdict !== "pass";
  if (type === "AttemptEnded") return data.outcome !== "succeeded";
  if (type === "FilesTrusted") return data.by !== "holdfast";
  return TURNS.has(type);
}

const TURNS: ReadonlySet<Recorded["type"]> = new Set<Recorded["type"]>([
  "RunBlocked",
  "RunPaused",
  "RunCancelled",
  "RunFailed",
  "RunReopened",
  "RunMoved",
  "RunRestored",
  "RunSalvaged",
  "RunBudgetSet",
  "RunSettingsChanged",
  "BudgetPressed",
  "PolicyApplied",
  "GateApproved",
  "GateRejected",
  "GateChecked",
  "GateExpired",
  "PhaseTimedOut",
  "StepSkipped",
  "StepFailed",
  "StepsPlanned",
  "StepsReplanned",
  "StepsReissued",
  "StepsRebound",
  "HandedOver",
  "ProtectedFilesChanged",
  "RepositoryMoved",
  "FilesDistrusted",
  "RestoreWanted",
  "CrashGuardTripped",
  "AttemptPardoned",
  "RemedyTaken",
  "ExpertTried",
  "DriftFound",
  "CommitRefused",
  "WorkAccepted",
  "AcceptRefused",
  "JoinRefused",
  "ProposalApplyRefused",
  "ProposalApplied",
  "ProposalRejected",
  "RealityChecked",
]);

/** The turns of the story, oldest first: the timeline of a long run begins after most of them. */
export const turnRows = (journal: WhyJournal): string[][] =>
  journal.events
    .filter(isTurn)
    .slice(-ROWS_MAX)
    .map((event) => [
      String(event.seq),
      isoTime(event.at),
      whoDecided(event, journal),
      causesOf(event, journal)
        .map(({ seq }) => seq)
        .sort((a, b) => a - b)
        .join(", "),
      describeEvent(event),
    ]);

/** Whose decision it is: a person's, a rule's, or Holdfast's own. */
function whoDecided(event: Recorded, journal: WhyJournal): string {
  if ("by" in event.data && event.data.by !== undefined) return event.data.by;
  const asked = journal.askedBy(event);
  return asked?.type === "RequestHeard" ? asked.data.by : "holdfast";
}
