// Reopens a run whose body is a loop, up to its first new iteration: node reopen-loop.ts FILE RUN
// Prints how long that took, its peak of memory, and what it read from the store.
import { existsSync, readFileSync } from "node:fs";
import { openHoldfast } from "../../src/open-holdfast.ts";

export interface Reopened {
  readonly ms: number;
  readonly peakMb: number;
  /** What the process read from files and the like after its modules were loaded; null where nobody counts. */
  readonly bytesRead: number | null;
  readonly iteration: number;
}

const COUNTS = "/proc/self/io";
const bytesRead = (): number | null =>
  existsSync(COUNTS) ? Number(/^rchar: (\d+)/.exec(readFileSync(COUNTS, "utf8"))?.[1]) : null;

const [, , file = "", run = ""] = process.argv;
const before = bytesRead();
const began = performance.now();
const hf = await openHoldfast({ store: `sqlite:${file}` });
const iteration = await new Promise<number>((resolve, reject) => {
  hf.run(run, (body) =>
    body.loop("kernel", { messages: [] as unknown[] }, (state, i) => {
      resolve(i);
      return { state, done: true };
    }),
  ).catch(reject);
});
const ms = performance.now() - began;
const after = bytesRead();
const peakMb = process.resourceUsage().maxRSS / 1_024;
const reopened: Reopened = {
  ms,
  peakMb,
  bytesRead: before === null || after === null ? null : after - before,
  iteration,
};
console.log(JSON.stringify(reopened));
await hf.close();
