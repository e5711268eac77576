import { acceptRequestId } from "../../decide/mission/work-fact.ts";
import { workstreamsOf } from "../../decide/mission/workstreams.ts";
import type { IssuedGoal } from "../../decide/continuous/goal-runs.ts";
import type { HandedOn } from "../../model/mission/mission-events.ts";
import type { MissionSpec } from "../../model/mission/mission-spec.ts";
import type { MissionState, WorkstreamState } from "../../model/mission/mission-state.ts";
import type { RunOrder } from "../create-run.ts";
import { Fault } from "../../model/fault.ts";
import type { OwedRequest } from "../continuous/child-effects.ts";
import { ScopeEffects } from "../continuous/scope-effects.ts";
import type { Leases } from "../leases.ts";
import type { HandedText, Ports } from "../ports.ts";

type Issued = IssuedGoal<WorkstreamState>;

/** Longer files do not stand in the task: they are handed on by their digest. */
const HANDED_BYTES_MAX = 8_192;

/** Who asks for the runs of a mission. */
export const missionActor = (name: string): string => `mission:${name}`;

export type MissionEffects = ScopeEffects<WorkstreamState, MissionState>;

/** What a mission does outside of its journal: besides what every scope does, it lays branches and asks for acceptances. */
export const missionEffects = (ports: Ports, leases: Leases): MissionEffects =>
  new ScopeEffects(ports, leases, {
    actor: missionActor,
    also: acceptances,
    order: (state, issued) => {
      const { spec } = state;
      return ports.missions === undefined || spec === null
        ? null
        : () => orderOf(ports, { state, spec }, issued);
    },
    points: {
      beforeAsk: () => ports.world.crashPoint("mission.ask.before"),
      afterAsk: () => ports.world.crashPoint("mission.ask.after"),
      beforeCreate: () => ports.world.crashPoint("mission.create.before"),
      afterCreate: () => ports.world.crashPoint("mission.create.after"),
    },
  });

async function orderOf(
  ports: Ports,
  { state, spec }: { readonly state: MissionState; readonly spec: MissionSpec },
  { goal, run }: Issued,
): Promise<RunOrder> {
  const { missions, repositories, world } = ports;
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
  return missions.order(spec, goal.goal, await handedTexts(ports, state, run.handed));
}

const handedTexts = (
  { artifacts }: Pick<Ports, "artifacts">,
  state: MissionState,
  handed: readonly HandedOn[],
): Promise<HandedText[]> =>
  Promise.all(
    handed.map(async (one) => {
      const bytes = one.bytes > HANDED_BYTES_MAX ? null : await artifacts.read(one.digest);
      const isDecisions = state.goals[one.from]?.goal.decisions === one.path;
      return { ...one, isDecisions, text: bytes === null ? null : new TextDecoder().decode(bytes) };
    }),
  );

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
