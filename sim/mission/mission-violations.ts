import { evolveMission, newMission } from "../../src/decide/mission/evolve-mission.ts";
import { isDone, missingNeeds } from "../../src/decide/mission/workstreams.ts";
import type { Journal } from "../../src/journal/journal.ts";
import type { Recorded } from "../../src/model/events/events.ts";
import { missionAddress } from "../../src/model/mission/mission-spec.ts";
import type { MissionState } from "../../src/model/mission/mission-state.ts";

const EVENTS_MAX = 100_000;

interface Replayed {
  readonly state: MissionState;
  readonly found: string[];
}

/** What is wrong with the journal of a mission, in words; nothing where all is well. */
export async function missionViolations(journal: Journal, name: string): Promise<Replayed> {
  const events = await journal.read(missionAddress(name), { after: 0, limit: EVENTS_MAX });
  const { state, found } = replayMission(name, events);
  const launched = events.flatMap(({ type, data }) => (type === "WorkstreamLaunched" ? [data.run] : []));
  const runs = (await journal.runs()).map(({ run }) => run);
  const ofNobody = runs.filter((run) => run.startsWith(`${name}.`) && !launched.includes(run));
  const damage = await journal.verify();
  return {
    state,
    found: [
      ...found,
      ...(new Set(launched).size === launched.length ? [] : [`launched twice: ${launched.join(", ")}`]),
      ...(ofNobody.length === 0 ? [] : [`runs of nobody: ${ofNobody.join(", ")}`]),
      ...damage.map((one) => `damage: ${JSON.stringify(one)}`),
    ],
  };
}

/** Folds the events again, and looks at each before it counts. */
export function replayMission(name: string, events: readonly Recorded[]): Replayed {
  const state = newMission(name);
  const found: string[] = [];
  for (const event of events) {
    found.push(...wrongAt(state, event).map((text) => `at ${String(event.seq)}: ${text}`));
    evolveMission(state, event, event);
  }
  return { state, found };
}

function wrongAt(state: MissionState, { type, data }: Recorded): string[] {
  if (type === "WorkstreamLaunched") return wrongLaunch(state, data);
  if (type === "AcceptanceAsked") return wrongAcceptance(state, data.workstream);
  return type === "MissionEnded" ? wrongEnd(state) : [];
}

const wrongEnd = ({ goals }: MissionState): string[] =>
  Object.values(goals).flatMap(({ goal, end, accepted, work }) => {
    const isOver = end?.kind === "done" && (accepted !== null || work?.commit === null);
    return isOver || end?.kind === "skipped" ? [] : [`it ends without ${goal.id}`];
  });

function wrongLaunch(
  state: MissionState,
  { workstream, run }: { readonly workstream: string; readonly run: string },
): string[] {
  const one = state.goals[workstream];
  if (one === undefined) return [`${workstream} is launched, which is no workstream`];
  const missing = missingNeeds(state, one);
  return [
    ...(missing.length === 0 ? [] : [`${workstream} is launched before ${missing.join(", ")}`]),
    ...(isDone(one) || one.accepted !== null || one.end?.kind === "skipped"
      ? [`${workstream} is launched, which is ${one.end?.kind ?? ""}`]
      : []),
    ...(one.status === "issued"
      ? [`${workstream} is launched as ${run} while ${one.runs.at(-1)?.run ?? ""} is at work`]
      : []),
    ...(state.stop !== null || state.pause !== null || state.end !== null || state.acceptance !== null
      ? [`${workstream} is launched while nothing may be`]
      : []),
  ];
}

/** Nothing is asked before all is prepared, nor out of order. */
function wrongAcceptance(state: MissionState, workstream: string): string[] {
  const plan = state.acceptance?.plan ?? null;
  if (plan === null) return [`${workstream} is accepted before all is prepared`];
  const before = (state.spec?.order ?? []).slice(0, state.spec?.order.indexOf(workstream));
  const open = before.filter((id) => {
    const one = state.goals[id];
    return one !== undefined && isDone(one) && one.work?.commit !== null && one.accepted === null;
  });
  const unfinished = Object.values(state.goals).filter(
    ({ end }) => end?.kind !== "done" && end?.kind !== "skipped",
  );
  return [
    ...open.map((id) => `${workstream} is accepted before ${id}`),
    ...unfinished.map(({ goal }) => `${workstream} is accepted while ${goal.id} is not done`),
    ...(state.stop !== null || state.pause !== null
      ? [`${workstream} is accepted while the mission is stopped`]
      : []),
  ];
}
