import type { ClockState } from "../host/clock.ts";
import type { Alarm } from "../requests/alarm.ts";
import type { Assessed, HealthState } from "../agent/health.ts";
import type { AskedState, NoticeState, OpenEscalation } from "./asked-state.ts";
import type { Blocked, BlockedReason } from "../requests/blocked.ts";
import type { BaselineState, Basis } from "./baseline.ts";
import type { ProgramState } from "./program-state.ts";
import type { CheckingState, ProvedStep, RuleState } from "./checking-state.ts";
import type { CheckpointNote } from "../effects/checkpoint.ts";
import type { Effect } from "../effects/effects.ts";
import type { Ending } from "../events/events.ts";
import type { Evidence } from "../effects/evidence.ts";
import type { Failure } from "../agent/failure.ts";
import type { GateState } from "../flow/gate.ts";
import type { SharedResourceNews } from "../host/shared-resource.ts";
import type { LadderState, Remedy } from "../agent/ladder.ts";
import type { TriageReport } from "../effects/effect-outcome.ts";
import type { HostState } from "../host/host-fault.ts";
import type { AgentBudget, Spent } from "../requests/budget.ts";
import type { BudgetState } from "./budget-state.ts";
import type { AgentSpec, Flow, Step } from "../flow/flow.ts";
import type { PhaseClock } from "../phase-clock.ts";
import type { UndeliveredNotice } from "../settings/notice.ts";
import type { AskedPermission, Permitted } from "../flow/permission-rules.ts";
import type { RealityState } from "../requests/reality.ts";
import type { InLine, ReadyQueue } from "../flow/ready-queue.ts";
import type { RunStatus, StopKind } from "./run-status.ts";
import type { ClaimState } from "../host/supervision.ts";
import type { RunSettings } from "../settings/settings.ts";
import type { SandboxFacts } from "../settings/sandbox-settings.ts";
import type { CountedState } from "../agent/usage-count.ts";
import type { ErrorSignal, ExitSignal, ResultSignal } from "../agent/signals.ts";
import type { KeptState } from "./kept-state.ts";
import type { StepStatus } from "./step-status.ts";
import type { UnreceivedWords, Words } from "../text/words.ts";
import type { WorkspaceState } from "./workspace-state.ts";
import type { Suspended } from "./suspended.ts";

export interface StepState extends ProvedStep {
  /** As the flow says, but for an agent that it was handed over to. */
  spec: Step;
  status: StepStatus;
  /** How many of its needs have not yet come to an end that lets it begin, or be skipped. */
  needsLeft: number;
  queued: InLine | null;
  /** It has come to such an end itself: done, skipped, or failed where another step is there for that. */
  settled: boolean;
  /** Why it is not to be done; null where it is. */
  skippedFor: string | null;
  /** The step whose plan it is of; null where the flow has it. */
  plannedBy: string | null;
  /** How often its plan was dropped and made again, since a person last asked for that. */
  replans: number;
  /** What it is given about why its plan is to be made again. */
  replanFor: string | null;
  /** Attempts ever started: the next one's number is this plus one. */
  started: number;
  /** Attempts that count against the step's cap since it was last reset. */
  charged: number;
  /** Waiting out a backoff until then. */
  notBefore: number | null;
  /** That wait ends at a time that the provider named by the clock. */
  namedWait?: boolean;
  /** What the provider said when that wait is for a limit of its; null for any other wait. */
  limit: string | null;
  /** Waits for limits since the step last got on. */
  limitWaits: number;
  /** How far up the remedies for stuck agents have come; null where nothing is wrong. */
  ladder: LadderState | null;
  /** Uses of those remedies whose budget is the step's. */
  remedies: Partial<Record<Remedy, number>>;
  /** The helper that is to be given the part that fails, and the expert that was tried; null where none is. */
  helper: { readonly agent: string; readonly task: string } | null;
  expert: string | null;
  live: string | null;
  /** Answers of people to permissions that a suspended session had asked for. */
  permitted: Permitted[];
  /** Its session was suspended because people are asked; null while it has one, or none was. */
  suspended: Suspended | null;
  /** How often in a row its agent died with its machine or supervisor: without progress, and at all. */
  deaths: { quiet: number; all: number };
  lastFailure: Failure | null;
  /** How often in a row the last failure has come. */
  sameFailures: number;
  /** What Holdfast found of the work of an attempt; null while there is nothing to check. */
  checking: CheckingState | null;
  /** How things stood before its first attempt, and what its success rests on; null while it has none. */
  before: BaselineState;
  basis: Basis | null;
  checkFails: number;
  /** How often in a row the last check failure has come. */
  sameChecks: number;
  /** Digest of the files as its last attempt found them; null where that is not known. */
  beganWith: string | null;
  /** The conversation that the next attempt of the same agent goes on with. */
  conversation: { readonly agent: string; readonly id: string } | null;
  /** What that conversation continues with, instead of the task; null where the task is given again. */
  message: string | null;
  /** What the next attempt receives beside its task: what its checks found, and people's words. */
  feedback: string | null;
  notes: Words[];
  /** Alarms that rang and were not reported to anybody yet. */
  rung: string[];
  /** What an agent last noted of where the step stands. */
  checkpoint: (CheckpointNote & { readonly attempt: string; readonly at: number }) | null;
  result: unknown;
  /** Over all its attempts; time of those that have ended. */
  spent: Spent;
  /** Where in the journal it was done; null while it is not. */
  doneSeq: number | null;
}

