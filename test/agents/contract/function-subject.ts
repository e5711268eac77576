import { functionDriver } from "../../../src/agents/function/function-driver.ts";
import { realWorld } from "../../../src/real-world.ts";
import { sessionsIn } from "./kept-sessions.ts";
import { MODULE_AGENTS } from "./module-agents.ts";
import type { Subject } from "./subject.ts";

const inProcess = "a function lives and dies with its process, and is entered anew by the next";
const noProcess = "a function is no process: it has no pid, no children, no exit status and prints no lines";

export const subject: Subject = {
  name: "function",
  module: import.meta.url,
  open: (folder) =>
    functionDriver({
      world: realWorld(),
      folder: sessionsIn(folder),
      functions: new Map(Object.entries(MODULE_AGENTS)),
    }),
  specFor: (part) => ({ use: "function", export: part }),
  exceptions: {
    "A10 two supervisors that start one session at once leave one agent": inProcess,
    "A10 a start killed just before or just after the spawn, and repeated, leaves one agent": inProcess,
    "A2 a session survives SIGKILL of its supervisor and is heard by the next without loss or doubling":
      inProcess,
    "A2 closing a driver leaves its sessions at work": inProcess,
    "A7 half a line is waited for, and told as unknown if the agent exits on it": noProcess,
    "A5 an exit without evidence of success carries no result":
      "a value that a function returned is its claim of success",
    "A7 an exit tells the code or the signal it came by": noProcess,
    "A4 an agent that went without a word is told as vanished, never as a success": noProcess,
    "A5 children end with their agent, in its group or in a session of their own": noProcess,
    "A5 ending a session whose agent exited ends what it left behind": noProcess,
    "A5 a session that was ended before it began does not begin afterwards":
      "no other process can start it, and this one does not start what it has ended",
    "A3 a process that got the pid of an agent is never signalled, nor taken for it": noProcess,
  },
};
