import type { ChildProcess } from "node:child_process";
import { statSync } from "node:fs";
import { plainTextIfAny } from "../../files/plain-file.ts";
import type { System } from "../../main.ts";
import { ABORT_SIGNALS } from "../../model/host/supervision.ts";

type DeathNotes = NonNullable<System["ports"]["deaths"]>;

/** As V8 says it before it ends the process by an abort: that is want of memory, and nobody's fault. */
const OUT_OF_MEMORY = /out of memory|allocation failed/i;
const LOG_BYTES_MAX = 16 * 1_024 * 1_024;

const sizeOf = (log: string): number => statSync(log, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Sees by which signal a supervisor ends that was started here, and notes an abort as that of the run in whose turn it
 * was. Only a parent is told the signal: the first supervisor, which a command has started and left, is nobody's child.
 */
export function noteAborts(child: ChildProcess, log: string, deaths: Pick<DeathNotes, "noteAbort">): void {
  const begins = sizeOf(log);
  child.once("exit", (_code, signal) => {
    if (signal === null || !ABORT_SIGNALS.has(signal) || child.pid === undefined) return;
    const said = Buffer.from(plainTextIfAny(log, { bytesMax: LOG_BYTES_MAX }) ?? "").subarray(begins);
    if (!OUT_OF_MEMORY.test(said.toString())) deaths.noteAbort(child.pid, signal);
  });
}
