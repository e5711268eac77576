import { heldBarriers, closedBarriers, whyClosed } from "../../decide/mission/barriers.ts";
import { workDigest } from "../../decide/mission/ask-mission.ts";
import { waitingRuns } from "../../decide/mission/launch.ts";
import type { MissionFacts } from "../../decide/mission/mission-facts.ts";
import { differencesOf } from "../../decide/mission/reconcile.ts";
import { isAllDone, isFailed, missingNeeds, workstreamsOf } from "../../decide/mission/workstreams.ts";
import { sessionSpent } from "../../decide/continuous/session-room.ts";
import { unpushedWork } from "../../decide/mission/unpushed.ts";
import { leftToAccept } from "../../decide/mission/found-work.ts";
import type { AcceptanceBlock, Autopilot } from "../../model/mission/mission-events.ts";
import type { MissionState, WorkstreamState } from "../../model/mission/mission-state.ts";
import { commandText, placedCommand } from "../../model/text/command-text.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type {
  MissionStatus,
  MissionView,
  RepositoryView,
  WaitingView,
  WorkstreamView,
} from "./mission-document.ts";

/** What people are shown of a mission: what it has recorded, and what its runs and repositories say. */
export function missionView(state: MissionState, facts: MissionFacts, store: string | null): MissionView {
  const { spec, autopilot } = state;
  const blockedBy = waitingRuns(state).flatMap(({ goal, run }): WaitingView[] => {
    const { waits } = run;
    if (waits === null) return [];
    const { reason, detail, command } = waits;
    return [{ run: run.run, workstream: goal.goal.id, reason, detail, command: commandText(command, store) }];
  });
  const status = statusOf(state, blockedBy.length > 0);
  const limits = spec?.budget ?? {};
  const view = {
    mission: state.name,
    status,
    since: isoTime(state.begunAt),
    by: state.by,
    text: state.end?.text ?? null,
    stoppedBy: state.stop?.by ?? null,
    pausedBy: state.pause?.by ?? null,
    autopilot: autopilot === null ? null : settingsOf(autopilot),
    autopilotStop:
      state.autopilotStop === null
        ? null
        : { reason: state.autopilotStop.reason, text: state.autopilotStop.text },
    wave: state.wave?.number ?? null,
    blockedBy,
    barriers: barriersOf(state),
    block: placedBlock(state.acceptance?.block ?? null, store),
    approvedBy: state.acceptance?.by ?? null,
    digest: isAllDone(state) ? workDigest(state) : null,
    reconciliationRequired: differencesOf(state, facts).map((one) => ({
      ...one,
      command: placedCommand(one.command, store),
    })),
    budget: { limits, spent: { ...sessionSpent(state, facts.now).total, runs: state.runs } },
    order: spec?.order ?? [],
    workstreams: workstreamsOf(state).map((one) => workstreamView(state, one, facts)),
    repositories: repositoriesOf(state, facts, store),
  };
  return { ...view, command: commandOf(state, view, store) };
}

const placedBlock = (block: AcceptanceBlock | null, store: string | null): AcceptanceBlock | null =>
  block === null ? null : { ...block, command: placedCommand(block.command, store) };

const settingsOf = ({ autoRetry, retries, missionRetries, continueOnFailure }: Autopilot): Autopilot => ({
  autoRetry,
  retries,
  missionRetries,
  continueOnFailure,
});

function statusOf(state: MissionState, isWaiting: boolean): MissionStatus {
  if (state.end !== null) return "ended";
  if (state.stop !== null) return "stopped";
  if (state.pause !== null) return "paused";
  if (state.acceptance !== null) return state.acceptance.block === null ? "accepting" : "blocked";
  if (isWaiting) return "blocked";
  if (isAllDone(state)) return "ready_to_accept";
  const isAtWork = state.autopilot !== null || workstreamsOf(state).some(({ status }) => status === "issued");
  return isAtWork ? "running" : "open";
}

