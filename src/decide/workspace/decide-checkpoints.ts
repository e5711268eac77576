import { stepOfTree, stepTreeOf, takesCheckpoints, treeOf } from "../../fold/workspace/workspace-place.ts";
import type { Blocked } from "../../model/requests/blocked.ts";
import { type CheckpointCause, checkpointId, type CheckpointLayers } from "../../model/effects/checkpoint.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { CheckpointState } from "../../model/state/kept-state.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import { isOver } from "../../model/state/step-over.ts";
import { nothingToPutBack } from "../dispatch/authority.ts";
import { decideRetention } from "./decide-retention.ts";
import { planAgain } from "../dispatch/plan.ts";
import { isTreeAway, projectOf } from "./workspace-place.ts";

/** So often files are tried to be kept or restored before a person is asked. */
const TRIES_MAX = 3;

/**
 * Checkpoints (W2) are taken before agents begin and after a step is done, every so often while agents work, and when
 * somebody asks. A checkpoint stands in the journal only once its files are kept and verified. Nothing is started in a
 * tree while one is owed of it, or while the run is being put back to one (W3).
 */
export function decideCheckpoints(state: RunState, now: number): RunEvent[] {
  if (state.taken !== null) return record(state, state.taken);
  const { checkpoint, facts } = state.restoring ?? { checkpoint: "", facts: null };
  if (facts !== null) return restored(state, checkpoint, facts);
  if (state.keepFailures >= TRIES_MAX) return askForHelp(state);
  if (areFilesInHand(state) || isTreeAway(state, checkpoint)) return [];
  const waits = state.restoring === null ? null : beforeRestore(state, state.restoring);
  if (waits !== null) return waits;
  // What is there now must be something to go back to as well.
  if (state.restoring?.kept === false)
    return takeCheckpoint(state, "before_restore", now, restoredTree(state, checkpoint));
  if (state.restoring !== null)
    return dropped(state) ?? intendRestore(state, state.restoring.checkpoint, now);
  if (takesCheckpoints(state) && state.unsavedStep && state.status === "running")
    return takeCheckpoint(state, "after_step", now);
  const left = leftBySuspended(state);
  if (left !== null) return takeCheckpoint(state, "suspended", now, left);
  return now >= nextCheckpoint(state)
    ? takeCheckpoint(state, "periodic", now, { tree: longestUnkept(state)?.tree })
    : decideRetention(state);
}

/** The tree in which a suspended session left work that no checkpoint holds yet, once nobody works in it (B1). */
function leftBySuspended(state: RunState): { readonly tree?: string } | null {
  if (!takesCheckpoints(state) || state.blocked === null) return null;
  for (const { suspended, spec } of Object.values(state.steps)) {
    if (suspended === null || suspended.at < state.blockedAt) continue;
    const own = stepTreeOf(state, spec.name);
    if (own !== null && !own.saved) return { tree: own.tree };
    if (own === null && !state.saved && Object.keys(state.attempts).length === 0) return {};
  }
  return null;
}

/** Where each step has a tree of its own, a checkpoint is of one of them or of the run's. */
export const restoredTree = (state: RunState, checkpoint: string): { readonly tree?: string | undefined } =>
  state.settings.workspace.isolation === "attempt" ? { tree: state.checkpoints[checkpoint]?.tree } : {};

/** A remedy waits until its agent is ended, and is not taken any more where that agent was done after all. */
function beforeRestore(
  state: RunState,
  { checkpoint, step }: NonNullable<RunState["restoring"]>,
): RunEvent[] | null {
  if (step === null) return null;
  const isApart = stepTreeOf(state, step) !== null;
  const isAtWork = Object.values(state.attempts).some((attempt) => !isApart || attempt.step === step);
  if (isAtWork || isEnded(state.status)) return [];
  const { status } = state.steps[step] ?? { status: "pending" };
  if (status === "pending") return null;
  return [{ type: "RestoreDropped", data: { checkpoint, why: `step ${step} is ${status}` } }];
}

function dropped(state: RunState): RunEvent[] | null {
  const { checkpoint = "", putBack } = state.restoring ?? {};
  const why = putBack === true ? nothingToPutBack(state, checkpoint) : null;
  return why === null ? null : [{ type: "RestoreDropped", data: { checkpoint, why } }];
}

/** When the files of agents at work are kept next. */
export function nextCheckpoint(state: RunState): number {
  if (!takesCheckpoints(state) || Object.keys(state.attempts).length === 0) return Infinity;
  if (areFilesInHand(state)) return Infinity;
  return (longestUnkept(state)?.savedAt ?? state.savedAt) + state.settings.checkpoints.everyMs;
}

