import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, renameSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Invocation } from "../shell/invocation.ts";
import { makeFolder } from "../shell/make-folder.ts";
import { storeMark } from "../shell/store-mark.ts";
import { plainTextIfAny } from "../../files/plain-file.ts";
import type { System } from "../../main.ts";
import type { Reader } from "../../open-reader.ts";
import { Fault } from "../../model/fault.ts";
import type { StoreStop } from "../../model/host/store-resource.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { stopText, storeView, type StoreView } from "../../views/status/store-view.ts";

/** The supervisor that works what was asked for. */
export interface LivingSupervisor {
  readonly pid: number;
  readonly state: "started" | "already";
  readonly log: string;
}

/** One that ends is known at once; one that starts slowly is on a busy machine. */
const START_WAIT_MS = 45_000;
const LOOK_EVERY_MS = 25;
const LOG_BYTES_MAX = 5 * 1_024 * 1_024;
const LOG_TAIL_CHARS = 2_000;

/** Passed by nobody but `startDetached`: a supervisor without a terminal, that ends by itself when idle. */
export const BACKGROUND_OPTION = "--in-background";

/**
 * Sees to it that a supervisor lives, and starts a detached one otherwise. The work must be in the store before:
 * a supervisor on its way out looks once more after it has let go (see `HostSupervisor`).
 */
export async function ensureSupervisor(call: Invocation, system: System): Promise<LivingSupervisor> {
  const log = logFile(call);
  await refuseIfStopped(call, system);
  const holder = await system.host.holder();
  if (holder !== null) return { pid: holder.process.pid, state: "already", log };
  const child = startDetached(call, log);
  const until = Date.now() + START_WAIT_MS;
  for (;;) {
    // Read before the holder: one that was there and let go again has nothing left to do.
    const exitCode = child.exitCode;
    const now = await system.host.holder();
    if (now !== null)
      return { pid: now.process.pid, state: now.process.pid === child.pid ? "started" : "already", log };
    if (exitCode === 0) return { pid: child.pid ?? 0, state: "started", log };
    const over = exitCode !== null || child.signalCode !== null || child.pid === undefined;
    if (over || Date.now() >= until) throw notStarted(child, log);
    await delay(LOOK_EVERY_MS);
  }
}

/** The same program as this one, in a session of its own, with a log instead of a terminal. */
export function startDetached(
  call: Invocation,
  log: string,
  {
    words = [BACKGROUND_OPTION],
    cwd = call.surroundings.cwd,
  }: { readonly words?: readonly string[]; readonly cwd?: string } = {},
): ChildProcess {
  const [, script] = process.argv;
  if (script === undefined)
    throw new Fault("broken_promise", "the command line does not know its own program");
  const flags = process.execArgv.filter((flag) => !flag.startsWith("--inspect"));
  return spawnDetached(call, [process.execPath, ...flags, script, "up", ...words], {
    cwd,
    output: openLog(log),
  });
}

/** Starts a program in a session of its own; `output` is the descriptor of its log, which is closed here. */
export function spawnDetached(
  call: Invocation,
  [program = "", ...args]: readonly string[],
  { cwd, output }: { readonly cwd: string; readonly output: number },
): ChildProcess {
  try {
    const child = spawn(program, args, {
      cwd,
      // Not among the arguments, which everybody on the machine can read: an address may hold a password.
      env: { ...process.env, ...ownHome(call), HOLDFAST_STORE: call.store.url },
      detached: true,
      stdio: ["ignore", output, output],
    });
    // Without a listener a start that failed would end this process; the missing pid reports it.
    child.on("error", () => undefined);
    child.unref();
    return child;
  } finally {
    closeSync(output);
  }
}

/** A home that is named from the folder it was called in must be the same from another. */
export const ownHome = ({ stateFolder, surroundings: { env } }: Invocation): Record<string, string> =>
  env["HOLDFAST_HOME"] === undefined || env["HOLDFAST_HOME"] === "" ? {} : { HOLDFAST_HOME: stateFolder };

/** One log per store, since supervisors of several stores may live at once. */
export const logFile = (call: Invocation): string =>
  path.join(call.stateFolder, `supervisor${storeMark(call)}.log`);

function openLog(file: string): number {
  makeFolder(path.dirname(file));
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES_MAX) renameSync(file, `${file}.1`);
  return openSync(file, "a", 0o600);
}

function notStarted(child: ChildProcess, log: string): Fault {
  const tail = (plainTextIfAny(log, { bytesMax: 2 * LOG_BYTES_MAX }) ?? "").slice(-LOG_TAIL_CHARS).trim();
  const how =
    child.exitCode === null ? "gave no sign of life" : `ended with exit code ${String(child.exitCode)}`;
  return new Fault(
    "supervisor_failed",
    `what was asked for is recorded, but the detached supervisor (pid ${String(child.pid ?? "none")}) ${how}; ` +
      `see \`holdfast doctor\`; its log ${log} ends with:\n${tail}`,
    { retry: "later", details: { log } },
  );
}

export const workerText = ({ pid, state }: LivingSupervisor): string =>
  state === "started"
    ? `a supervisor was started in the background (pid ${String(pid)})`
    : `the supervisor with pid ${String(pid)} runs it`;

/** How the store stands where that keeps its runs from working; null otherwise. */
export const storeStanding = async (call: Invocation, system: Reader): Promise<StoreView | null> =>
  storeView(await system.store.standing(), call.store.named, system.ports.world.now());

/** Nothing is started while the store is stopped. */
export async function refuseIfStopped(call: Invocation, system: Reader): Promise<void> {
  const { stop } = await system.store.standing();
  if (stop !== null) throw storeStopped(call, stop);
}

export const storeStopped = (call: Invocation, stop: StoreStop): Fault =>
  new Fault("refused", `${stopText(stop)}; continue with ${call.command("start")}`, {
    details: { stoppedBy: stop.by, since: isoTime(stop.at), command: call.command("start") },
  });
