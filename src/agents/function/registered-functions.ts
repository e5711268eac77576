import type { AgentDriver, EndOutcome, Finding, StartOrder, StartOutcome } from "../agent-driver.ts";
import { findRegistered } from "./find-function.ts";
import type { FunctionAgent } from "./function-agent.ts";
import { type FunctionSession, startFunctionSession } from "./function-session.ts";
import { createListeners, type Listening } from "../listening.ts";
import type { World } from "../../model/world.ts";

/** What of a driver differs by where its sessions live. */
export type SessionKeeping = Pick<AgentDriver, "start" | "find" | "listen" | "end" | "abandon" | "close">;

/**
 * Runs functions that the user of the library registered as agents, inside this process.
 *
 * A session key is unknown, then opening (its function is looked up), then a session at work or over; a key that was
 * ended while opening is refused. Sessions die with the process: the next one finds them gone and begins them again.
 * 1. One key has at most one entry in the table, made before anything is awaited, so that starting twice starts once.
 * 2. A cursor names the entry it counts in: after a crash the function is entered again and read from its beginning.
 * 3. Sessions that are over stay in the table, at most `OVER_MAX` of them, so that a late start or listener finds them.
 */
interface Entry {
  outcome: Promise<StartOutcome>;
  session: FunctionSession | undefined;
  ended: boolean;
}

const OVER_MAX = 500;
const CLOSE_GRACE_MS = 2_000;

export function registeredFunctions(
  world: World,
  functions: ReadonlyMap<string, FunctionAgent>,
): SessionKeeping {
  const table = new Map<string, Entry>();
  const listeners = createListeners();

  const open = (order: StartOrder, entry: Entry): StartOutcome => {
    const lookup = findRegistered(order.spec.export ?? "default", functions);
    if (lookup.kind === "missing") {
      table.delete(order.session);
      return { kind: "failed", text: lookup.text, terminal: true };
    }
    world.crashPoint("session.spawn.before");
    entry.session = startFunctionSession(world, order, lookup.run);
    world.crashPoint("session.spawn.after");
    return { kind: "started", detail: `${lookup.detail} in process ${String(process.pid)}` };
  };
  const start = (order: StartOrder): Promise<StartOutcome> => {
    const known = table.get(order.session);
    if (known !== undefined) return known.outcome;
    const entry: Entry = {
      outcome: Promise.resolve({ kind: "started", detail: "" }),
      session: undefined,
      ended: false,
    };
    table.set(order.session, entry);
    forgetOldest(table);
    entry.outcome = Promise.resolve(open(order, entry));
    return entry.outcome;
  };
  return {
    start,
    find: (ref) => Promise.resolve(finding(table.get(ref.session))),
    listen: ({ session }, cursor, receive) =>
      listeners.start(receive, (listening) => readSession(table.get(session)?.session, cursor, listening)),
    end: ({ session }, graceMs) => endEntry(table.get(session), graceMs),
    abandon: ({ session }) => {
      const entry = table.get(session);
      table.delete(session);
      // Whether it stops or not is nobody's business any more: nothing it says can be received.
      void endEntry(entry, CLOSE_GRACE_MS);
    },
    close: async () => {
      // What a function says because its process ends is not its story: the next process enters it again.
      listeners.closeAll();
      await Promise.all([...table.keys()].map((session) => endEntry(table.get(session), CLOSE_GRACE_MS)));
    },
  };
}

async function endEntry(entry: Entry | undefined, graceMs: number): Promise<EndOutcome> {
  if (entry !== undefined) {
    entry.ended = true;
    await entry.session?.end(graceMs);
  }
  return { kind: "ended" };
}

function finding(entry: Entry | undefined): Finding {
  if (entry === undefined) return { kind: "gone", detail: "no such function is at work in this process" };
  const { session } = entry;
  if (session === undefined)
    return { kind: entry.ended ? "gone" : "alive", detail: "its function is being looked up" };
  return session.isOver()
    ? { kind: "over", detail: "the function has returned, failed or was abandoned" }
    : { kind: "alive", detail: `at work in process ${String(process.pid)}` };
}

function forgetOldest(table: Map<string, Entry>): void {
  const over = [...table].filter(([, { session, ended }]) => session?.isOver() ?? ended);
  for (const [key] of over.slice(0, Math.max(0, over.length - OVER_MAX))) table.delete(key);
}

const BATCH_SIGNALS_MAX = 200;

/** A session that is not of this process died with its own, and left no word about how. */
async function readSession(
  session: FunctionSession | undefined,
  cursor: string,
  listening: Listening,
): Promise<void> {
  if (session === undefined) {
    await listening.receive({ signals: [{ kind: "exit", how: "vanished" }], cursor });
    return;
  }
  const { log, entry } = session;
  listening.onClose(() => {
    log.wake();
  });
  let position = positionIn(entry, cursor);
  while (!listening.closed()) {
    const batch = log.read(position, BATCH_SIGNALS_MAX);
    const exit = session.isOver() && batch.signals.length === 0 ? log.last() : undefined;
    const signals = exit === undefined ? batch.signals : [exit];
    if (signals.length === 0) {
      await log.more(position);
      continue;
    }
    position = batch.next;
    if (!(await listening.receive({ signals, cursor: `${entry}:${String(position)}` }))) return;
    log.received(position);
    if (signals.at(-1)?.kind === "exit") return;
  }
}

function positionIn(entry: string, cursor: string): number {
  const [of, position] = cursor.split(":");
  return of === entry ? Number(position) : 0;
}