/** Of the trees that agents are at work in, the one that was kept longest ago. */
function longestUnkept(state: RunState): { readonly tree: string; readonly savedAt: number } | undefined {
  return Object.values(state.attempts)
    .map(({ step }) => stepTreeOf(state, step) ?? { tree: treeOf(state), savedAt: state.savedAt })
    .reduce<{ tree: string; savedAt: number } | undefined>(
      (last, one) => (last === undefined || one.savedAt < last.savedAt ? one : last),
      undefined,
    );
}

/** Files are being kept or restored just now. */
export const areFilesInHand = (state: RunState): boolean =>
  Object.values(state.effects).some(({ kind }) => kind === "TakeCheckpoint" || kind === "RestoreCheckpoint");

/** Null where a step may begin; otherwise what has to be done first. */
export function beforeStart(state: RunState, step: StepState, now: number): RunEvent[] | null {
  if (state.restoring !== null) return [];
  const cause = step.started > 0 ? "before_recovery" : "before_step";
  const own = stepTreeOf(state, step.spec.name);
  // What the run's changes are counted from is kept before anybody begins.
  if (own !== null && (state.workspace.commit.base !== null || state.saved))
    return own.saved ? null : owed(state, cause, now, own.tree);
  return !takesCheckpoints(state) || state.saved ? null : owed(state, cause, now);
}

/** Null where nothing that was done is without a checkpoint. */
export const beforeEnd = (state: RunState, now: number): RunEvent[] | null =>
  !takesCheckpoints(state) || state.saved ? null : owed(state, "after_step", now);

const owed = (state: RunState, cause: CheckpointCause, now: number, tree?: string): RunEvent[] =>
  areFilesInHand(state) || state.keepFailures >= TRIES_MAX ? [] : takeCheckpoint(state, cause, now, { tree });

export function takeCheckpoint(
  state: RunState,
  cause: CheckpointCause,
  now: number,
  { note, tree }: { readonly note?: string | undefined; readonly tree?: string | undefined } = {},
): RunEvent[] {
  const number = state.checkpointed + 1;
  const effect = {
    kind: "TakeCheckpoint",
    checkpoint: checkpointId(number),
    cause,
    tree: tree ?? treeOf(state),
    ...projectOf(state),
    at: now,
    ...(note === undefined ? {} : { note }),
  } as const;
  return [
    { type: "EffectIntended", data: { key: effectKey("checkpoint", "TakeCheckpoint", number), effect } },
  ];
}

function record(state: RunState, { effect, snapshot }: NonNullable<RunState["taken"]>): RunEvent[] {
  const { checkpoint, cause, tree, note } = effect;
  const data = { checkpoint, cause, tree, snapshot, layers: layersOf(state) };
  const taken: RunEvent = {
    type: "CheckpointTaken",
    data: { ...data, ...(note === undefined ? {} : { note }) },
  };
  if (snapshot.skipped === 0) return [taken];
  const detail = `${checkpoint} is without ${String(snapshot.skipped)} paths, such as ${snapshot.firstSkipped ?? "unknown"}`;
  return [
    taken,
    { type: "LimitReached", data: { what: "paths kept in a checkpoint", bound: snapshot.files, detail } },
  ];
}

function layersOf(state: RunState): CheckpointLayers {
  const { goal, flow, budget, steps, attempts, epoch, spent, status, seq } = state;
  const open = Object.entries(steps).filter(([, step]) => !isOver(step));
  return {
    goal: { goal, flow: flow.name, budget },
    execution: {
      position: seq,
      status,
      done: Object.keys(steps).filter((name) => steps[name]?.status === "succeeded"),
      open: Object.fromEntries(
        open.map(([name, step]) => [name, { status: step.status, attempts: step.started }]),
      ),
    },
    context: Object.fromEntries(open.flatMap(([name, step]) => contextOf(state, name, step))),
    runtime: {
      epoch,
      spent: { usd: spent.usd, tokens: spent.tokens },
      live: Object.values(attempts).map(({ id, agent, session }) => ({ attempt: id, agent, session })),
    },
  };
}

