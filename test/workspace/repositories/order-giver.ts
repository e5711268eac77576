import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Socket } from "node:net";
import { builtProgram } from "../../built-program.ts";

export interface Given {
  readonly home: string;
  readonly method: string;
  readonly order: readonly unknown[];
  readonly crashAt?: Boundary;
  /** There the process waits until its parent has acted. */
  readonly pauseAt?: Boundary;
}

interface Boundary {
  readonly name: string;
  readonly occurrence: number;
}

export interface OrderAnswer {
  readonly answer?: unknown;
  readonly fault?: string;
}

const LIMIT_MS = 180_000;
/** By this the process says that it waits, and receives that it may continue. */
export const HELD_FD = 4;

/** Gives orders to processes that may be killed while they carry them out. */
export class OrderGiver {
  #worker: ChildProcess | undefined;

  /** Null where the process was killed at the boundary that the order names. */
  async give(given: Given, paused: () => void = () => undefined): Promise<OrderAnswer | null> {
    const worker = (this.#worker ??= fork(
      builtProgram(path.join(import.meta.dirname, "order-worker.ts")),
      [],
      {
        stdio: ["ignore", "ignore", "inherit", "ipc", "pipe"],
      },
    ));
    const first = await answerOf(worker, given, paused);
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
function answerOf(worker: ChildProcess, given: Given, paused: () => void): Promise<OrderAnswer | null> {
  const held = worker.stdio[HELD_FD] as Socket;
  const onPause = (): void => {
    try {
      paused();
    } finally {
      held.write("g");
    }
  };
  const { promise, resolve } = Promise.withResolvers<OrderAnswer | null>();
  const late = { fault: `${given.method} gave no answer within ${String(LIMIT_MS)} ms` };
  const timer = setTimeout(() => {
    resolve(late);
  }, LIMIT_MS);
  const onExit = (): void => {
    resolve(null);
  };
  held.on("data", onPause);
  worker.once("message", resolve);
  worker.once("exit", onExit);
  worker.send(given);
  return promise.finally(() => {
    clearTimeout(timer);
    held.off("data", onPause);
    worker.off("message", resolve);
    worker.off("exit", onExit);
  });
}
