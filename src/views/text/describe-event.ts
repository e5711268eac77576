import { spentOfText } from "../../decide/budget/amount-text.ts";
import { BASIS_WORDS } from "../../model/state/basis-words.ts";
import { jumpText } from "../status/jump-text.ts";
import { keyText } from "../../model/values/program-key.ts";
import type { CheckpointNote } from "../../model/effects/checkpoint.ts";
import type { EventData, EventType, Recorded } from "../../model/events/events.ts";
import type { Evidence } from "../../model/effects/evidence.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { REMEDY_ENDS, REMEDY_WORDS } from "./remedy-words.ts";
import { DESCRIBE_GATES } from "./describe-gate.ts";
import { DESCRIBE_CONTINUOUS } from "./describe-continuous.ts";
import { DESCRIBE_MISSION } from "./describe-mission.ts";
import { DESCRIBE_SHARED_RESOURCES } from "./describe-shared-resource.ts";
import { describeIntent } from "./excerpt.ts";
import { sealText } from "../status/status-seals.ts";
import { heldText, innerText, pathsText } from "../status/status-workspace.ts";
import { DESCRIBE_MOVES } from "./describe-move.ts";
import { DESCRIBE_SCRUBS } from "./describe-scrub.ts";
import { DESCRIBE_PROPOSALS } from "./describe-proposal.ts";
import { DESCRIBE_WORKTREES } from "./describe-worktree.ts";
import { cut, describeSignals } from "./describe-signal.ts";

type Describe = { readonly [Type in EventType]: (data: EventData<Type>) => string };

const CLAIMED: Readonly<Record<EventData<"RunClaimed">["from"], string>> = {
  nobody: "a supervisor took the run",
  released: "a supervisor took the run, which was free",
  gone: "a supervisor took the run over: the process that worked it is gone",
  silent: "a supervisor took the run over: the one that ran it gave no sign of life",
};

const RESOLVED: Readonly<Record<EventData<"EscalationResolved">["how"], string>> = {
  unblocked: "settled",
  went_on: "no longer open, the run goes on",
  stopped: "no longer open, the run stops",
};

const CHECKED: Readonly<Record<EventData<"StepChecked">["verdict"], string>> = {
  pass: "passed its checks",
  fail: "did not pass its checks",
  unknown: "could not be checked",
};

const RANG: Readonly<Record<EventData<"AlarmRang">["how"], (step: string) => string>> = {
  told: (step) => `the message is sent to the agent of step ${step}`,
  kept: (step) => `kept for the next attempt of step ${step}`,
  unheard: () => "and no session is left to receive it",
};

/** An agent's note in one line. */
export const describeNote = ({ done, next, questions }: CheckpointNote): string =>
  [
    ...(done === undefined ? [] : [`done: ${done}`]),
    ...(next === undefined ? [] : [`next: ${next}`]),
    ...(questions === undefined ? [] : [`open questions: ${questions}`]),
  ].join("; ");

