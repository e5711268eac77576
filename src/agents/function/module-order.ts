import { writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import type { StartOrder } from "../agent-driver.ts";
import type { FunctionOrder } from "./function-session.ts";
import type { Signal } from "../../model/agent/signals.ts";

const STDOUT = 1;
const RETRY_MS = 5;
/** A line of a spool is read up to its bound; a result that does not fit stands in a file of its own. */
const LINE_CHARS_MAX = 60_000;

/** The file in the session's folder that holds a result too long for a line. */
export const RESULT_FILE = "result.json";

/** Prints a signal as one line. Synchronous, so that what was said before a death is in the spool. */
export function printSignal(signal: Signal, folder: string): void {
  const line = JSON.stringify(signal);
  if (line.length <= LINE_CHARS_MAX || signal.kind !== "result") {
    print(`${line}\n`);
    return;
  }
  // Whole in its file before the line that names it.
  writeFileSync(path.join(folder, RESULT_FILE), JSON.stringify(signal.value), { mode: 0o600 });
  const { kind, ok, text } = signal;
  print(`${JSON.stringify({ kind, ok, text, valueIn: RESULT_FILE })}\n`);
}

function print(text: string): void {
  for (let bytes = Buffer.from(text); bytes.length > 0;)
    try {
      bytes = bytes.subarray(writeSync(STDOUT, bytes));
    } catch (error) {
      // A pipe whose reader is slow is full for a moment.
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
}

/** What the driver leaves in the session's folder for the program that runs the function. */
export interface ModuleOrder extends FunctionOrder {
  /** The whole path of the module. */
  readonly module: string;
  readonly name: string;
}

export const moduleOrder = (order: StartOrder, module: string, name: string): ModuleOrder => {
  const { run, step, attempt, number, task, cwd } = order;
  return { run, step, attempt, number, task, cwd, module, name };
};

/** Flags that belong to the program this process runs, and not to how it loads modules. */
const NOT_INHERITED = /^(--inspect|--test|--watch|--cpu-prof|--heap-prof|--env-file|--check|-c$)/;
const CODE = new Set(["-e", "--eval", "-p", "--print", "-pe"]);

/** How this process loads modules (`--import`, `--conditions`, …), so that a user's module loads there as it would here. */
export function nodeFlags(execArgv: readonly string[]): readonly string[] {
  return execArgv.filter(
    (flag, index) =>
      !NOT_INHERITED.test(flag) &&
      !CODE.has(flag) &&
      !CODE.has(index === 0 ? "" : (execArgv[index - 1] ?? "")),
  );
}