/** States move only forward: booting → working → ended (and then the attempt leaves the state). */
export interface AttemptState {
  readonly id: string;
  readonly step: string;
  readonly number: number;
  readonly agent: string;
  readonly session: string;
  readonly startedAt: number;
  /** Since when its present owner has listened. */
  watchedSince: number;
  /** When a later owner took it over; null while the first one has it. */
  adoptedAt: number | null;
  phase: "booting" | "working";
  /** When the agent was last seen; null before its first signal. */
  lastSignalAt: number | null;
  isReady: boolean;
  /** Where reading its spool goes on. */
  cursor: string;
  started: boolean;
  startFailure: { text: string; terminal: boolean } | null;
  sandbox: SandboxFacts | null;
  /** Why Holdfast is ending the session, if it is, and its tries: part of the effect's key. */
  ending: Ending | null;
  endTries: number;
  endTriesMax: number;
  /** When the driver said that nothing of it is left. */
  endedAt: number | null;
  endFailure: string | null;
  claim: ResultSignal | null;
  /** The words it said last, for attempts that end without a claim. */
  lastSaid: string;
  exit: ExitSignal | null;
  /** Set when it exited: checkpoints asked for by then, and the digest of its files after it. */
  left: { readonly since: number; tree: string | null } | null;
  /** What the checks showed that were run before its end was believed, and how often they were run. */
  shown: Evidence["verdict"][];
  shows: number;
  lastError: ErrorSignal | null;
  /** The agent says that it cannot go on; not yet acted upon. */
  raised: { reason: BlockedReason; text: string } | null;
  conversation: string | null;
  /** What it waits to be allowed, by the id of the asking. */
  permissions: Record<string, AskedPermission>;
  /** Answers and words given so far, for the keys of the next. */
  answers: number;
  messages: number;
  /** Alarms that it was informed of with its task; given back if it never received them. */
  readonly rung: readonly string[];
  /** Time spent waiting for a person, which no limit counts (G10). */
  waitedMs: number;
  /** What is remembered of its behaviour, and what was last said about it. */
  health: HealthState;
  assessed: Assessed;
  /** It helps with a part of its step: its end is not the step's. */
  readonly helps: boolean;
  /** Whether its conversation is over once it is ended; and the message that it continues with, where there is one. */
  afresh: boolean;
  message: string | null;
  /** Limits of the provider that this session has waited out. */
  limitsPassed: number;
  /** What it set aside of the run's budget, and what it has used. */
  readonly reserved: Partial<Spent>;
  spent: Spent;
  counted: CountedState;
  /** The most that one request of it has used, and one answer has taken of time. */
  largest: Spent;
  /** When its last answer began; null before the first. */
  turnAt: number | null;
  /** In the middle of an answer: what it says or does next belongs to it. */
  inTurn: boolean;
  /** When it was last seen at work: a call, a result, words, tokens. */
  activeAt: number;
  /** It asked people itself, and was not seen to continue since. */
  asked: boolean;
  /** Set when a new owner looked for the session. */
  finding: "alive" | "gone" | "ended" | "unknown" | null;
}

