import type { ChildProcess } from "node:child_process";
import { statSync } from "node:fs";
import type { Invocation } from "../shell/invocation.ts";
import { BACKGROUND_OPTION, logFile, startDetached } from "./detached-supervisor.ts";
import { plainTextIfAny } from "../../files/plain-file.ts";
import type { System } from "../../main.ts";
import { ABORT_SIGNALS } from "../../model/host/supervision.ts";

/** Passed by nobody but `siblingHands`: the process that watches the supervisor. */
export const WATCHDOG_OPTION = "--as-watchdog";
/** Passed by units of service managers: a supervisor that says how it fares, and is started again by them. */
export const SERVICE_OPTION = "--service";

/** Passed by nobody but `siblingHands`: begin with the settings of the supervisor before. */
export const RESTART_OPTION = "--as-before";

/** How the supervisor and its sibling start and end each other. */
export function siblingHands(
  call: Invocation,
  { ports: { world, deaths } }: System,
  start: string[],
): Parameters<System["watchdog"]>[0]["hands"] {
  return {
    end(of, how) {
      // A pid that was given to another process meanwhile is not touched.
      if (world.liveness(of) !== "alive") return;
      try {
        process.kill(of.pid, how === "asked" ? "SIGTERM" : "SIGKILL");
      } catch (error) {
        // It ended between the look and the signal; any other refusal shows in that it stays.
        call.output.note(`pid ${String(of.pid)} cannot be signalled: ${String(error)}`);
      }
    },
    start() {
      // Not where this one was started: that folder may be gone, or its configuration broken.
      const log = logFile(call);
      const child = startDetached(call, log, { words: [...start, RESTART_OPTION], cwd: call.stateFolder });
      if (start === startsSupervisor && deaths !== undefined) noteAborts(child, log, deaths);
    },
  };
}

export const startsSupervisor = [BACKGROUND_OPTION];
export const startsWatchdog = (isService: boolean): string[] =>
  isService ? [WATCHDOG_OPTION, SERVICE_OPTION] : [WATCHDOG_OPTION];

/** As V8 says it before it ends the process by an abort: that is want of memory, and nobody's fault. */
const OUT_OF_MEMORY = /out of memory|allocation failed/i;
const LOG_BYTES_MAX = 16 * 1_024 * 1_024;

const sizeOf = (log: string): number => statSync(log, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Sees by which signal a supervisor ends that was started here, and notes an abort as that of the run in whose turn it
 * was. Only a parent is given the signal: the first supervisor, which a command has started and left, is nobody's
 * child.
 */
export function noteAborts(
  child: ChildProcess,
  log: string,
  deaths: Pick<NonNullable<System["ports"]["deaths"]>, "noteAbort">,
): void {
  const begins = sizeOf(log);
  child.once("exit", (_code, signal) => {
    if (signal === null || !ABORT_SIGNALS.has(signal) || child.pid === undefined) return;
    const said = Buffer.from(plainTextIfAny(log, { bytesMax: LOG_BYTES_MAX }) ?? "").subarray(begins);
    if (!OUT_OF_MEMORY.test(said.toString())) deaths.noteAbort(child.pid, signal);
  });
}
