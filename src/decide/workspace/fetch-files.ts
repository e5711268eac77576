import { isEnded } from "../../model/state/run-status.ts";
import { effectKey, type Effect } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { isOver } from "../../model/state/step-over.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { leftOf } from "./left-behind.ts";

/** So often the copy is asked for before people are; then it is asked for again, more rarely. */
const TRIES_MAX = 3;

/** Whether the run's files are on the remote, and this host has what else the run needs. */
const isFetchable = ({ claim, upload }: RunState): boolean =>
  claim.away !== undefined && claim.missing.length === 0 && upload.last !== null;

/** A run that has ended is moved only for somebody who asks something of it. */
const isWanted = (state: RunState): boolean => !isEnded(state.status) || state.requests.length > 0;

/** The copy may be here soon: what is asked of the run waits for it. */
export const isComing = (state: RunState): boolean =>
  isFetchable(state) && isWanted(state) && state.upload.fetch.failures < TRIES_MAX;

/** When the copy is asked for next. */
export const nextFetch = (state: RunState): number =>
  isFetchable(state) && isWanted(state) ? state.upload.fetch.notBefore : Infinity;

/** What is done to go on here with what the lost host has uploaded; null where nothing more can be. */
export function fetchFiles(state: RunState, now: number): RunEvent[] | null {
  if (!isFetchable(state) || !isWanted(state)) return null;
  const { settled, notBefore } = state.upload.fetch;
  if (settled !== null) return moveHere(state, settled.facts);
  if (Object.values(state.effects).some(({ kind }) => kind === "FetchFiles")) return [];
  if (now >= notBefore) return intendFetch(state, now);
  return isComing(state) ? [] : null;
}

function intendFetch(state: RunState, now: number): RunEvent[] {
  const { upload, workspace, settings } = state;
  if (upload.last === null || workspace.worktree === null) return [];
  const { effect, facts } = upload.last;
  const { remote, snapshot, head, branch, conversations, trusted, artifacts } = effect;
  const order: Extract<Effect, { kind: "FetchFiles" }> = {
    kind: "FetchFiles",
    remote,
    ref: facts.ref,
    commit: facts.commit,
    worktree: workspace.worktree,
    ports: settings.workspace.ports,
    snapshot: facts.without[snapshot] ?? snapshot,
    checkpoints: Object.values(state.checkpoints)
      .filter((one) => [snapshot, ...effect.others].includes(one.snapshot.id))
      .map((one) => ({ id: one.id, snapshot: facts.without[one.snapshot.id] ?? one.snapshot.id })),
    head,
    branch,
    conversations: conversations.filter(({ step }) => facts.conversations.some((one) => one.step === step)),
    trusted,
    artifacts,
    at: now,
  };
  const key = effectKey("fetch", "FetchFiles", upload.fetch.count + 1);
  return [{ type: "EffectIntended", data: { key, effect: order } }];
}

const isStep = (step: StepState | undefined, is: (step: StepState) => boolean): boolean =>
  step !== undefined && is(step);

/** Begun and not done. */
const isOpen = ({ started, status }: StepState): boolean => started > 0 && !isOver({ status });

type Fetched = NonNullable<RunState["upload"]["fetch"]["settled"]>["facts"];

/** The attempts at work ended with their host, which is never charged to the step (J4). */
function moveHere(state: RunState, fetched: Fetched): RunEvent[] {
  const { claim, upload, attempts, blocked, steps } = state;
  const { home, away } = claim;
  if (home === undefined || away === undefined || upload.last === null) return [];
  const { effect, facts } = upload.last;
  const carried = { ...fetched, checkpoint: effect.checkpoint, without: facts.without };
  const kept = state.checkpoints[effect.checkpoint];
  const isLater = ({ doneSeq }: StepState): boolean => doneSeq !== null && doneSeq > (kept?.seq ?? Infinity);
  const names = Object.keys(steps);
  const redone = names.filter((name) => isStep(steps[name], isLater));
  const begun = names.filter((name) => isStep(steps[name], (one) => isOpen(one) || isLater(one)));
  const note = `the work goes on on ${away.name}: the files are as they were at ${isoTime(kept?.at ?? effect.at)} (checkpoint ${effect.checkpoint}); what was done after that is no longer there`;
  return [
    ...Object.keys(attempts).map((attempt): RunEvent => ({
      type: "AttemptEnded",
      data: { attempt, outcome: "interrupted", charged: false, why: `its host ${home.name} is gone` },
    })),
    { type: "RunMoved", data: { from: home, to: away, left: leftOf(state), by: "holdfast", carried } },
    ...redone.map((step): RunEvent => ({ type: "StepReset", data: { step } })),
    ...begun.map((step): RunEvent => ({ type: "StepAdvised", data: { step, by: "holdfast", note } })),
    ...(blocked?.reason === "host_lost" ? [{ type: "RunUnblocked", data: {} } as const] : []),
  ];
}
