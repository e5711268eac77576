import { acceptRequestId } from "../../decide/mission/work-fact.ts";
import type { MissionFacts } from "../../decide/mission/mission-facts.ts";
import { workstreamsOf } from "../../decide/mission/workstreams.ts";
import { issuedGoals, type IssuedGoal } from "../../decide/continuous/goal-runs.ts";
import type { HandedOn } from "../../model/mission/mission-events.ts";
import type { MissionSpec } from "../../model/mission/mission-spec.ts";
import type { MissionState, WorkstreamState } from "../../model/mission/mission-state.ts";
import type { RunOrder } from "../create-run.ts";
import { Fault } from "../../model/fault.ts";
import { createChild, requestsOwed, type OwedRequest } from "../continuous/child-effects.ts";
import type { Leases } from "../leases.ts";
import type { HandedText, Ports } from "../ports.ts";

type Issued = IssuedGoal<WorkstreamState>;

/** Longer files are named by their digest alone. */
const HANDED_BYTES_MAX = 8_192;

/** Who asks for the runs of a mission. */
export const missionActor = (name: string): string => `mission:${name}`;

/**
 * What a mission does outside of its journal, after it was recorded there: it lays branches, creates runs and sends
 * requests to them. Each may be repeated at any time (I2): a run's id and branch are the try's, and a request's id
 * follows from the event that wants it.
 */
export class MissionEffects {
  /** Why a run could not be created; told to the next turn. */
  readonly refused = new Map<string, string>();
  readonly #ports: Ports;
  readonly #leases: Leases;
  readonly #sent = new Set<string>();

  constructor(ports: Ports, leases: Leases) {
    this.#ports = ports;
    this.#leases = leases;
  }

  isOwed(state: MissionState, facts: MissionFacts): boolean {
    return this.#toCreate(state, facts).length > 0 || this.#toSend(state, facts).length > 0;
  }

  async perform(state: MissionState, facts: MissionFacts): Promise<void> {
    for (const { id, run, request } of this.#toSend(state, facts)) {
      const { journal, world } = this.#ports;
      world.crashPoint("mission.ask.before");
      await journal.ask({ id, address: run, request, by: missionActor(state.name), at: world.now() });
      world.crashPoint("mission.ask.after");
      this.#sent.add(id);
    }
    if (state.spec !== null)
      for (const issued of this.#toCreate(state, facts)) await this.#create(state, state.spec, issued);
  }

  /** A stopped mission creates nothing, also not what was decided before. */
  #toCreate(state: MissionState, { children }: MissionFacts): Issued[] {
    if (state.stop !== null || state.end !== null) return [];
    return issuedGoals(state).filter(
      ({ run }) => run.status === null && !children.has(run.run) && !this.refused.has(run.run),
    );
  }

  #toSend(state: MissionState, { children }: MissionFacts): OwedRequest[] {
    const runs = workstreamsOf(state).flatMap((one) => one.runs);
    const atWork = issuedGoals(state).map(({ run }) => run);
    const owed = [...requestsOwed({ runs, atWork, children }), ...acceptances(state)];
    return owed.filter(({ id }) => !this.#sent.has(id));
  }

  async #create(state: MissionState, spec: MissionSpec, { goal, run }: Issued): Promise<void> {
    const { world, missions } = this.#ports;
    if (missions === undefined) return;
    const why = await createChild(this.#ports, this.#leases, {
      run,
      by: missionActor(state.name),
      order: () => this.#order(state, spec, { goal, run }),
      before: () => world.crashPoint("mission.create.before"),
      after: () => world.crashPoint("mission.create.after"),
    });
    if (why !== null) this.refused.set(run.run, why);
  }

  async #order(state: MissionState, spec: MissionSpec, { goal, run }: Issued): Promise<RunOrder> {
    const { missions, repositories, world } = this.#ports;
    if (missions === undefined) throw new Fault("usage", "nobody here makes orders for missions");
    if (run.on.length > 0) {
      const project = spec.repositories[goal.goal.repository]?.path ?? "";
      world.crashPoint("mission.branch.before");
      const laid = await repositories?.layBranch({ project, branch: `holdfast/${run.run}`, commits: run.on });
      world.crashPoint("mission.branch.after");
      if (laid?.kind !== "laid")
        throw new Fault(
          "usage",
          `what ${goal.goal.id} builds on cannot be brought together in ${project}: ${laid?.how ?? "no repository"} at ${laid?.commit.slice(0, 12) ?? ""} (${laid?.files.slice(0, 5).join(", ") ?? ""})`,
        );
    }
    return missions.order(spec, goal.goal, await this.#handed(state, run.handed));
  }

  #handed(state: MissionState, handed: readonly HandedOn[]): Promise<HandedText[]> {
    return Promise.all(
      handed.map(async (one) => {
        const bytes = one.bytes > HANDED_BYTES_MAX ? null : await this.#ports.artifacts.read(one.digest);
        const isDecisions = state.goals[one.from]?.goal.decisions === one.path;
        return { ...one, isDecisions, text: bytes === null ? null : new TextDecoder().decode(bytes) };
      }),
    );
  }
}

/** Acceptances that were asked for and are not over. */
const acceptances = (state: MissionState): OwedRequest[] =>
  state.stop !== null
    ? []
    : workstreamsOf(state).flatMap(({ asked, runs }): OwedRequest[] => {
        const run = runs.at(-1);
        if (asked === null || run === undefined) return [];
        const dropped = asked.bring ? { dropped: "bring" as const } : {};
        return [
          { id: acceptRequestId(run.run, asked.seq), run: run.run, request: { kind: "accept", ...dropped } },
        ];
      });