function contextOf(
  state: RunState,
  name: string,
  step: StepState,
): [string, CheckpointLayers["context"][string]][] {
  const live = step.live === null ? undefined : state.attempts[step.live];
  const spoken = live?.conversation ?? null;
  const conversation =
    live !== undefined && spoken !== null ? { agent: live.agent, id: spoken } : step.conversation;
  const { checkpoint, feedback } = step;
  if (conversation === null && feedback === null && checkpoint === null) return [];
  const { done, next, questions } = checkpoint ?? {};
  const note = {
    ...(done === undefined ? {} : { done }),
    ...(next === undefined ? {} : { next }),
    ...(questions === undefined ? {} : { questions }),
  };
  return [
    [
      name,
      {
        ...(conversation === null ? {} : { conversation }),
        ...(feedback === null ? {} : { feedback }),
        ...(checkpoint === null ? {} : { note }),
      },
    ],
  ];
}

/** While a restore is half done nothing else may begin; a checkpoint that cannot be kept stops what waits for it. */
function askForHelp(state: RunState): RunEvent[] {
  if (state.status !== "running" && state.restoring === null) return [];
  if (state.blocked !== null) return [];
  const what =
    state.restoring === null
      ? "a checkpoint could not be kept"
      : `the files could not be put back to ${state.restoring.checkpoint}`;
  const blocked = {
    reason: "checkpoint_pending",
    detail: `${what}: ${state.keepFailure}`,
    attemptKept: Object.keys(state.attempts).length > 0,
    guidance: [],
  } satisfies Blocked;
  return [{ type: "RunBlocked", data: { blocked } }];
}

function intendRestore(state: RunState, id: string, now: number): RunEvent[] {
  const wanted = state.checkpoints[id];
  if (wanted === undefined) return [];
  const { tree, snapshot } = wanted;
  const key = effectKey("restore", "RestoreCheckpoint", state.restores + 1);
  const order = { checkpoint: id, tree, ...projectOf(state), snapshot: snapshot.id, at: now };
  const effect = { kind: "RestoreCheckpoint", ...order } as const;
  return [{ type: "EffectIntended", data: { key, effect } }];
}

/**
 * Steps that were done since are open again, and the one that goes on with an open step is informed where the files
 * stand.
 */
function restored(
  state: RunState,
  id: string,
  facts: NonNullable<NonNullable<RunState["restoring"]>["facts"]>,
): RunEvent[] {
  const wanted = state.checkpoints[id];
  if (wanted === undefined) return [];
  if (state.restoring?.putBack === true)
    return [{ type: "RunRestored", data: { checkpoint: id, ...facts, reopened: [] } }];
  const remedyFor = state.restoring?.step ?? null;
  if (remedyFor !== null)
    return [
      { type: "RunRestored", data: { checkpoint: id, ...facts, reopened: [] } },
      { type: "StepAdvised", data: { step: remedyFor, by: "holdfast", note: handOver(wanted) } },
    ];
  const of = stepOfTree(state, wanted.tree);
  const reopened = Object.entries(of === null ? state.steps : {})
    .filter(([, { doneSeq }]) => doneSeq !== null && doneSeq > wanted.seq)
    .map(([name]) => name);
  const plans = reopened.filter((name) => state.steps[name]?.spec.plans !== undefined);
  const open = Object.keys(state.steps).filter(
    (name) =>
      (of === null || name === of) &&
      (state.steps[name]?.status !== "succeeded" || reopened.includes(name)) &&
      !plans.includes(state.steps[name]?.plannedBy ?? ""),
  );
  const afresh = open.flatMap((step): RunEvent[] => [
    ...unchecked(state, step, handOver(wanted)),
    plans.includes(step) ? planAgain(state, step, handOver(wanted)) : { type: "StepReset", data: { step } },
  ]);
  const reason = open
    .filter((name) => (state.steps[name]?.started ?? 0) > 0)
    .map((step): RunEvent => ({
      type: "StepAdvised",
      data: { step, by: "holdfast", note: handOver(wanted) },
    }));
  return [{ type: "RunRestored", data: { checkpoint: id, ...facts, reopened } }, ...afresh, ...reason];
}

/** Work whose checks are under way has not passed them, and no later finding of theirs counts: it is no longer there, or a person has found something. */
export function unchecked(state: RunState, step: string, feedback: string): RunEvent[] {
  const attempt = state.steps[step]?.checking?.attempt;
  return attempt === undefined
    ? []
    : [{ type: "StepChecked", data: { step, attempt, verdict: "fail", feedback } }];
}

const handOver = ({ id, at }: CheckpointState): string =>
  `the files were put back to how they were at ${isoTime(at)} (checkpoint ${id}); what was done after that is no longer there`;
