import { isAccepting, leftToAccept } from "../../decide/mission/found-work.ts";
import { wantsRepositories } from "../../decide/mission/autopilot-rules.ts";
import { decideMission, missionTurn } from "../../decide/mission/decide-mission.ts";
import { isMissionAtWork } from "../../decide/mission/mission-due.ts";
import type { MissionFacts } from "../../decide/mission/mission-facts.ts";
import { toAccept } from "../../decide/mission/workstreams.ts";
import { missionAddress } from "../../model/mission/mission-spec.ts";
import type { MissionState } from "../../model/mission/mission-state.ts";
import { OPEN_STATUSES } from "../continuous/shared-journal.ts";
import { lookAtEach, turnUnderLease } from "../continuous/shared-turn.ts";
import type { Leases } from "../leases.ts";
import type { Ports } from "../ports.ts";
import { missionEffects, type MissionEffects } from "./mission-effects.ts";
import { MissionLooks } from "./mission-facts.ts";
import { listMissions, readMission } from "./read-mission.ts";
import { writeMission } from "./write-mission.ts";

/** Repositories are not looked at more often while nothing of the mission moves: each look starts git. */
const LOOK_EVERY_MS = 1_000;

/**
 * Goes on with the missions of a store: looks at their runs and repositories, and decides what follows.
 *
 * On disk at each instant: a journal per mission, written under a lease that is held for one turn. A workstream's run is
 * named in `WorkstreamLaunched` before it is created, and asked to have its work taken in after `AcceptanceAsked`, so
 * the next process does it, or finds it done (decision 0061). Nothing here needs to be remembered.
 */
export class Missions {
  readonly #ports: Ports;
  readonly #leases: Leases;
  readonly #effects: MissionEffects;
  readonly #looks: MissionLooks;
  readonly #known = new Map<string, MissionState>();
  readonly #lookedAt = new Map<string, { readonly seq: number; readonly at: number }>();
  #isAtWork = false;
  #hasMoved = false;

  constructor(ports: Ports, leases: Leases) {
    this.#ports = ports;
    this.#leases = leases;
    this.#effects = missionEffects(ports, leases);
    this.#looks = new MissionLooks(ports);
  }

  /** Whether one of them continues by itself, as of the last look. */
  get isAtWork(): boolean {
    return this.#isAtWork;
  }

  /** One turn of each mission that is not over; answers whether anything followed. */
  async look(): Promise<boolean> {
    if (this.#ports.missions === undefined) return false;
    this.#hasMoved = false;
    const names = await listMissions(this.#ports.journal, OPEN_STATUSES);
    this.#isAtWork = (await lookAtEach(names, (name) => this.#lookAt(name), false)).includes(true);
    return this.#hasMoved;
  }

  async #lookAt(name: string): Promise<boolean> {
    const state = await readMission(this.#ports.journal, name, this.#known.get(name));
    this.#known.set(name, state);
    const facts = await this.#factsOf(state);
    if (decideMission(state, facts).length > 0 || this.#effects.isOwed(state, facts))
      await this.#turn(state, facts);
    return isMissionAtWork(this.#known.get(name) ?? state);
  }

  async #turn(before: MissionState, facts: MissionFacts): Promise<void> {
    const { name } = before;
    await turnUnderLease(this.#leases, {
      ...{ address: missionAddress(name), before, at: facts.now },
      read: () => readMission(this.#ports.journal, name, before),
      decide: (state) => missionTurn(state, facts),
      write: (write) => writeMission(this.#ports, before, write),
      perform: (after) => {
        this.#known.set(name, after);
        this.#hasMoved = true;
        return this.#effects.perform(after, facts);
      },
    });
  }

  async #factsOf(state: MissionState): Promise<MissionFacts> {
    const now = this.#ports.world.now();
    const children = await this.#looks.children(state, now);
    const wanted = isAccepting(state) || wantsRepositories(state);
    const isDue = wanted && this.#isDue(state, now, children);
    const repositories = isDue ? await this.#looks.repositories(state, acceptedNext(state)) : null;
    return { now, children, refused: this.#effects.refused, repositories };
  }

  #isDue(state: MissionState, now: number, children: MissionFacts["children"]): boolean {
    const { name, seq } = state;
    const last = this.#lookedAt.get(name);
    const isEarly = last !== undefined && now - last.at < LOOK_EVERY_MS && now >= last.at;
    if (isEarly && (last.seq === seq || isAwaited(state, children))) return false;
    this.#lookedAt.set(name, { seq, at: now });
    return true;
  }
}

/** What was asked of its run has no answer yet. */
function isAwaited(state: MissionState, children: MissionFacts["children"]): boolean {
  const [next] = leftToAccept(state);
  const fact = children.get(next?.runs.at(-1)?.run ?? "");
  return next?.asked !== null && fact?.accepted === null && fact.refusal === null;
}

/** Once the first branch is on its way, only the next repository matters; before, all of them do. */
function acceptedNext(state: MissionState): string | null {
  const left = leftToAccept(state);
  const isBegun = toAccept(state).length > left.length || left[0]?.asked !== null;
  return isAccepting(state) && state.acceptance?.plan !== null && isBegun
    ? (left[0]?.goal.repository ?? null)
    : null;
}

/** Whether a supervisor on its way out leaves a mission that continues by itself. */
export async function isMissionLeft({ journal }: Pick<Ports, "journal">): Promise<boolean> {
  for (const name of await listMissions(journal, ["running", "blocked"]))
    if (isMissionAtWork(await readMission(journal, name))) return true;
  return false;
}