/** Every event in plain words; exhaustive by type. */
const DESCRIBE: Describe = {
  RunCreated: ({ goal, flow, by }) =>
    `asked for: ${cut(goal)} (${String(flow.steps.length)} step${flow.steps.length === 1 ? "" : "s"}), by ${by}`,
  RunClaimed: ({ from, away }) =>
    away === undefined ? CLAIMED[from] : `${CLAIMED[from]}; its files are not on this host`,
  ...DESCRIBE_MOVES,
  ClockJumped: jumpText,
  RunStarted: () => "work begins",
  RequestHeard: ({ request, by }) => `${by} asks: ${request.kind}`,
  SupervisorDied: ({ how, text }) => `a supervisor ended in a turn of this run (${how}): ${cut(text)}`,
  RequestAnswered: ({ answer }) => `answer: ${cut(answer.text)}`,
  ...DESCRIBE_SCRUBS,
  RunStopping: ({ to, stop }) => `stopping (${stop}), to be ${to}`,
  RunPaused: ({ stop }) => `paused (${stop})`,
  RunResumed: ({ after }) => (after === "stale" ? "goes on by itself, after a rest as stale" : "goes on"),
  RunBlocked: ({ blocked }) => `blocked: ${blocked.reason} — ${cut(blocked.detail, 300)}`,
  EscalationRaised: ({ escalation }) =>
    `asks ${escalation.owner === "operator" ? "an operator" : "a person"} (${escalation.id}): ${cut(escalation.detail)}`,
  EscalationResolved: ({ id, how, by, note }) =>
    `${id}: ${RESOLVED[how]}${by === "holdfast" ? "" : ` by ${by}`}${note === undefined ? "" : `: ${cut(note)}`}`,
  NoticeQueued: ({ notice, channel }) => `notice for ${channel}: ${cut(notice.title)}`,
  NoticeRetryScheduled: ({ id, notBefore, why }) =>
    `${id}: not delivered (${cut(why)}); sent again, not before ${isoTime(notBefore)}`,
  NoticeDropped: ({ id, why }) => `${id}: could not be delivered: ${cut(why)}`,
  RunUnblocked: () => "unblocked",
  RunCompleted: () => "completed: nothing is left to do",
  RunFailed: ({ failure }) => `failed: ${cut(failure.text)}`,
  RunCancelled: () => "cancelled",
  RunSalvaged: ({ from, seq, what }) => `goes on from event ${String(seq)} of ${from}: ${cut(what, 300)}`,
  RunReopened: () => "open again",
  AttemptStarted: ({ step, number, agent }) => `step ${step}: attempt ${String(number)}, given to ${agent}`,
  SignalsHeard: ({ attempt, signals }) => `${attempt}: ${describeSignals(signals)}`,
  SessionObserved: ({ attempt, finding, detail }) =>
    `${attempt}: looked for its session: ${finding} (${cut(detail)})`,
  HealthChanged: ({ attempt, state, pattern, evidence, until }) =>
    `${attempt}: ${state}${pattern === null ? "" : ` (${pattern})`}${until === null ? "" : ` until ${isoTime(until)}`}${evidence.length === 0 ? "" : `: ${cut(evidence.join("; "), 300)}`}`,
  RemedyTaken: ({ step, remedy, tryNumber, pattern, cause }) =>
    `step ${step}: remedy against ${pattern}${cause === "provider" ? " (provider)" : ""}: ${REMEDY_WORDS[remedy]}${tryNumber === 1 ? "" : ` (${String(tryNumber)})`}`,
  ...DESCRIBE_SHARED_RESOURCES,
  ...DESCRIBE_CONTINUOUS,
  ...DESCRIBE_MISSION,
  ExpertTried: ({ step, from, to, why }) =>
    `step ${step}: remedy: the expert ${to} takes it over from ${from}, before people are asked: ${cut(why)}`,
  TriageJudged: ({ attempt, verdict, counts, why }) =>
    `${attempt}: an agent that was asked says ${verdict === "none" ? "nothing" : verdict}${counts ? "" : ", which changes nothing"}: ${cut(why)}`,
  RemedyJudged: ({ step, remedy, outcome, why }) =>
    `step ${step}: ${REMEDY_WORDS[remedy]}: ${REMEDY_ENDS[outcome]}: ${cut(why)}`,
  AttemptEnding: ({ attempt, why }) => `${attempt}: being ended: ${cut(why)}`,
  AttemptEnded: ({ attempt, outcome, charged, why }) =>
    `${attempt}: ${outcome}${charged || outcome === "succeeded" ? "" : ", not charged"}: ${cut(why)}`,
  StepSucceeded: ({ step }) => `step ${step}: done`,
  StepRetryScheduled: ({ step, notBefore, limit }) =>
    limit === undefined
      ? `step ${step}: will be tried again, not before ${isoTime(notBefore)}`
      : `step ${step}: waits for a limit of the provider until ${isoTime(notBefore)}: ${cut(limit)}`,
  StepFailed: ({ step, failure }) => `step ${step}: given up: ${cut(failure.text)}`,
  StepChecked: ({ step, verdict, feedback, basis }) =>
    `step ${step}: ${CHECKED[verdict]}${feedback === undefined ? "" : `: ${cut(feedback.replace("\nit printed:\n", ", it printed: "))}`}${basis === "nothing_to_do" || basis === "claim" ? `: ${BASIS_WORDS[basis]}` : ""}`,
  StepSkipped: ({ step, why }) => `step ${step}: skipped: ${cut(why, 300)}`,
  StepsPlanned: ({ step, steps }) =>
    `step ${step}: planned ${String(steps.length)} step${steps.length === 1 ? "" : "s"}: ${cut(steps.map(({ name }) => name).join(", "), 300)}`,
  StepsReplanned: ({ step, dropped, feedback, by }) =>
    `step ${step}: replans${by === "holdfast" ? "" : `, says ${by}`}: ${cut(feedback.split("\n")[0] ?? "")}; dropped: ${cut(dropped.join(", ") || "nothing", 300)}`,
  PermissionKept: ({ step, what, allow, by }) =>
    `step ${step}: ${by} ${allow ? "allows" : "denies"}: ${cut(what)} (kept for the continued session)`,
  StepAdvised: ({ step, note, by }) => `step ${step}: ${by} says: ${cut(note)}`,
  AlarmSet: ({ alarm }) =>
    `alarm ${alarm.id} set by ${alarm.by}, rings at ${isoTime(alarm.dueAt)}: ${cut(alarm.note)}`,
  AlarmRang: ({ id, how, step, text }) => `alarm ${id} rings, ${RANG[how](step ?? "")}: ${cut(text)}`,
  AlarmDropped: ({ id, by, why }) => `alarm ${id} dropped by ${by}: ${cut(why)}`,
  CheckpointNoted: ({ attempt, note }) => `${attempt} notes where it stands: ${cut(describeNote(note), 300)}`,
  PolicyApplied: ({ policy, then, step, evidence }) =>
    `step ${step}: policy ${policy} (${then}): ${cut(evidence.join("; "))}`,
  HookJudged: ({ hook, point, subject, outcome, why }) =>
    `hook ${hook}, ${point.replaceAll("_", " ")} ${subject}: ${outcome}${why === "" ? "" : `: ${cut(why)}`}`,
  BudgetPressed: ({ step, kind, level, spent, ceiling, onExceed }) =>
    `the budget of ${step === undefined ? "the run" : `step ${step}`} is ${level === "near" ? "nearly " : ""}spent: ${spentOfText(kind, spent, ceiling)}${level === "near" ? "" : onExceed === "warn" ? "; it only warns, so the work continues" : "; a turn under way may end, then the session is suspended"}`,
  RunSettingsChanged: ({ changes, by, note }) =>
    `${by} changes ${changes.map(({ key, from, to }) => `${key} from ${JSON.stringify(from ?? null)} to ${JSON.stringify(to)}`).join(", ")}${note === undefined ? "" : `: ${cut(note)}`}`,
  RunBudgetSet: ({ budget, by }) => `budget changed by ${by}: ${JSON.stringify(budget)}`,
  StepReset: ({ step }) => `step ${step}: may be tried again`,
  CheckpointTaken: ({ checkpoint, cause, snapshot, note }) =>
    `checkpoint ${checkpoint} (${cause.replaceAll("_", " ")}): ${String(snapshot.files)} files${note === undefined ? "" : `: ${cut(note)}`}`,
  CommitWanted: ({ by, step, accept }) =>
    `${by} wants the work${step === undefined ? "" : ` of ${step}`} ${accept === true ? "accepted" : "committed"}`,
  WorkCommitted: ({ commit, branch, files, count, tag, inner = [] }) =>
    `${count === 0 ? "nothing to commit" : `committed ${describeFiles(files, count)}`} on ${branch} (${commit.slice(0, 12)})${tag === undefined ? "" : `, tagged ${tag}`}${inner.length === 0 ? "" : `; not in it: ${innerText(inner)}`}`,
  EvidenceOutdated: ({ step, files, count }) =>
    `step ${step} is checked again: ${describeFiles(files, count)} changed after its checks had passed`,
  CommitRefused: ({ why }) => `not committed: ${cut(why, WHY_CHARS)}`,
  AcceptRefused: ({ why, files }) =>
    `not accepted: ${cut(why, WHY_CHARS)}${files.length === 0 ? "" : `: ${describeFiles(files, files.length)}`}`,
  ...DESCRIBE_PROPOSALS,
  ...DESCRIBE_WORKTREES,
  WorkspaceHeld: ({ tree }) => `no other run works in ${tree} until this one lets go`,
  WorkspaceAwaited: ({ tree, by }) => `waits for ${by}, which ${heldText(by, tree)}`,
  WorkspaceFreed: ({ tree }) => `lets go of ${tree}`,
  WorkspaceCommandEnded: ({ part, evidence }) =>
    `workspace ${part}: ${evidence.verdict} of ${cut(evidence.command)}`,
  HandedOver: ({ step, from, to, reason, by }) =>
    `step ${step}: handed over from ${from} to ${to} by ${by}: ${cut(reason)}`,
  BaseNoted: ({ branch, commit }) =>
    `work builds on ${branch ?? "no branch"} at ${commit?.slice(0, 12) ?? "nothing"}`,
  DriftFound: ({ from, head, attempts }) =>
    `the base has moved${attempts.length === 0 ? "" : ` (perhaps by ${attempts.join(", ")})`}: from ${from?.slice(0, 12) ?? "nothing"} to ${head.commit?.slice(0, 12) ?? "nothing"} on ${head.branch ?? "no branch"}, ${String(head.count)} files`,
  ProtectedFilesStirred: ({ tree }) => `something protected may have changed in ${tree}`,
  BindingDriftFound: ({ drifts }) =>
    drifts.length === 0 ? "steps would start as they did" : drifts.map(({ text }) => cut(text)).join("; "),
  OverlapFound: ({ peers }) =>
    peers.length === 0
      ? "nothing is in common with the work of other runs any more"
      : peers
          .map(
            ({ run, files, count }) =>
              `the run ${run} has changed the same files: ${cut(files.slice(0, 5).join(", "))}${count > 5 ? ` and ${String(count - 5)} more` : ""}`,
          )
          .join("; "),
  StepsRebound: ({ changed, by }) => `bound as the files say now, for ${by}: ${cut(changed.join(", "))}`,
  StepsReissued: ({ steps, reason, by }) =>
    `redone for ${by} (${reason}): ${steps.length === 0 ? "nothing" : steps.join(", ")}`,
  CheckpointsReleased: ({ checkpoints }) => `old checkpoints are released: ${cut(checkpoints.join(", "))}`,
  RestoreWanted: ({ checkpoint, by }) => `${by} wants the run put back to ${checkpoint}`,
  RestoreDropped: ({ checkpoint, why }) => `is not put back to ${checkpoint}: ${cut(why)}`,
  RunRestored: ({ checkpoint, written, removed, reopened, left, leftPaths }) =>
    `${left === 0 ? "" : "partly "}put back to ${checkpoint}: ${String(written)} files written, ${String(removed)} removed${describeLeft(left, leftPaths)}${reopened.length === 0 ? "" : `; open again: ${reopened.join(", ")}`}`,
  StepDoneByHand: ({ step, by }) => `step ${step}: done by hand, says ${by}; its checks decide`,
  ...DESCRIBE_GATES,
  ArtifactsRegistered: ({ step, artifacts }) =>
    `step ${step}: delivered ${artifacts.map(({ path, digest }) => `${cut(path, 80)} (sha256 ${digest.slice(0, 12)})`).join(", ")}`,
  FilesTrusted: ({ paths, by }) =>
    `${by === "holdfast" ? "protected files are noted" : `protected files are trusted by ${by}`}: ${String(paths)} paths`,
  FilesDistrusted: ({ by }) => `${by} wants protected files brought back`,
  RepositoryMoved: ({ agent, attempt, ...report }) => sealText({ agent, attempt, report }),
  ProtectedFilesChanged: ({ findings, count, undone, attempts, failure }) =>
    `protected files were changed${attempts.length === 0 ? "" : ` (${attempts.join(", ")})`}: ${describeFindings(findings, count)}; ${
      undone ? "brought back" : `not brought back${failure === undefined ? "" : `: ${cut(failure)}`}`
    }`,
  EffectIntended: describeIntent,
  EffectDelayed: ({ key, fault, text }) =>
    `${key} waits for the host (${fault}): ${cut(text)}; it is tried again, and nothing is charged`,
  EffectSettled: ({ key, outcome }) =>
    `${key}: ${outcome.kind}${"text" in outcome ? `: ${cut(outcome.text)}` : describeEvidence(outcome.evidence)}${describeBound(outcome)}${describeRemade(outcome)}${describeStashed(outcome)}`,
  BodyCreated: ({ body, by }) => `asked for: ${body ?? "a function of the program"}, by ${by}`,
  BodyStepIntended: ({ key }) => `${keyText(key)}: about to be done`,
  BodyStepEnded: ({ key, ended }) => `${keyText(key)}: ${describeEnd(ended)}`,
  BodyStepTried: ({ key, attempt, until, error }) =>
    `${keyText(key)}: try ${String(attempt)} failed (${cut(error.message)}), tried again at ${isoTime(until)}`,
  BodyStepCleared: ({ key, by }) => `${keyText(key)}: may be done again, says ${by}`,
  BodyDrew: ({ key, value }) => `${keyText(key)}: drew ${String(value)}`,
  BodySlept: ({ until }) => `sleeps until ${isoTime(until)}`,
  BodyWaited: ({ name, until }) => `waits for "${name}"${until === null ? "" : ` until ${isoTime(until)}`}`,
  BodySignalled: ({ name }) => `signal "${name}" came in`,
  BodyWaitEnded: ({ key, timedOut }) => `${keyText(key)}: ${timedOut ? "nothing came in time" : "received"}`,
  BodySpawned: ({ key, attempt }) =>
    `${keyText(key)}: child begun${attempt === 1 ? "" : `, attempt ${String(attempt)}`}`,
  BodyChildEnded: ({ key, ended }) => `${keyText(key)}: child ${describeEnd(ended)}`,
  BodyLooped: ({ key, i, done }) => `${keyText(key)}: iteration ${String(i)}${done ? ", the last" : ""}`,
  BodyLogged: ({ text }) => `says: ${cut(text)}`,
  BodySpent: ({ tokens, usd }) => `spent ${String(tokens)} tokens, ${String(usd)} USD`,
  BodyBudgetSet: ({ by }) => `budget changed by ${by}`,
  LimitReached: ({ what, bound, detail }) =>
    `a limit was reached: ${what} (${String(bound)}): ${cut(detail, 200)}`,
};

