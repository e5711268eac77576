import type { EventData, EventType } from "../../model/events/events.ts";
import type { MissionState, WorkstreamState } from "../../model/mission/mission-state.ts";

type OfAcceptance = Extract<EventType, `Acceptance${string}` | "MissionApproved" | "WorkstreamAccepted">;

type Evolve = {
  readonly [Type in OfAcceptance]: (state: MissionState, data: EventData<Type>, at: number) => void;
};

/** What events of an acceptance mean. */
export const EVOLVE_ACCEPTANCE: Evolve = {
  MissionApproved(state, { by, digest, work }) {
    state.acceptance = { by, digest, work, plan: null, stands: {}, block: null };
  },
  AcceptancePrepared(state, { plan, repositories }) {
    if (state.acceptance === null) return;
    Object.assign(state.acceptance, { plan, stands: repositories, block: null });
  },
  AcceptanceHeld(state, { block }) {
    if (state.acceptance !== null) state.acceptance.block = block;
    const held = block.workstream === undefined ? undefined : goalOf(state, block.workstream);
    // What was refused is asked again, as another request, once somebody has done something.
    if (held !== undefined) held.asked = null;
  },
  AcceptanceAsked(state, { workstream, after, bring }) {
    const goal = goalOf(state, workstream);
    if (goal !== undefined) goal.asked = { seq: state.seq, after, bring };
    if (state.acceptance !== null) state.acceptance.block = null;
  },
  WorkstreamAccepted(state, { workstream, commit, into, how }, at) {
    const goal = goalOf(state, workstream);
    if (goal === undefined) return;
    goal.accepted = { commit, into, how, at };
    goal.asked = null;
    if (state.acceptance?.block?.workstream === workstream) state.acceptance.block = null;
  },
  AcceptanceLost(state, { workstream }) {
    const goal = goalOf(state, workstream);
    if (goal !== undefined) Object.assign(goal, { accepted: null, asked: null });
    // What was shown is not what is there any more: a person looks again.
    state.acceptance = null;
    state.end = null;
  },
};

export const goalOf = (state: MissionState, id: string): WorkstreamState | undefined =>
  Object.hasOwn(state.goals, id) ? state.goals[id] : undefined;
