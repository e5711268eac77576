/** The program of an agent given as a module: `module-agent ORDER.json` calls its function and prints what it reports. */
import path from "node:path";
import { findInModule } from "./find-function.ts";
import { functionContext, signalsOfReturn, signalsOfThrow } from "./function-session.ts";
import { type ModuleOrder, printSignal } from "./module-order.ts";
import { plainText, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { type Signal, toExcerpt } from "../../model/agent/signals.ts";

/** Nothing but this timer may be left to wake a function that waits until it is ended. */
const STAY_MS = 2 ** 30;
/** A function that only reports, and awaits it, must still see that it is to end. */
const BREATHE_EVERY = 64;

/**
 * Calls the function of a module in this process, and ends the process with it.
 *
 * States: loading, working, over. Invariants:
 * 1. What is printed is in the spool before the function continues; the result is printed before the process ends.
 * 2. The process ends as soon as the function has settled: what it did not await is cut off.
 * 3. An end that is not the function's return is an error: an exception that nobody caught, or `process.exit`.
 * 4. A function that was asked to end has no result, and its process ends by the signal that asked it.
 */
async function callModule(order: ModuleOrder, folder: string): Promise<void> {
  const abort = new AbortController();
  let over = false;
  const finish = (signals: readonly Signal[]): never => {
    if (!over) for (const signal of signals) if (signal.kind !== "exit") printSignal(signal, folder);
    over = true;
    const exit = signals.at(-1);
    process.exit(exit?.kind === "exit" && exit.how === "code" ? exit.code : 1);
  };
  keepStdoutForSignals();
  const endedBy = listenToEnds(abort);
  process.on("uncaughtException", (thrown) => finish(signalsOfThrow(thrown)));
  process.on("exit", (code) => {
    if (over || endedBy() !== null) return;
    over = true;
    printSignal(exitedEarly(code), folder);
    if (code === 0) process.exitCode = 1;
  });
  const stay = setInterval(() => undefined, STAY_MS);
  const found = await findInModule(order.module, order.name);
  if (found.kind === "missing")
    return finish([{ kind: "error", text: toExcerpt(found.text), terminal: true }]);
  let said = 0;
  const log = {
    push: (signal: Signal) => {
      if (!over) printSignal(signal, folder);
    },
    room: () => (++said % BREATHE_EVERY === 0 ? breathe() : Promise.resolve()),
  };
  printSignal({ kind: "ready" }, folder);
  const signals = await Promise.resolve(functionContext(order, log, abort.signal))
    .then(found.run)
    .then(signalsOfReturn, signalsOfThrow);
  clearInterval(stay);
  const by = endedBy();
  if (by === null) finish(signals);
  else endBy(by);
}

/** What a module prints is for people and goes to stderr: on stdout every line is a signal. */
function keepStdoutForSignals(): void {
  process.stdout.write = process.stderr.write.bind(process.stderr);
}

const ENDS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type End = (typeof ENDS)[number];

/** Asks the function by its abort signal; answers which signal asked it, null while it was not. */
function listenToEnds(abort: AbortController): () => End | null {
  let by: End | null = null;
  for (const end of ENDS)
    process.on(end, () => {
      by ??= end;
      abort.abort(new Error("the session is being ended"));
    });
  return () => by;
}

/** Dies as a program that knows nothing of the signal does, so that its keeper sees how it ended. */
function endBy(end: End): never {
  process.removeAllListeners(end);
  process.kill(process.pid, end);
  // The signal may take a moment to arrive, and nothing may happen in it.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

const exitedEarly = (code: number): Signal => ({
  kind: "error",
  text: `the process of the function was ended with exit code ${String(code)} (process.exit) before the function returned; return a value, or throw, to end it`,
  terminal: false,
});

const breathe = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

const [, , file] = process.argv;
if (file === undefined) {
  process.stderr.write("usage: module-agent ORDER.json\n");
  process.exit(2);
}
await callModule(
  JSON.parse(plainText(file, { bytesMax: RECORD_BYTES_MAX }) ?? "null") as ModuleOrder,
  path.dirname(file),
);