/** What is known of every run, of either kind. */
interface RunFacts extends AskedState, KeptState, BudgetState, ClockState, HostState {
  readonly run: string;
  seq: number;
  at: number;
  createdAt: number;
  goal: string;
  /** Without its steps, which stand in `steps`, in their order: a snapshot need not hold them twice. */
  flow: Omit<Flow, "steps">;
  agents: Record<string, AgentSpec>;
  settings: RunSettings;
  budget: AgentBudget;
  /** Where agents work and checks are run. */
  cwd: string;
  workspace: WorkspaceState;
  status: RunStatus;
  /** Why the run is at rest, or on its way there. */
  stop: StopKind | null;
  stoppingTo: "paused" | "cancelled" | null;
  /** The owner's epoch when the run came to rest. */
  pausedInEpoch: number;
  /** When a provider last answered, since when the run rests as stale, and how often it went on from that by itself. */
  stale: { activityAt: number; pausedAt: number | null; resumes: number };
  blocked: Blocked | null;
  blockedAt: number;
  /** Escalations ever raised: the next one's number is this plus one. */
  escalated: number;
  escalations: Record<string, OpenEscalation>;
  /** Notices that have not arrived yet. */
  notices: Record<string, NoticeState>;
  /** Notices that never arrived, while what they were about is open. */
  undelivered: UndeliveredNotice[];
  failure: Failure | null;
  /** What a failed run failed of. */
  failedStep: string | null;
  result: unknown;
  epoch: number;
  claim: ClaimState;
  /** Where its owner works; null before the first, and for owners that did not say. */
  host: string | null;
  /**
   * What was received about what the run shares with others, the attempts that showed it to work since it was paused,
   * and the pause that it need not wait for.
   */
  sharedResources: Record<string, { news: SharedResourceNews; shownBy: string[]; waived?: number }>;
  /** Tellings so far, for the key of the next. */
  resourceReports: number;
  /** Incidents that people were notified of by this run. */
  incidentsReported: string[];
  /** Attempts that died with many others. */
  pardoned: string[];
  /** When agents of this run crashed, the last of them. */
  crashes: number[];
  crashTrippedAt: number;
  /** Nothing is started until then. */
  crashPause: number | null;
  steps: Record<string, StepState>;
  ready: ReadyQueue;
  /** Steps whose work is being checked. */
  checking: Record<string, true>;
  /** Who waits for a step. */
  dependents: Record<string, string[]>;
  /** What stands between phases, by key. */
  gates: Record<string, GateState>;
  /** What Holdfast says of it at its end. */
  reality: RealityState;
  stepsLeft: number;
  failedSteps: number;
  /** Steps that were skipped, or failed where another step is there for that. */
  passedOver: number;
  attempts: Record<string, AttemptState>;
  /** Intended and not yet settled. */
  effects: Record<string, Effect>;
  /** Words that did not reach the agent, to be kept for its step's next attempt. */
  untold: (Words & { readonly step: string })[];
  /** Words of people that no agent is known to have received. */
  unreceived: UnreceivedWords[];
  /** Pending, by id. */
  alarms: Record<string, Alarm>;
  /** Alarms ever set: the next one's number is this plus one. */
  alarmsSet: number;
  /** Questions about stuck agents so far, for the key of the next; and an answer of which nothing was decided yet. */
  triages: number;
  triaged: {
    readonly effect: Extract<Effect, { kind: "AskTriage" }>;
    readonly report: TriageReport;
  } | null;
  rules: RuleState;
  counted: Pick<CountedState, "pricedUsd" | "unpricedTokens">;
  /** Time the run has worked, and since when it does; null while it rests or waits. */
  clock: { usedMs: number; since: number | null };
  phaseClocks: Record<string, PhaseClock>;
}

/** A run whose agents a supervisor starts and watches. */
export interface SupervisedRun extends RunFacts {
  readonly kind: "supervised";
}

/** A run whose work is a function of a program that has the library in it. */
export interface ProgramRun extends RunFacts {
  readonly kind: "program";
  readonly program: ProgramState;
}

/**
 * The fold over a run's events. Owned by the one that folds; `evolve` changes it in place. Plain JSON, so a snapshot is
 * its text.
 */
export type RunState = SupervisedRun | ProgramRun;
