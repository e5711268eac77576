import { AGENTS } from "../../model/agent/kinds/registry.ts";
import type { World } from "../../model/world.ts";
import type { AgentDriver, SessionRef } from "../agent-driver.ts";
import { cannotBeTold } from "../cannot-be-told.ts";
import type { FunctionAgent } from "./function-agent.ts";
import { moduleFunctions } from "./module-functions.ts";
import { registeredFunctions, type SessionKeeping } from "./registered-functions.ts";

export interface FunctionDriverOptions {
  readonly world: World;
  /** Where sessions of modules keep their spools; each has a folder of its own below it. */
  readonly folder: string;
  readonly functions?: ReadonlyMap<string, FunctionAgent>;
  /** Up to here all of what an agent prints is read. */
  readonly outputBytesMax?: number | undefined;
}

/**
 * Runs TypeScript functions as agents: one that a module exports in a process of its own, which a function that throws
 * late or exits cannot leave; one that the library's user registered inside this process, which is the user's own.
 */
export function functionDriver(options: FunctionDriverOptions): AgentDriver {
  const { world, folder, functions = new Map(), outputBytesMax } = options;
  const inside = registeredFunctions(world, functions);
  const apart = moduleFunctions(world, folder, outputBytesMax);
  const keeping = ({ spec }: SessionRef): SessionKeeping => (spec.module === undefined ? inside : apart);
  return {
    use: "function",
    // Of registered functions; who asks knows by the agent's settings which it is.
    capabilities: { ...AGENTS.function.capabilities, outlivesSupervisor: false },
    ...cannotBeTold,
    start: (order) => keeping(order).start(order),
    find: (ref) => keeping(ref).find(ref),
    listen: (ref, cursor, hear) => keeping(ref).listen(ref, cursor, hear),
    end: (ref, graceMs) => keeping(ref).end(ref, graceMs),
    abandon: (ref) => keeping(ref).abandon(ref),
    close: async () => {
      await Promise.all([inside.close(), apart.close()]);
    },
  };
}
