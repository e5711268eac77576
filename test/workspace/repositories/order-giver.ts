import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { builtProgram } from "../../built-program.ts";

export interface Given {
  readonly home: string;
  readonly method: string;
  readonly order: readonly unknown[];
  readonly crashAt?: { readonly name: string; readonly occurrence: number };
}

export interface OrderAnswer {
  readonly answer?: unknown;
  readonly fault?: string;
}

const LIMIT_MS = 180_000;

/** Gives orders to processes that may be killed while they carry them out. */
export class OrderGiver {
  #worker: ChildProcess | undefined;

  /** Null where the process was killed at the boundary that the order names. */
  async give(given: Given): Promise<OrderAnswer | null> {
    const worker = (this.#worker ??= fork(
      builtProgram(path.join(import.meta.dirname, "order-worker.ts")),
      [],
      {
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      },
    ));
    const first = await answerOf(worker, given);
    if (first === null || "fault" in first) await this.close();
    return first;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker === undefined || worker.exitCode !== null || worker.signalCode !== null) return;
    worker.kill("SIGKILL");
    await once(worker, "exit");
  }
}

/** Null where the process has ended without an answer. */
function answerOf(worker: ChildProcess, given: Given): Promise<OrderAnswer | null> {
  const { promise, resolve } = Promise.withResolvers<OrderAnswer | null>();
  const late = { fault: `${given.method} gave no answer within ${String(LIMIT_MS)} ms` };
  const timer = setTimeout(() => {
    resolve(late);
  }, LIMIT_MS);
  const onExit = (): void => {
    resolve(null);
  };
  worker.once("message", resolve);
  worker.once("exit", onExit);
  worker.send(given);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off("message", resolve);
    worker.off("exit", onExit);
  });
}