const barriersOf = (state: MissionState): MissionView["barriers"] =>
  Object.entries(state.spec?.barriers ?? {}).map(([name, barrier]) => {
    const open = state.barriers[name];
    return {
      name,
      of: barrier.of,
      when: barrier.when,
      conditions: barrier.if.map(
        ({ workstream, artifact, at, is }) => `${artifact}${at} of ${workstream} is ${JSON.stringify(is)}`,
      ),
      approval: barrier.approval,
      open: open !== undefined,
      by: open?.by ?? null,
      text: open === undefined ? (whyClosed(state, barrier)?.text ?? null) : null,
    };
  });

function workstreamView(
  state: MissionState,
  one: WorkstreamState,
  { repositories }: MissionFacts,
): WorkstreamView {
  const { goal, runs, end, work, accepted } = one;
  const run = runs.at(-1);
  const waitsFor = one.status === "queued" ? missingNeeds(state, one) : [];
  const found = repositories?.get(goal.repository)?.work[goal.id];
  return {
    ...{ id: goal.id, repository: goal.repository, goal: goal.goal, needs: goal.needs, waitsFor },
    status: workStatus(one, waitsFor.length === 0),
    run: run?.run ?? null,
    text: end?.kind === "done" ? null : (end?.text ?? run?.waits?.detail ?? null),
    commit: work?.commit ?? null,
    found: found?.how ?? null,
    accepted: accepted === null ? null : { ...accepted, at: isoTime(accepted.at) },
    tries: runs.map(({ run: id, at, by, wave, retry, status, end: ended }) => ({
      ...{ run: id, at: isoTime(at), by, wave, retry, status },
      ...{ end: ended?.kind ?? null, text: ended?.text ?? null },
    })),
  };
}

function workStatus(one: WorkstreamState, isReady: boolean): WorkstreamView["status"] {
  if (one.accepted !== null) return "accepted";
  if (one.end !== null) return one.end.kind;
  if (one.status === "queued") return isReady ? "ready" : "queued";
  return (one.runs.at(-1)?.waits ?? null) === null ? "at_work" : "waiting";
}

function repositoriesOf(
  state: MissionState,
  { repositories }: MissionFacts,
  store: string | null,
): RepositoryView[] {
  const left = new Set(unpushedWork(state).map(({ repository }) => repository));
  const push = commandText(["mission", "push", state.name], store);
  return Object.entries(state.spec?.repositories ?? {}).map(([name, { path, branch, url = null }]) => {
    const fact = repositories?.get(name);
    const seen = { stand: fact?.stand ?? null, dirty: fact?.dirty ?? [] };
    return { name, path, branch, ...seen, url, push: left.has(name) ? push : null };
  });
}

type Known = Pick<MissionView, "status" | "blockedBy" | "block" | "reconciliationRequired" | "digest">;

/** What a person does next. */
function commandOf(
  state: MissionState,
  { status, blockedBy, block, reconciliationRequired }: Known,
  store: string | null,
): string | null {
  const { name } = state;
  const say = (...words: string[]): string => commandText(["mission", ...words], store);
  if (reconciliationRequired[0] !== undefined) return reconciliationRequired[0].command;
  if (status === "ended") return unpushedWork(state).length > 0 ? say("push", name) : null;
  if (status === "paused" || status === "stopped") return say("resume", name);
  if (blockedBy[0] !== undefined) return blockedBy[0].command;
  if (block !== null) return block.command;
  if (status === "ready_to_accept" && leftToAccept(state).length > 0) return say("diff", name);
  if (status !== "open") return null;
  const failed = workstreamsOf(state).filter(isFailed);
  const [only, ...others] = failed;
  if (only !== undefined && others.length > 0) return say("autopilot", name, "--auto-retry");
  if (only !== undefined) return say("launch", name, "--workstream", only.goal.id, "--retry");
  const [held] = heldBarriers(state);
  if (held !== undefined && closedBarriers(state).length > 0)
    return say("pass", held.name, "--mission", name);
  return say("autopilot", name);
}
