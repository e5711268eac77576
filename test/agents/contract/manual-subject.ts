import { appendFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import type { AgentDriver, StartOrder } from "../../../src/agents/agent-driver.ts";
import { manualDriver } from "../../../src/agents/manual/manual-driver.ts";
import { textDigest } from "../../../src/agents/to-signal.ts";
import { realWorld } from "../../../src/real-world.ts";
import type { Subject } from "./subject.ts";

const saysLittle = "a person is asked once and answers once: there is no stream of words";
const noProcess = "nothing is started: there is no process, no output, no exit status and nothing to spawn";

/** A person who reads what is asked and does it, once, no matter who asked. */
function withPerson(driver: AgentDriver, folder: string): AgentDriver {
  return {
    ...driver,
    async start(order) {
      const outcome = await driver.start(order);
      if (outcome.kind === "started" && isFirst(folder, order.session)) await act(driver, order);
      return outcome;
    },
  };
}

function isFirst(folder: string, session: string): boolean {
  try {
    mkdirSync(path.join(folder, `person-${textDigest(session)}`));
    return true;
  } catch {
    return false;
  }
}

async function act(driver: AgentDriver, order: StartOrder): Promise<void> {
  const part = order.step;
  const answer = { key: "k", askId: "work" };
  if (part === "works" || part === "hangs") appendFileSync(path.join(order.cwd, "work.log"), "done\n");
  if (part === "works") await driver.answer(order, { ...answer, allow: true });
  if (part === "fails") await driver.answer(order, { ...answer, allow: false, note: "no" });
}

export const subject: Subject = {
  name: "manual",
  module: import.meta.url,
  open: (folder) =>
    withPerson(manualDriver({ world: realWorld(), folder: path.join(folder, "sessions") }), folder),
  specFor: () => ({ use: "manual" }),
  exceptions: {
    "A10 a start killed just before or just after the spawn, and repeated, leaves one agent": noProcess,
    "A2 a session survives SIGKILL of its supervisor and is heard by the next without loss or doubling":
      saysLittle,
    "A2 closing a driver leaves its sessions at work": saysLittle,
    "A4 a session is found alive while it works and over afterwards": saysLittle,
    "A1 an agent that does not exist is a final failure that names what is missing":
      "there is always a person",
    "A7 a session is told in signals of one shape, from ready to exit": saysLittle,
    "A2 listening again from any cursor yields exactly what came after it": saysLittle,
    "A2 a listener that takes its time is waited for, and loses nothing": saysLittle,
    "A2 a listener that fails hears no more, and the next one goes on from the last cursor": saysLittle,
    "a closed listener hears nothing more": saysLittle,
    "A7 what is not understood is kept as unknown and is never an error": noProcess,
    "A7 half a line is waited for, and told as unknown if the agent exits on it": noProcess,
    "A5 an exit without evidence of success carries no result": "a yes is the evidence",
    "A7 an exit tells the code or the signal it came by": noProcess,
    "A4 an agent that went without a word is told as vanished, never as a success": noProcess,
    "A5 an agent deaf to polite ends is ended firmly after its grace": noProcess,
    "A5 children end with their agent, in its group or in a session of their own": noProcess,
    "A5 ending a session whose agent exited ends what it left behind": noProcess,
    "A3 a process that got the pid of an agent is never signalled, nor taken for it": noProcess,
  },
};
