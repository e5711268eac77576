import { budgetView } from "../../decide/budget/program-budget.ts";
import { GUIDANCE, recoveryArguments, recoveryOf } from "../../decide/recovery/recovery.ts";
import { stopOf } from "../../decide/dispatch/stop-kind.ts";
import type { Blocked } from "../../model/requests/blocked.ts";
import type { Fault } from "../../model/fault.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { commandText } from "../../model/text/command-text.ts";
import { pendingAlarms, type AlarmView } from "../runs/task.ts";
import { checkpointNotes, type CheckpointNoteView } from "../runs/checkpoint-notes.ts";
import { programTree, type TreeNode } from "../runs/program-tree.ts";
import { sharedResourcesSeen, type SharedResourceView } from "./status-shared-resources.ts";
import { clockView } from "./jump-text.ts";
import { hostFaultsOf, type HostFaultView } from "./status-host.ts";
import { gateViews, realityView, type GateView, type RealityView } from "./status-gates.ts";
import {
  statusBindings,
  statusConflict,
  statusDrift,
  statusOverlaps,
  type StatusBinding,
  type StatusConflict,
  type StatusDrift,
  type StatusOverlap,
} from "./status-drift.ts";
import { budgetAmounts, budgetText, limitViews, type LimitView } from "./status-limits.ts";
import { withdrawnFiles, type WithdrawnView } from "../runs/withdrawn-files.ts";
import { statusSeals, type StatusSeals } from "./status-seals.ts";
import { statusHealth, type StatusHealth } from "./status-health.ts";
import { statusSandboxes, type StatusSandbox } from "./status-sandboxes.ts";
import { stepView, type StatusStep } from "./status-step.ts";
import { waitsForAccept, workspaceView, type WorkspaceView } from "./status-workspace.ts";
import type { StatusOwner, StatusSupervision } from "./status-supervision.ts";
import { undeliveredNotices, type StatusNotice } from "../runs/undelivered.ts";
import { unreceivedWords, type StatusWords } from "../runs/unreceived-words.ts";
import { listedOf, type DamagedRun } from "./damaged-run.ts";
import { choicesView, type StatusChoice } from "./status-choices.ts";

export interface StatusView {
  readonly run: string;
  readonly goal: string;
  readonly status: string;
  readonly stop: string | null;
  readonly health: StatusHealth;
  /** Who supervises it; null for nobody, absent where nobody looked. */
  readonly owner?: StatusOwner | null;
  /** The same in words, with what changes it; null where nothing is left to supervise. */
  readonly supervision?: StatusSupervision | null;
  /** Whether its owner keeps the machine awake, where that can be known here. */
  readonly awake?: { readonly by: string | null; readonly text: string } | null;
  /** What people are asked and have not settled. */
  readonly escalations: readonly StatusEscalation[];
  /** What people were to be notified and have not been: still tried, or given up. */
  readonly undelivered: readonly StatusNotice[];
  /** What people said to agents and no agent has received. */
  readonly messages: readonly StatusWords[];
  /** Accounts and hosts that the run shares with others and that are in trouble. */
  readonly shared: readonly SharedResourceView[];
  /** The last time that the clock was set or the machine was suspended; absent where it never was. */
  readonly clock?: {
    readonly at: string;
    readonly byMs: number;
    readonly cause: string;
    readonly text: string;
  };
  /** What is still to ring. */
  readonly alarms: readonly AlarmView[];
  /** What agents noted last of where their steps stand. */
  readonly notes: readonly CheckpointNoteView[];
  /** What has moved under its work and was not settled; null where nothing has. */
  readonly drift: StatusDrift | null;
  /** Steps that were given out and would be given out otherwise now. */
  readonly bindings: readonly StatusBinding[];
  /** What of its work others have changed too; null where nothing was in the way. */
  readonly conflict: StatusConflict | null;
  /** Other runs at work in the same repository that have changed the same. */
  readonly overlaps: readonly StatusOverlap[];
  /** What agents that may not write were found to have changed in the real repository. */
  readonly seals: StatusSeals;
  /** Protected files of the user's own tree that were undone beside agents at work; their bytes are kept. */
  readonly withdrawn: readonly WithdrawnView[];
  /** What steps have delivered and had accepted. */
  readonly artifacts: readonly StatusArtifact[];
  /** Where the run works. */
  readonly workspace: WorkspaceView | null;
  /** What stands between its phases. */
  readonly gates: readonly GateView[];
  /** What Holdfast says of it at its end; null before. */
  readonly reality: RealityView | null;
  /** What the host has run out of that something of the run waits for. */
  readonly hostFaults: readonly HostFaultView[];
  /** Bounds that were reached, and what was left out because of it; absent where none was. */
  readonly reached?: readonly { readonly what: string; readonly bound: number; readonly detail: string }[];
  readonly step: string | null;
  readonly attempt: number | null;
  /** Whether the attempts at work are in a sandbox. */
  readonly sandboxes: readonly StatusSandbox[];
  readonly blocked: StatusBlocked | null;
  readonly next: string | null;
  readonly position: number;
  readonly budget: Readonly<Record<string, unknown>>;
  /** The same in words, of what is limited; null where nothing is. */
  readonly budgetText: string | null;
  /** Time limits that count now. */
  readonly limits: readonly LimitView[];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly result: unknown;
  readonly failure: string | null;
  readonly steps: readonly StatusStep[];
  /** The scopes of a workflow function; null for a run of agents. */
  readonly tree: TreeNode | null;
}

