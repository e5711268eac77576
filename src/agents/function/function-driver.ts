import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentDriver, SessionRef, StartOrder, StartOutcome } from "../agent-driver.ts";
import { cannotReceive, createListeners } from "../listening.ts";
import { moduleMissing } from "./find-function.ts";
import type { FunctionAgent } from "./function-agent.ts";
import { RESULT_CHARS_MAX } from "./function-session.ts";
import { moduleOrder, nodeFlags, RESULT_FILE } from "./module-order.ts";
import { registeredFunctions, type SessionKeeping } from "./registered-functions.ts";
import { endSession } from "../keeper/end-session.ts";
import { launchSession } from "../keeper/launch-session.ts";
import { probeSession } from "../keeper/probe-session.ts";
import { sessionFolder, type SessionFolder } from "../keeper/session-folder.ts";
import { type LineReader, readSpool } from "../keeper/spool/read-spool.ts";
import { signalOfLine } from "../keeper/spool/spool-lines.ts";
import { plainText } from "../../files/plain-file.ts";
import { AGENTS } from "../../model/agent/kinds/registry.ts";
import { type Signal, toExcerpt } from "../../model/agent/signals.ts";
import { errorText } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";

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
    ...cannotReceive,
    start: (order) => keeping(order).start(order),
    find: (ref) => keeping(ref).find(ref),
    listen: (ref, cursor, receive) => keeping(ref).listen(ref, cursor, receive),
    end: (ref, graceMs) => keeping(ref).end(ref, graceMs),
    abandon: (ref) => keeping(ref).abandon(ref),
    close: async () => {
      await Promise.all([inside.close(), apart.close()]);
    },
  };
}

/** Runs functions that modules export: each in a process of its own, which continues when its supervisor dies. */
function moduleFunctions(world: World, folder: string, quotaBytes?: number): SessionKeeping {
  const listeners = createListeners();
  const at = ({ session }: SessionRef): SessionFolder => sessionFolder(folder, session);
  return {
    start: (order) => start(at(order), order, { world, quotaBytes }),
    find: (ref) => probeSession(world, at(ref)),
    listen: (ref, cursor, receive) =>
      listeners.start(receive, (listening) => {
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

/** Every line that the program of a module prints is a signal; a long result is read from its file. */
const moduleReader = (folder: string): LineReader => ({
  read: (line) => {
    if (line.text.trim() === "") return [];
    const signal = signalOfLine(line);
    return [signal.kind === "result" && namesFile(line.text) ? withValue(signal, folder) : signal];
  },
});

/** Checked as text: the rest of the line is small, and a signal keeps only the fields it knows. */
const namesFile = (text: string): boolean => text.endsWith(`"valueIn":"${RESULT_FILE}"}`);

function withValue(signal: Extract<Signal, { kind: "result" }>, folder: string): Signal {
  try {
    return { ...signal, value: JSON.parse(readResult(path.join(folder, RESULT_FILE))) as unknown };
  } catch (error) {
    const text = `the result of the function cannot be read: ${errorText(error)}`;
    return { kind: "error", text: toExcerpt(text), terminal: false };
  }
}

const BYTES_PER_CHAR_MAX = 4;

/** The agent can write there. */
function readResult(file: string): string {
  const text = plainText(file, { bytesMax: RESULT_CHARS_MAX * BYTES_PER_CHAR_MAX });
  if (text === undefined) throw new Error(`${file} is not there`);
  return text;
}
