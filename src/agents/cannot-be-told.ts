import type { AgentDriver, SendOutcome } from "./agent-driver.ts";

const refused = (): Promise<SendOutcome> =>
  Promise.resolve({
    kind: "failed",
    terminal: true,
    text: "this kind of agent does not accept messages while it works",
  });

/** For agents that are given their task and nothing more. */
export const cannotBeTold: Pick<AgentDriver, "send" | "answer" | "interrupt"> = {
  send: refused,
  answer: refused,
  interrupt: refused,
};