export interface StatusArtifact {
  readonly step: string;
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface StatusEscalation {
  readonly id: string;
  readonly reason: string;
  readonly owner: string;
  readonly detail: string;
  readonly since: string;
}

export interface StatusBlocked {
  readonly reason: string;
  readonly detail: string;
  readonly owner: string;
  /** The safe one of the choices. */
  readonly command: string;
  /** Every way out that a person may choose, the safe one first. */
  readonly choices: readonly StatusChoice[];
  /** The gate it waits at, and the digest of what is to be approved. */
  readonly gate: string | null;
  readonly digest: string | null;
  readonly attemptKept: boolean;
  /** What became of the sessions at work: one is alive, suspended with its conversation kept, or none was. */
  readonly session: "alive" | "suspended" | "none";
  readonly guidance: readonly string[];
  /** What to do, and deeper causes, in sentences. */
  readonly advice: readonly string[];
}

/** What `status` shows. `store` is named in commands when it is not the default. */
export function statusView(state: RunState, store: string | null, now = state.at): StatusView {
  const live = Object.values(state.attempts)[0] ?? null;
  return {
    run: state.run,
    goal: state.goal,
    status: state.status,
    stop: stopOf(state),
    health: statusHealth(state, now),
    escalations: Object.values(state.escalations).map((open) => ({
      id: open.id,
      reason: open.reason,
      owner: open.owner,
      detail: open.detail,
      since: isoTime(open.raisedAt),
    })),
    undelivered: undeliveredNotices(state),
    messages: unreceivedWords(state),
    shared: sharedResourcesSeen(state, now, store),
    hostFaults: hostFaultsOf(state, store),
    ...clockView(state),
    ...(state.reached === undefined ? {} : { reached: state.reached }),
    alarms: pendingAlarms(state),
    notes: checkpointNotes(state),
    drift: statusDrift(state, store),
    bindings: statusBindings(state, store),
    conflict: statusConflict(state, store),
    overlaps: statusOverlaps(state, store),
    seals: statusSeals(state, store),
    withdrawn: withdrawnFiles(state, store),
    artifacts: Object.entries(state.artifacts).flatMap(([step, artifacts]) =>
      artifacts.map(({ path, digest, bytes }) => ({ step, path, sha256: digest, bytes })),
    ),
    workspace: workspaceView(state),
    gates: gateViews(state),
    reality: realityView(state),
    step: live?.step ?? nextStep(state),
    attempt: live?.number ?? null,
    sandboxes: statusSandboxes(state),
    blocked: state.blocked === null ? null : blockedView(state, state.blocked, store),
    next: nextCommand(state, store),
    position: state.seq,
    budget: {
      ...state.budget,
      spent: state.spent,
      ...budgetAmounts(state, now),
      ...(state.kind === "supervised" ? {} : budgetView(state.program.budgets, [])),
    },
    budgetText: budgetText(state, now),
    limits: limitViews(state, now),
    createdAt: isoTime(state.createdAt),
    updatedAt: isoTime(state.at),
    result: state.result,
    failure: state.failure?.text ?? null,
    steps: Object.values(state.steps).map((step) => stepView(state, step)),
    tree: programTree(state, now),
  };
}

/** A finished step is never the current one (G2): what is not done yet and could be next, or none. */
function nextStep(state: RunState): string | null {
  if (state.blocked?.step !== undefined) return state.blocked.step;
  const waiting = Object.values(state.steps).find(
    (step) => step.status === "checking" || (step.status === "pending" && step.needsLeft === 0),
  );
  return waiting?.spec.name ?? null;
}

const blockedView = (state: RunState, blocked: Blocked, store: string | null): StatusBlocked => ({
  ...describe(blocked, choicesView(state, blocked, store)),
  session: sessionOf(state),
});

function sessionOf({ attempts, steps, blockedAt }: RunState): StatusBlocked["session"] {
  if (Object.keys(attempts).length > 0) return "alive";
  const isSuspended = ({ suspended }: StepState): boolean => suspended !== null && suspended.at >= blockedAt;
  return Object.values(steps).some(isSuspended) ? "suspended" : "none";
}

const describe = (blocked: Blocked, choices: readonly StatusChoice[]): Omit<StatusBlocked, "session"> => ({
  reason: blocked.reason,
  detail: blocked.detail,
  owner: blocked.owner ?? recoveryOf(blocked.reason).owner,
  command: choices[0]?.command ?? "",
  choices,
  gate: blocked.gate ?? null,
  digest: blocked.digest ?? null,
  attemptKept: blocked.attemptKept,
  guidance: blocked.guidance,
  advice: [recoveryOf(blocked.reason).advice, ...blocked.guidance.map((code) => GUIDANCE[code])],
});

/** The command that gets a resting run moving, or takes its work in; null while it moves by itself or is done. */
function nextCommand(state: RunState, store: string | null): string | null {
  if (state.blocked !== null) return commandText(recoveryArguments(state, state.blocked), store);
  if (state.status === "paused") return commandText(["resume", state.run], store);
  if (state.status === "failed" || state.status === "cancelled")
    return commandText(["retry", state.run], store);
  return state.status === "completed" && waitsForAccept(state)
    ? commandText(["accept", state.run], store)
    : null;
}

/** A run whose journal cannot be read is blocked as such, with the exact place, and nothing of it is guessed. */
export function damagedStatusView(damaged: DamagedRun, fault: Fault, store: string | null): StatusView {
  const blocked: Blocked = {
    reason: "journal_damaged",
    detail: fault.message,
    attemptKept: true,
    guidance: [],
  };
  const command = commandText(["salvage", damaged.run], store);
  return {
    ...listedOf(damaged),
    status: "blocked",
    stop: stopOf({ blocked, stop: null }),
    health: { state: "crashed", pattern: null, evidence: [fault.message] },
    escalations: [],
    undelivered: [],
    messages: [],
    hostFaults: [],
    shared: [],
    seals: { breaches: 0, found: [] },
    withdrawn: [],
    alarms: [],
    notes: [],
    drift: null,
    bindings: [],
    conflict: null,
    overlaps: [],
    artifacts: [],
    workspace: null,
    gates: [],
    reality: null,
    step: null,
    attempt: null,
    sandboxes: [],
    blocked: {
      ...describe(blocked, [{ command, does: "continues in a new run from before the damage" }]),
      session: "none",
    },
    next: command,
    position: typeof fault.details["seq"] === "number" ? fault.details["seq"] : 0,
    budget: {},
    budgetText: null,
    limits: [],
    result: null,
    failure: null,
    steps: [],
    tree: null,
  };
}
