import type { System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import type { MissionView } from "../../views/mission/mission-document.ts";
import { missionView } from "../../views/mission/mission-view.ts";
import { missionLines } from "../print/mission-lines.ts";
import { didYouMean } from "../shell/nearest.ts";
import type { Invocation } from "../shell/invocation.ts";

/** What a person asks of a mission that is there. */
export type MissionAsk = Exclude<
  Parameters<System["missions"]["ask"]>[1],
  { kind: "begin" | "replan" | "pushed" }
>;

export type Mission = NonNullable<Awaited<ReturnType<System["missions"]["load"]>>>;

/** What is recorded of a mission beside what its runs and repositories say. */
export const viewOf = async (call: Invocation, system: System, state: Mission): Promise<MissionView> =>
  missionView(state, await system.missions.look(state), call.store.named);

/** A mission with what else there is to say, as a document or for people. */
export function showView(
  call: Invocation,
  view: MissionView,
  more: Readonly<Record<string, unknown>> = {},
): void {
  call.output.document({ ...view, ...more });
  for (const line of missionLines(view)) call.output.line(line);
}

/** The mission named; without a name the only one that is not over, or the newest of all. */
export async function missionAtHand(
  call: Invocation,
  system: System,
  named: string | undefined,
): Promise<Mission> {
  const names = await system.missions.names();
  if (named !== undefined) {
    const state = names.includes(named) ? await system.missions.load(named) : null;
    if (state !== null) return state;
    throw new Fault(
      "not_found",
      `there is no mission "${named}"${didYouMean(named, names)}; see ${call.command("mission", "list")}`,
    );
  }
  const states = (await Promise.all(names.map((name) => system.missions.load(name)))).filter(
    (one) => one !== null,
  );
  const open = states.filter(({ end }) => end === null);
  if (open.length > 1)
    throw new Fault("usage", `which mission? open are ${open.map(({ name }) => name).join(", ")}; name one`);
  const state = open[0] ?? states[0];
  if (state !== undefined) return state;
  throw new Fault(
    "not_found",
    `there is no mission yet; begin one with ${call.command("mission", "start", "mission.yaml")}`,
  );
}
