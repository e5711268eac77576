import { answerMission } from "../../decide/mission/ask-mission.ts";
import type { MissionAnswer, MissionAsker, MissionRequest } from "../../decide/mission/mission-answers.ts";
import type { MissionFacts } from "../../decide/mission/mission-facts.ts";
import { unpushedWork } from "../../decide/mission/unpushed.ts";
import { missionAddress } from "../../model/mission/mission-spec.ts";
import type { MissionState } from "../../model/mission/mission-state.ts";
import { underLease } from "../continuous/shared-journal.ts";
import type { Leases } from "../leases.ts";
import type { Ports } from "../ports.ts";
import { MissionLooks } from "./mission-facts.ts";
import { listMissions, readMission } from "./read-mission.ts";
import { writeMission } from "./write-mission.ts";

/** An answer, and how the mission stands after it. */
interface AnsweredMission {
  readonly answer: MissionAnswer;
  readonly state: MissionState;
}

/** Decided by a look at runs and repositories. */
const LOOKS_FIRST: readonly MissionRequest["kind"][] = ["launch", "reconcile"];

/**
 * What people ask of missions.
 *
 * On disk: one append to the mission's own journal (decisions 0021, 0061), with or without a supervisor. A kill before it
 * changes nothing; after it every supervisor finds it. To ask twice is to ask once, since the answer follows from what is
 * recorded.
 */
export class MissionSwitch {
  readonly #ports: Ports;
  readonly #leases: Leases;

  constructor(ports: Ports, leases: Leases) {
    this.#ports = ports;
    this.#leases = leases;
  }

  /** Null where there is none of that name. */
  async load(name: string): Promise<MissionState | null> {
    const state = await readMission(this.#ports.journal, name);
    return state.spec === null ? null : state;
  }

  /** Of all missions of the store, newest first. */
  names(): Promise<string[]> {
    return listMissions(this.#ports.journal);
  }

  /** What its runs and repositories say now. Reads only. */
  look(state: MissionState): Promise<MissionFacts> {
    return new MissionLooks(this.#ports).all(state);
  }

  /** What a workstream has changed, as a patch; null where its repository does not hold it. */
  async patch(state: MissionState, workstream: string): Promise<string | null> {
    const one = state.goals[workstream];
    const project = state.spec?.repositories[one?.goal.repository ?? ""]?.path;
    const { commit = null, from = null } = one?.work ?? {};
    if (project === undefined || commit === null || from === null) return null;
    return (await this.#ports.repositories?.patch(project, from, commit)) ?? null;
  }

  /** Accepted work of repositories at a URL that nobody has had pushed yet. */
  unpushed(state: MissionState): ReturnType<typeof unpushedWork> {
    return unpushedWork(state);
  }

  ask(name: string, request: MissionRequest, asker: MissionAsker): Promise<AnsweredMission> {
    const held = { leases: this.#leases, address: missionAddress(name), what: `the mission "${name}"` };
    return underLease(this.#ports, held, (epoch) => this.#answer(name, request, { asker, epoch }));
  }

  async #answer(
    name: string,
    request: MissionRequest,
    { asker, epoch }: { readonly asker: MissionAsker; readonly epoch: number },
  ): Promise<AnsweredMission | null> {
    const { journal, world } = this.#ports;
    const state = await readMission(journal, name);
    const nothing = { now: world.now(), children: new Map(), refused: new Map(), repositories: null };
    const facts = LOOKS_FIRST.includes(request.kind) ? await this.look(state) : nothing;
    const answer = answerMission(structuredClone(state), request, { asker, facts });
    if (answer.kind === "refused" || answer.events.length === 0) return { answer, state };
    const after = await writeMission(this.#ports, state, { events: answer.events, epoch, at: facts.now });
    return after === null ? null : { answer, state: after };
  }
}