const describeFiles = (files: readonly string[], count: number): string => {
  const first = files.slice(0, 3).map((file) => cut(file, 80));
  return `${first.join(", ")}${count > first.length ? ` and ${String(count - first.length)} more` : ""}`;
};

const describeFindings = (
  findings: EventData<"ProtectedFilesChanged">["findings"],
  count: number,
): string => {
  const first = findings.slice(0, 3).map(({ path, act }) => `${cut(path, 80)} ${act}`);
  return `${first.join(", ")}${count > first.length ? ` and ${String(count - first.length)} more` : ""}`;
};

/** What moved while evidence was taken, and what was ended first. */
const describeBound = (outcome: EventData<"EffectSettled">["outcome"]): string => {
  if (outcome.kind !== "done") return "";
  const { moved, leftovers = [], sandbox } = outcome;
  const pids = leftovers.flatMap((left) => left.pids);
  const ended = pids.length === 0 ? "" : `; ended what the attempt left running (pid ${pids.join(", ")})`;
  return `${moved === undefined ? "" : `; does not count: ${describeFiles(moved.files, moved.count)} changed meanwhile`}${ended}${sandbox === undefined ? "" : `: ${cut(sandbox.text, 300)}`}`;
};

/** Refusals name commands that help. */
const WHY_CHARS = 900;

