import type { MissionView } from "../../views/mission/mission-document.ts";
import { exitOfMission, type Waited } from "../mission/exit-of-mission.ts";
import { countOf, namedWorkstream } from "../mission/launch-words.ts";
import type { Called } from "./called.ts";
import type { Later, Plan, Remote, RemoteWork } from "./remote.ts";
import { waitUntilOver } from "./wait-until-over.ts";

const AT_HAND = "-";
const read = (route: Plan["route"], mission: string | undefined): Plan => ({
  route,
  params: { mission: mission ?? AT_HAND },
});
const ask = (mission: string | undefined, body: object): Plan => ({ ...read("askMission", mission), body });

interface Answered extends MissionView {
  readonly answer: string;
  readonly warning?: string;
}

interface Waiting {
  readonly plan: Plan;
  readonly goal: Waited;
  readonly wait: boolean | undefined;
}

/** Until nothing more happens by itself. */
const asked = (remote: Remote, { plan, goal, wait }: Waiting): Plan | Later =>
  wait === true ? () => waitFor(remote, plan, goal) : plan;

async function waitFor(remote: Remote, plan: Plan, goal: Waited): Promise<number> {
  const { mission, answer, warning } = await remote.ask<Answered>(plan);
  remote.output.line(answer);
  if (warning !== undefined) remote.output.note(`holdfast: warning: ${warning}`);
  return waitUntilOver<MissionView>(remote, {
    address: `mission:${mission}`,
    shown: read("getMission", mission),
    exitOf: (view) => exitOfMission(view, goal),
  });
}

function launch({ args: [name], options }: Called, remote: Remote): Plan | Later {
  const { retry, wait } = options;
  const workstream = namedWorkstream(options.workstream);
  const plan = ask(name, { kind: "launch", workstream, retry });
  return asked(remote, { plan, goal: { kind: "launch", workstream }, wait });
}

function autopilot({ args: [name], options }: Called, remote: Remote): Plan | Later {
  const { off, autoRetry, maxRetries, maxMissionRetries, continueOnFailure, wait } = options;
  const plan = ask(name, {
    kind: "autopilot",
    ...{ off, autoRetry, continueOnFailure },
    maxRetries: countOf("--max-retries", maxRetries),
    maxMissionRetries: countOf("--max-mission-retries", maxMissionRetries),
  });
  return asked(remote, { plan, goal: { kind: off === true ? "autopilot_off" : "autopilot" }, wait });
}

function approve({ args: [name], options: { digest, wait } }: Called, remote: Remote): Plan | Later {
  return asked(remote, { plan: ask(name, { kind: "approve", digest }), goal: { kind: "approve" }, wait });
}

/** The commands of missions, by their words. Files and repositories are those of the server's machine. */
export const REMOTE_MISSION: Readonly<Record<string, RemoteWork>> = {
  "mission start": ({ args: [file], options: { name } }) => ({ route: "beginMission", body: { file, name } }),
  "mission status": ({ args: [name] }) => read("getMission", name),
  "mission list": () => ({ route: "listMissions" }),
  "mission diff": ({ args: [name] }) => read("diffMission", name),
  "mission launch": launch,
  "mission autopilot": autopilot,
  "mission approve": approve,
  "mission pause": ({ args: [name] }) => ask(name, { kind: "pause" }),
  "mission resume": ({ args: [name] }) => ask(name, { kind: "resume" }),
  "mission stop": ({ args: [name] }) => ask(name, { kind: "stop" }),
  "mission reconcile": ({ args: [name] }) => ask(name, { kind: "reconcile" }),
  "mission skip": ({ args: [workstream], options: { mission } }) =>
    ask(mission, { kind: "skip", workstream }),
  "mission pass": ({ args: [barrier], options: { mission } }) => ask(mission, { kind: "pass", barrier }),
};
