import type { ContinuousView } from "../../views/continuous/continuous-view.ts";
import { exitOfSession } from "../continuous/exit-of-session.ts";
import { onInterrupt } from "../run/interrupts.ts";
import { EXIT } from "../shell/define-command.ts";
import type { Called } from "./called.ts";
import type { Later, Plan, Remote, RemoteWork } from "./remote.ts";
import { persistently, RemoteNews } from "./remote-news.ts";

const AT_HAND = "-";
const ofSession = (session: string | undefined) => ({ session: session ?? AT_HAND });
const ask = (session: string | undefined, body: object): Plan => ({
  route: "askContinuous",
  params: ofSession(session),
  body,
});

interface Told extends ContinuousView {
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

/** Until the session has ended, or needs somebody. Ending this command does not affect it. */
async function waitFor(remote: Remote, plan: Plan): Promise<number> {
  const { session, answer } = await remote.ask<Told>(plan);
  remote.output.line(answer);
  const over = new AbortController();
  const quiet = onInterrupt(() => over.abort());
  const news = new RemoteNews(remote, `continuous:${session}`);
  const shown: Plan = { route: "getContinuous", params: { session } };
  try {
    for (;;) {
      const view = await persistently(remote, over.signal, () => remote.ask<ContinuousView>(shown));
      const code = over.signal.aborted ? EXIT.interrupted : exitOfSession(view);
      if (code !== null) {
        await remote.show(shown);
        return code;
      }
      await news.next(over.signal);
    }
  } finally {
    quiet();
    news.close();
  }
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
