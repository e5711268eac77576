import { fileURLToPath } from "node:url";
import { functionDriver } from "../../../src/agents/function/function-driver.ts";
import { crashOptionsFrom, realWorld } from "../../../src/real-world.ts";
import { keptSessions, sessionsIn } from "./kept-sessions.ts";
import type { Subject } from "./subject.ts";

const MODULE = fileURLToPath(new URL("./module-agents.ts", import.meta.url));

export const subject: Subject = {
  name: "function of a module",
  module: import.meta.url,
  open: (folder) =>
    functionDriver({ world: realWorld(crashOptionsFrom(process.env)), folder: sessionsIn(folder) }),
  specFor: (part) => ({
    use: "function",
    module: part === "missing" ? "missing.ts" : MODULE,
    export: part === "exits-3" ? "exits" : part,
  }),
  exceptions: {},
  ...keptSessions,
};
