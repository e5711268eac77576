import { once } from "node:events";
import { after } from "node:test";
import { Worker } from "node:worker_threads";
import type { SimResult } from "../../sim/world/sim-options.ts";
import type { ApartAnswer, ApartOrder } from "../../sim/world/worker.ts";

let thread: Worker | null = null;

/**
 * A simulated life in a thread of its own, one after the other. The test runner follows every promise of its thread to
 * learn which test it belongs to, and a life is made of little else: there it takes more than twice as long.
 */
export async function simulateApart(order: ApartOrder): Promise<SimResult> {
  if (thread === null) {
    thread = new Worker(new URL("../../sim/world/worker.ts", import.meta.url));
    thread.unref();
  }
  thread.ref();
  const answered = once(thread, "message") as Promise<[ApartAnswer]>;
  thread.postMessage(order);
  const [answer] = await answered;
  thread.unref();
  if ("error" in answer) throw new Error(answer.error);
  return answer.result;
}

after(() => thread?.terminate());
