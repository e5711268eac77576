import { Fault } from "../../model/fault.ts";
import { personOnly } from "../ask/who-asks.ts";
import { tableLines } from "../print/table.ts";
import { EXIT } from "../shell/define-command.ts";
import type { Invocation } from "../shell/invocation.ts";
import { ensureSupervisor } from "../supervise/detached-supervisor.ts";
import { missionAtHand, showView, viewOf, type MissionAsk } from "./mission-at-hand.ts";
import { waitForMission } from "./wait-for-mission.ts";

export function showMission(call: Invocation, named: string | undefined): Promise<number> {
  return call.withSystem("empty", async (system) => {
    showView(call, await viewOf(call, system, await missionAtHand(call, system, named)));
    return EXIT.done;
  });
}

export function listMissions(call: Invocation): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const names = await system.missions.names();
    const states = (await Promise.all(names.map((name) => system.missions.load(name)))).filter(
      (one) => one !== null,
    );
    const views = [];
    for (const state of states) views.push(await viewOf(call, system, state));
    call.output.document({ missions: views });
    if (views.length === 0)
      call.output.line(`no missions yet; begin one with ${call.command("mission", "start", "mission.yaml")}`);
    else
      for (const line of tableLines([
        ["MISSION", "STATUS", "DONE", "REPOSITORIES"],
        ...views.map(({ mission, status, workstreams, repositories }) => [
          mission,
          status.replaceAll("_", " "),
          `${String(workstreams.filter((one) => ["done", "accepted", "skipped"].includes(one.status)).length)} of ${String(workstreams.length)}`,
          repositories.map(({ name }) => name).join(", "),
        ]),
      ]))
        call.output.line(line);
    return EXIT.done;
  });
}

interface AskOptions {
  /** Until nothing more happens by itself. */
  readonly wait?: boolean | undefined;
}

/** Nothing has to be done about these by a supervisor. */
const QUIET: readonly MissionAsk["kind"][] = ["pause", "autopilot_off"];

/** Asks something of a mission, and sees to it that somebody does it. */
export function askMission(
  call: Invocation,
  named: string | undefined,
  request: MissionAsk,
  { wait }: AskOptions = {},
): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const { name } = await missionAtHand(call, system, named);
    const by = await personOnly(call, system, WORDS[request.kind]);
    const { answer, state } = await system.missions.ask(name, request, { by, ...call.asked });
    if (answer.kind === "refused") {
      const { text, reason } = answer;
      const see = call.command("mission", "status", name);
      throw new Fault(reason === "unknown" ? "not_found" : "refused", `${reason}: ${text}; see ${see}`, {
        details: { mission: name, reason },
      });
    }
    const { events, warning, text } = answer;
    const isOn = !QUIET.includes(request.kind) && (await system.store.standing()).stop === null;
    const supervisor = isOn ? await ensureSupervisor(call, system) : null;
    call.output.line(text);
    if (warning !== undefined) call.output.note(`holdfast: warning: ${warning}`);
    if (wait === true) return waitForMission(call, system, { name, goal: request });
    const more = {
      answer: text,
      changed: events.length > 0,
      supervisor,
      ...(warning === undefined ? {} : { warning }),
    };
    showView(call, await viewOf(call, system, state), more);
    return EXIT.done;
  });
}

const WORDS: Readonly<Record<MissionAsk["kind"], string>> = {
  pause: "pause a mission",
  resume: "resume a mission",
  stop: "stop a mission",
  launch: "launch a workstream",
  skip: "leave a workstream out",
  pass: "let a barrier pass",
  autopilot: "start an autopilot",
  autopilot_off: "stop an autopilot",
  approve: "approve the work of a mission",
  reconcile: "reconcile a mission",
};
