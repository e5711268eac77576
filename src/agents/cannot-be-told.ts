import type { AgentDriver, SendOutcome } from "./agent-driver.ts";

const refused = (): Promise<SendOutcome> =>
  Promise.resolve({ kind: "failed", terminal: true, text: "this kind of agent cannot be spoken to at work" });

/** For agents that are given their task and nothing more. */
export const cannotBeTold: Pick<AgentDriver, "send" | "answer" | "interrupt"> = {
  send: refused,
  answer: refused,
  interrupt: refused,
};
