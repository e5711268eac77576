import type { Command } from "commander";
import type { System } from "../../../main.ts";
import type { WatchEntry } from "../../../views/runs/watch-entry.ts";
import { openSessions } from "../../continuous/open-sessions.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { fullDiskOf } from "../../supervise/host-faults.ts";
import { onInterrupt } from "../../run/interrupts.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { storeStanding } from "../../supervise/detached-supervisor.ts";
import { watchLines, WatchScreen } from "../../print/watch/watch-lines.ts";
import { WatchSource } from "../../print/watch/watch-source.ts";

const FRAME_MS = 1_000;
/** Many appends in a row make one frame. */
const GAP_MS = 100;
const PLAIN_COLUMNS = 200;
const INTERRUPT_KEY = "\u0003";
const LEAVING_KEYS = ["q", "\u001b", INTERRUPT_KEY];

export function addWatch(parent: Command, bind: Bind): void {
  parent
    .command("watch")
    .summary("see all runs live")
    .description(
      "Shows all runs as they go: what needs you, what works, what waits and until when, what is done. On a terminal it stays until q or Ctrl-C; elsewhere it shows them once. With --json a line for each run that changed.",
    )
    .option("--once", "show them once and end")
    .addHelpText(
      "after",
      examples(
        ["watch", "all runs, until q or Ctrl-C"],
        ["watch --json", "a line for each change, for programs"],
      ),
    )
    .action(bind(watch));
}

function watch(call: Invocation, { once = false }: { readonly once?: boolean }): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const source = new WatchSource(system, call.store.named);
    if (call.output.json) return follow(call, system, once, changedRecords(call, system, source));
    const about = async (): Promise<string> => {
      const store = await storeStanding(call, system);
      const disk = await fullDiskOf(call);
      const held = (await openSessions(call, system)).filter(({ blockedBy }) => blockedBy.length > 0);
      const news = [store, disk, ...held].flatMap((one) => (one === null ? [] : [` · ${one.text}`])).join("");
      return `holdfast watch · ${call.store.shown}${news}`;
    };
    if (once || !call.output.live) {
      const now = Date.now();
      const size = { columns: PLAIN_COLUMNS, rows: Infinity };
      for (const { text } of watchLines(await source.entries(now), await about(), now, size))
        call.output.line(text);
      return EXIT.done;
    }
    return live(call, system, source, about);
  });
}

/** Shows every run at first, and then of those that changed. */
function changedRecords(call: Invocation, system: System, source: WatchSource): () => Promise<void> {
  let shown = new Map<string, string>();
  let shownStore = "null";
  let shownDisk = "null";
  let shownSessions = "[]";
  return async () => {
    const store = await storeStanding(call, system);
    if (JSON.stringify(store) !== shownStore) call.output.record({ run: null, group: "store", store });
    shownStore = JSON.stringify(store);
    const disk = await fullDiskOf(call);
    if (JSON.stringify(disk) !== shownDisk) call.output.record({ run: null, group: "disk", disk });
    shownDisk = JSON.stringify(disk);
    const sessions = await openSessions(call, system);
    if (JSON.stringify(sessions) !== shownSessions)
      call.output.record({ run: null, group: "continuous", sessions });
    shownSessions = JSON.stringify(sessions);
    const now = new Map<string, string>();
    for (const entry of await source.entries(Date.now())) {
      const text = JSON.stringify(entry);
      now.set(entry.run, text);
      if (shown.get(entry.run) !== text) call.output.record(entry);
    }
    for (const run of shown.keys())
      if (!now.has(run)) call.output.record({ run, group: "gone" } satisfies Gone);
    shown = now;
  };
}

interface Gone extends Pick<WatchEntry, "run"> {
  readonly group: "gone";
}

async function live(
  call: Invocation,
  system: System,
  source: WatchSource,
  about: () => Promise<string>,
): Promise<number> {
  const screen = new WatchScreen((text) => call.output.product(text));
  const draw = async (): Promise<void> => {
    const now = Date.now();
    const size = { columns: call.output.columns, rows: call.output.rows };
    screen.draw(watchLines(await source.entries(now), await about(), now, size), size);
  };
  // No matter what ends this process, the terminal is given back.
  const restore = (): void => screen.close();
  process.once("exit", restore);
  try {
    return await follow(call, system, false, draw);
  } finally {
    restore();
    process.off("exit", restore);
  }
}

/** Shows a frame now, after each change and every second, until somebody leaves. */
async function follow(
  call: Invocation,
  system: System,
  once: boolean,
  show: () => Promise<void>,
): Promise<number> {
  const seen = { left: null as number | null, changed: false, wake: (): void => undefined };
  const soon = (): void => {
    seen.changed = true;
    seen.wake();
  };
  const leave = (code: number): void => {
    seen.left ??= code;
    seen.wake();
  };
  const interrupt = (): void => leave(EXIT.interrupted);
  const stops = [system.ports.journal.watch(soon), onInterrupt(interrupt), onKeys(leave), onResize(soon)];
  call.output.onUnread(() => leave(EXIT.done));
  try {
    for (;;) {
      seen.changed = false;
      await show();
      if (once) return EXIT.done;
      await pause(GAP_MS, (end) => (seen.wake = () => (seen.left === null ? undefined : end())));
      if (seen.left === null && !seen.changed) await pause(FRAME_MS - GAP_MS, (end) => (seen.wake = end));
      if (seen.left !== null) return seen.left;
    }
  } finally {
    for (const stop of stops) stop();
  }
}

const pause = (ms: number, arm: (end: () => void) => void): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    arm(() => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Keys that are typed must neither appear on the screen nor wait for Enter. */
function onKeys(leave: (code: number) => void): () => void {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) return () => undefined;
  const onKeys = (keys: Buffer): void => {
    const key = keys.toString();
    if (LEAVING_KEYS.includes(key)) leave(key === INTERRUPT_KEY ? EXIT.interrupted : EXIT.done);
  };
  stdin.setRawMode(true);
  stdin.on("data", onKeys);
  stdin.resume();
  return () => {
    stdin.off("data", onKeys);
    stdin.setRawMode(false);
    stdin.pause();
  };
}

function onResize(changed: () => void): () => void {
  process.stdout.on("resize", changed);
  return () => {
    process.stdout.off("resize", changed);
  };
}