/** What is not as it was then, and why. */
const describeLeft = (left: number, paths: readonly string[] = []): string =>
  left === 0 ? "" : `; not put back: ${pathsText(paths, left)}`;

const describeRemade = (outcome: EventData<"EffectSettled">["outcome"]): string =>
  (outcome.kind === "in_doubt" ? [] : (outcome.remade ?? []))
    .map(({ tree, folder }) =>
      folder
        ? `; the worktree ${tree} was gone, and was made again from its branch and its last checkpoint`
        : `; the branch of ${tree} was gone, and was made again from its last commit`,
    )
    .join("");

const describeStashed = (outcome: EventData<"EffectSettled">["outcome"]): string =>
  outcome.kind !== "done" || outcome.stashed === undefined
    ? ""
    : `; what was stashed in the worktree is not in your stash any more, and is kept: ${outcome.stashed.map((ref) => `git stash apply ${ref}`).join(", ")}`;

const describeEvidence = (evidence: Evidence | undefined): string =>
  evidence === undefined ? "" : `: ${evidence.verdict} of ${cut(evidence.command)}`;

const describeEnd = (ended: EventData<"BodyStepEnded">["ended"]): string =>
  ended.kind === "value" ? "done" : `failed: ${cut(ended.error.message)}`;

export const describeEvent = (event: Recorded): string => {
  const describe = DESCRIBE[event.type] as (data: unknown) => string;
  return describe(event.data);
};
