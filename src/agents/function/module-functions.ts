import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { World } from "../../model/world.ts";
import type { SessionRef, StartOrder, StartOutcome } from "../agent-driver.ts";
import { endSession } from "../keeper/end-session.ts";
import { launchSession } from "../keeper/launch-session.ts";
import { probeSession } from "../keeper/probe-session.ts";
import { readSpool } from "../keeper/spool/read-spool.ts";
import { sessionFolder, type SessionFolder } from "../keeper/session-folder.ts";
import { createListeners } from "../listening.ts";
import { moduleMissing } from "./find-function.ts";
import { moduleOrder, nodeFlags } from "./module-order.ts";
import { moduleReader } from "./module-reader.ts";
import type { SessionKeeping } from "./registered-functions.ts";

/** Runs functions that modules export: each in a process of its own, which continues when its supervisor dies. */
export function moduleFunctions(world: World, folder: string, quotaBytes?: number): SessionKeeping {
  const listeners = createListeners();
  const at = ({ session }: SessionRef): SessionFolder => sessionFolder(folder, session);
  return {
    start: (order) => start(at(order), order, { world, quotaBytes }),
    find: (ref) => probeSession(world, at(ref)),
    listen: (ref, cursor, hear) =>
      listeners.start(hear, (listening) => {
        const session = at(ref);
        const reader = () => moduleReader(session.folder);
        const spools = ["out"] as const;
        const reading = { world, session, spools, reader, remembers: false, quotaBytes };
        return readSpool(reading, cursor, listening);
      }),
    end: (ref, graceMs) => endSession(world, at(ref), graceMs),
    // Its process goes on for the next owner.
    abandon: () => undefined,
    close: () => {
      listeners.closeAll();
      return Promise.resolve();
    },
  };
}

async function start(
  session: SessionFolder,
  order: StartOrder,
  { world, quotaBytes }: { readonly world: World; readonly quotaBytes: number | undefined },
): Promise<StartOutcome> {
  const { spec, cwd } = order;
  if (!existsSync(cwd)) return hopeless(`the folder to work in, ${cwd}, does not exist`);
  const module = path.resolve(cwd, spec.module ?? "");
  const name = spec.export ?? "default";
  if (!existsSync(module)) return hopeless(moduleMissing(module, name));
  return launchSession(world, {
    session,
    cwd,
    command: [process.execPath, ...nodeFlags(process.execArgv), agentProgram(), session.order],
    heir: order,
    env: spec.env ?? {},
    order: moduleOrder(order, module, name),
    outputBytesMax: quotaBytes,
  });
}

const hopeless = (text: string): StartOutcome => ({ kind: "failed", text, terminal: true });

/** Beside this file, as source or as built. */
function agentProgram(): string {
  const name = import.meta.url.endsWith(".ts") ? "./module-agent.ts" : "./module-agent.js";
  return fileURLToPath(new URL(name, import.meta.url));
}
