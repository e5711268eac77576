import type {
  AgentDriver,
  EndOutcome,
  PermissionAnswer,
  SendOutcome,
  SessionRef,
  StartOrder,
  StartOutcome,
} from "../agent-driver.ts";
import { endSession } from "../keeper/end-session.ts";
import { probeSession } from "../keeper/probe-session.ts";
import { readSpool } from "../keeper/spool/read-spool.ts";
import { createListeners } from "../listening.ts";
import { findProgram } from "./find-program.ts";
import { lastBytes } from "./screen/raw-reader.ts";
import { TerminalWatch } from "./screen/watch-terminals.ts";
import { impossible, startTerminal } from "./start-terminal.ts";
import { terminalFolder } from "./terminal-folder.ts";
import { targetOf, tmuxClient } from "./tmux-client.ts";
import { receiptReader } from "./type/delivery-log.ts";
import { readSaid, writeSaid } from "./type/said-record.ts";
import { awaitLook, failed, lookNow, pressKeys, speak } from "./type/speak.ts";
import type { Speaking } from "./type/speaking.ts";
import { createTalks } from "./type/talks.ts";
import { AGENTS } from "../../model/agent/kinds/registry.ts";
import type { World } from "../../model/world.ts";

export interface TmuxDriverOptions {
  readonly world: World;
  /** Where sessions keep their spools; its path also names the tmux server. */
  readonly folder: string;
  /** For tests: another tmux. */
  readonly tmux?: string;
}

/** Any terminal program, in a tmux server of Holdfast's own: it is typed to, and its screen is read. */
export function tmuxDriver({ world, folder, tmux: program = "tmux" }: TmuxDriverOptions): AgentDriver {
  const tmux = tmuxClient(folder, program);
  const watch = new TerminalWatch(world, tmux);
  const talks = createTalks(world, tmux, folder);
  const listeners = createListeners();
  return {
    use: "tmux",
    capabilities: AGENTS.tmux.capabilities,
    start,
    find: ({ session }) => probeSession(world, terminalFolder(folder, session).kept),
    listen: (ref, cursor, receive) =>
      listeners.start(receive, async (listening) => {
        const { one, release } = watch.watch(ref.session, () => talks.watched(ref));
        listening.onClose(release);
        const session = one.terminal.kept;
        const spools = ["out"] as const;
        const settled = (): boolean => one.ended;
        const reading = { world, session, spools, reader: receiptReader, remembers: false, settled };
        await readSpool(reading, cursor, listening).finally(release);
      }),
    send: (ref, { key, text }) => talks.deliver(ref, (to) => speak(to, `send:${key}`, text)),
    answer: (ref, answer) => talks.deliver(ref, (to) => answerDialog(to, answer)),
    interrupt: (ref) => talks.deliver(ref, interruptProgram),
    end,
    // Its terminal goes on for the next owner.
    abandon: () => undefined,
    close: async () => {
      listeners.closeAll();
      await watch.close();
      await talks.settled();
    },
  };

  async function start(order: StartOrder): Promise<StartOutcome> {
    const found = findProgram(order.spec);
    if ("problem" in found) return { kind: "failed", text: found.problem, terminal: true };
    const problem = impossible(order);
    if (problem !== undefined) return { kind: "failed", text: problem, terminal: true };
    const terminal = terminalFolder(folder, order.session);
    const outcome = await startTerminal({ world, tmux, terminal, order, program: found });
    if (outcome.kind === "started") watch.bringTask(order.session, () => talks.watched(order));
    return outcome;
  }

  async function end({ session }: SessionRef, graceMs: number): Promise<EndOutcome> {
    const terminal = terminalFolder(folder, session);
    const outcome = await endSession(world, terminal.kept, graceMs);
    await lastBytes(world, terminal);
    if (outcome.kind === "ended") await tmux.run(["kill-session", "-t", targetOf(session)]);
    return outcome;
  }
}

const TAKEN_WAIT_MS = 5_000;

/** Chooses in a permission dialog by the program's own keys, if exactly that dialog is still open. */
async function answerDialog(speaking: Speaking, answer: PermissionAnswer): Promise<SendOutcome> {
  const { world, terminal, program } = speaking;
  const before = readSaid(terminal, answer.key);
  if (before?.state === "sent") return { kind: "sent", detail: before.detail };
  const look = await lookNow(speaking);
  if (look === undefined) return failed("its terminal could not be seen");
  const { dialog } = look;
  if (dialog?.kind !== "permission" || dialog.askId !== answer.askId)
    return failed("the dialog that asked is not open any more");
  const { allowLine, denyLine } = program.keys;
  const { allow, deny } = dialog.keys ?? program.keys;
  const digit = (answer.allow ? allowLine : denyLine).exec(dialog.text)?.[1];
  const keys = (answer.allow ? allow : deny).map((key) => (key === "{digit}" ? digit : key));
  if (keys.length === 0 || keys.includes(undefined)) return failed("the dialog does not offer that answer");
  world.crashPoint("tmux.answer.before");
  if (
    !(await pressKeys(
      speaking,
      keys.filter((key) => key !== undefined),
    ))
  )
    return failed("tmux did not take the keys");
  const gone = await awaitLook(speaking, (now) => now.dialog?.askId !== answer.askId, TAKEN_WAIT_MS);
  if (gone === undefined) return failed("the dialog did not take the answer");
  const detail = `the dialog was answered with ${answer.allow ? "yes" : "no"}`;
  writeSaid(world, terminal, answer.key, { state: "sent", raw: 0, at: world.now(), detail });
  return { kind: "sent", detail };
}

/** Breaks off what the program does; where it asks something, that is what would be broken off, so it is left alone. */
async function interruptProgram(speaking: Speaking): Promise<SendOutcome> {
  const look = await lookNow(speaking);
  if (look === undefined) return failed("its terminal could not be seen");
  if (look.state === "dialog") return failed("a dialog is open");
  if (look.state === "idle" && speaking.program.voice === "screen")
    return { kind: "sent", detail: "it was idle already" };
  if (!(await pressKeys(speaking, speaking.program.keys.interrupt)))
    return failed("tmux did not take the keys");
  const rests = await awaitLook(speaking, ({ state }) => state !== "busy", TAKEN_WAIT_MS);
  return rests === undefined ? failed("the program goes on") : { kind: "sent", detail: "it was interrupted" };
}
