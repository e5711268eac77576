import { AGENTS } from "../../model/agent/kinds/registry.ts";
import { toExcerpt, type Signal } from "../../model/agent/signals.ts";
import type { World } from "../../model/world.ts";
import type {
  AgentDriver,
  EndOutcome,
  Finding,
  PermissionAnswer,
  SendOutcome,
  SessionRef,
  StartOrder,
  StartOutcome,
} from "../agent-driver.ts";
import { cannotReceive, createListeners, type Listening } from "../listening.ts";
import { sessionFolder, type SessionFolder } from "../keeper/session-folder.ts";
import { readPaper, settle, writeTask, type Settled } from "./manual-paper.ts";

export interface ManualDriverOptions {
  readonly world: World;
  /** Where sessions keep their papers; each has a folder of its own below it. */
  readonly folder: string;
}

/** Under this id a person is asked whether the work is done. */
const ASK_ID = "work";
const LOOK_EVERY_MS = 250;

/**
 * A person does the step. Nothing is started: the session is two papers, what is to be done and what came of it. The
 * run asks for a yes or no in its inbox; yes is done, no is failed, each with the person's note.
 */
export function manualDriver({ world, folder }: ManualDriverOptions): AgentDriver {
  const listeners = createListeners();
  const at = ({ session }: SessionRef): SessionFolder => sessionFolder(folder, session);
  return {
    use: "manual",
    capabilities: AGENTS.manual.capabilities,
    ...cannotReceive,
    start: (order) => Promise.resolve(start(world, at(order), order)),
    find: (ref) => Promise.resolve(find(at(ref))),
    listen: (ref, cursor, receive) =>
      listeners.start(receive, (listening) => read(world, at(ref), Number(cursor) || 0, listening)),
    answer: (ref, answer) => Promise.resolve(receivePerson(world, at(ref), answer)),
    end: (ref) => {
      settle(at(ref), { kind: "ended" }, world.id("draft"));
      return Promise.resolve<EndOutcome>({ kind: "ended" });
    },
    // Its papers are there for the next owner.
    abandon: () => undefined,
    close: () => {
      listeners.closeAll();
      return Promise.resolve();
    },
  };
}

function start(world: World, session: SessionFolder, { task }: StartOrder): StartOutcome {
  const { task: given, settled } = readPaper(session);
  if (given === undefined && settled !== undefined)
    return { kind: "failed", text: "the session was ended before it began", terminal: false };
  if (given === undefined) writeTask(session, task, world.id("draft"));
  return { kind: "started", detail: "a person is asked" };
}

function find(session: SessionFolder): Finding {
  const { task, settled } = readPaper(session);
  if (task === undefined) return { kind: "gone", detail: "nobody was asked" };
  return settled === undefined
    ? { kind: "alive", detail: "a person is asked" }
    : { kind: "over", detail: `it is ${settled.kind}` };
}

/** The first answer counts; the same one again, after a crash say, changes nothing. */
function receivePerson(world: World, session: SessionFolder, answer: PermissionAnswer): SendOutcome {
  const said = answer.note === undefined ? {} : { note: answer.note };
  const wanted: Settled = { kind: answer.allow ? "done" : "failed", ...said };
  const { kind } = settle(session, wanted, world.id("draft"));
  return kind === wanted.kind
    ? { kind: "sent", detail: "written down" }
    : { kind: "failed", text: `the step is ${kind} already`, terminal: true };
}

async function read(world: World, session: SessionFolder, from: number, listening: Listening): Promise<void> {
  let at = from;
  while (!listening.closed()) {
    const signals = signalsOf(session);
    const isOver = signals.at(-1)?.kind === "exit";
    // After the exit it is reported again to the one that asks again.
    const fresh = isOver && at >= signals.length ? signals.slice(-1) : signals.slice(at);
    at = signals.length;
    if (fresh.length > 0) await listening.receive({ signals: fresh, cursor: String(at) });
    if (isOver) return;
    await new Promise<void>((resolve) => {
      const cancel = world.timer(LOOK_EVERY_MS, resolve);
      listening.onClose(() => {
        cancel();
        resolve();
      });
    });
  }
}

/** All of a session, from what is on paper: the same for the one that reads it. */
function signalsOf(session: SessionFolder): readonly Signal[] {
  const { task, settled } = readPaper(session);
  if (task === undefined) return [{ kind: "exit", how: "vanished" }];
  const asked: Signal[] = [{ kind: "ready" }, { kind: "permission", askId: ASK_ID, what: toExcerpt(task) }];
  return settled === undefined ? asked : [...asked, ...lastWords(settled)];
}

function lastWords({ kind, note }: Settled): readonly Signal[] {
  switch (kind) {
    case "done":
      return [
        { kind: "result", ok: true, text: toExcerpt(note ?? "done by a person"), value: note ?? null },
        { kind: "exit", how: "code", code: 0 },
      ];
    case "failed":
      return [
        // A person who says no has thought about it: asking again at once would be no help.
        { kind: "error", text: toExcerpt(note ?? "a person could not do it"), terminal: true },
        { kind: "exit", how: "code", code: 1 },
      ];
    case "ended":
      return [{ kind: "exit", how: "signal", signal: "SIGTERM" }];
  }
}
