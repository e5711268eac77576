import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AgentDriver, SessionRef, StartOrder, StartOutcome } from "../agent-driver.ts";
import { cannotReceive, createListeners } from "../listening.ts";
import { demoOrder } from "./demo-order.ts";
import type { DemoScript } from "./demo-script.ts";
import { findScript } from "./find-script.ts";
import { endSession } from "../keeper/end-session.ts";
import { launchSession } from "../keeper/launch-session.ts";
import { probeSession } from "../keeper/probe-session.ts";
import { sessionFolder, type SessionFolder } from "../keeper/session-folder.ts";
import { type LineReader, readSpool } from "../keeper/spool/read-spool.ts";
import { sifted } from "../keeper/spool/sifting.ts";
import { signalOfLine } from "../keeper/spool/spool-lines.ts";
import { AGENTS } from "../../model/agent/kinds/registry.ts";
import { redactAll } from "../../model/text/redact.ts";
import type { World } from "../../model/world.ts";

export interface DemoDriverOptions {
  readonly world: World;
  /** Where sessions keep their spools; each has a folder of its own below it. */
  readonly folder: string;
  /** Up to here all of what an agent prints is read. */
  readonly outputBytesMax?: number | undefined;
}

/** A scripted agent: a real process of its own that plays a script, and goes on when its supervisor dies. */
export function demoDriver({ world, folder, outputBytesMax: quotaBytes }: DemoDriverOptions): AgentDriver {
  const listeners = createListeners();
  const at = ({ session }: SessionRef): SessionFolder => sessionFolder(folder, session);
  return {
    use: "demo",
    capabilities: AGENTS.demo.capabilities,
    ...cannotReceive,
    start: (order) => start({ world, outputBytesMax: quotaBytes }, at(order), order),
    find: (ref) => probeSession(world, at(ref)),
    listen: (ref, cursor, receive) =>
      listeners.start(receive, (listening) =>
        readSpool(
          { world, session: at(ref), spools: ["out"], reader: demoReader, remembers: false, quotaBytes },
          cursor,
          listening,
        ),
      ),
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
  { world, outputBytesMax }: Pick<DemoDriverOptions, "world" | "outputBytesMax">,
  session: SessionFolder,
  order: StartOrder,
): Promise<StartOutcome> {
  const lookup = findScript(order.spec, order.cwd);
  if (lookup.kind === "missing") return { kind: "failed", text: lookup.text, terminal: true };
  if (!existsSync(order.cwd))
    return { kind: "failed", text: `the folder to work in, ${order.cwd}, does not exist`, terminal: true };
  return launchSession(world, {
    session,
    cwd: order.cwd,
    command: [process.execPath, agentProgram(), session.order],
    heir: order,
    order: demoOrder(order, sayingNoSecrets(lookup.script)),
    outputBytesMax,
  });
}

/** Beside this file, as source or as built. */
function agentProgram(): string {
  const name = import.meta.url.endsWith(".ts") ? "./demo-agent.ts" : "./demo-agent.js";
  return fileURLToPath(new URL(name, import.meta.url));
}

const TOUCHES_FILES: readonly string[] = ["write", "append", "remove", "wait"];

/** What it says is cleaned by its copier in any case, and would stand in its order; what it does to files stays as it is. */
const sayingNoSecrets = ({ attempts }: DemoScript): DemoScript => ({
  attempts: attempts.map((acts) =>
    acts.map((act) => (TOUCHES_FILES.includes(act.do) ? act : redactAll(act, sifted))),
  ),
});

/** The scripted agent prints one signal per line as JSON. */
export const demoReader = (): LineReader => ({
  read: (line) => (line.text.trim() === "" ? [] : [signalOfLine(line)]),
});
