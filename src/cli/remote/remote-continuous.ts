import type { ContinuousView } from "../../views/continuous/continuous-view.ts";
import { exitOfSession } from "../continuous/exit-of-session.ts";
import type { Called } from "./called.ts";
import type { Later, Plan, Remote, RemoteWork } from "./remote.ts";
import { waitUntilOver } from "./wait-until-over.ts";

const AT_HAND = "-";
const ofSession = (session: string | undefined) => ({ session: session ?? AT_HAND });
const ask = (session: string | undefined, body: object): Plan => ({
  route: "askContinuous",
  params: ofSession(session),
  body,
});

interface Answered extends ContinuousView {
  readonly answer: string;
}

/** Files and folders of goals are those of the server's machine. */
function begin({ args: [file], options }: Called, remote: Remote): Plan | Later {
  const { source, name, agent, flow, check, concurrency, onBlocked, onFailed, idle, vision, inPlace, wait } =
    options;
  const plan: Plan = {
    route: "beginContinuous",
    body: {
      ...{ file, source, name, agent, flow, checks: check, onBlocked, onFailed, idle, vision, inPlace },
      ...(concurrency === undefined ? {} : { concurrency: Number(concurrency) }),
    },
  };
  return wait === true ? () => waitFor(remote, plan) : plan;
}

/** Until the session has ended, or needs somebody. */
async function waitFor(remote: Remote, plan: Plan): Promise<number> {
  const { session, answer } = await remote.ask<Answered>(plan);
  remote.output.line(answer);
  return waitUntilOver<ContinuousView>(remote, {
    address: `continuous:${session}`,
    shown: { route: "getContinuous", params: { session } },
    exitOf: exitOfSession,
  });
}

/** The commands of continuous sessions, by their words. */
export const REMOTE_CONTINUOUS: Readonly<Record<string, RemoteWork>> = {
  continuous: begin,
  "continuous status": ({ args: [name] }) => ({ route: "getContinuous", params: ofSession(name) }),
  "continuous list": () => ({ route: "listContinuous" }),
  "continuous pause": ({ args: [name] }) => ask(name, { kind: "pause" }),
  "continuous resume": ({ args: [name] }) => ask(name, { kind: "resume" }),
  "continuous stop": ({ args: [name] }) => ask(name, { kind: "stop" }),
  "continuous skip": ({ args: [goal], options: { session } }) => ask(session, { kind: "skip", goal }),
};
