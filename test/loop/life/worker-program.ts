/**
 * A worker until it is killed. Usage: worker-program.ts FOLDER. Every step that is carried out is a line in `done`; runs
 * wait in the middle of their second step until there is a file `go`.
 */
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { isStarted } from "../../built-program.ts";
import type { Run } from "../../../src/loop/workflow-function.ts";
import { openHoldfast } from "../../../src/open-holdfast.ts";

/** The name of its function. */
export const JOB = "job";

async function main(folder: string): Promise<void> {
  const did = (what: string): void => {
    appendFileSync(join(folder, "done"), `${what}\n`);
  };
  const hf = await openHoldfast({ store: `sqlite:${join(folder, "agents.db")}` });
  hf.define(JOB, async (run: Run, n: number) => {
    await run.step("first", () => {
      did(`first ${String(n)}`);
    });
    await run.step("second", async () => {
      did(`second ${String(n)} in ${String(process.pid)}`);
      while (!existsSync(join(folder, "go"))) await new Promise((resolve) => setTimeout(resolve, 10));
    });
    return n * 2;
  });
  await hf.serve({ concurrency: 3 }).closed;
}

if (isStarted(import.meta.filename)) await main(process.argv[2] ?? ".");
