/**
 * Workflow functions that are killed in the middle of ending. Usage: cancel-program.ts FOLDER HOW, where HOW is
 * `cancel` (the run is cancelled by itself once all leaves are at work), `fail-fast`, or `restart`. Writes `done`:
 * every step carried out.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isStarted } from "../../built-program.ts";
import type { Run } from "../../../src/loop/workflow-function.ts";
import type { Holdfast } from "../../../src/loop/holdfast.ts";
import { openHoldfast } from "../../../src/open-holdfast.ts";

export const CANCELLED_RUN = "r";
const [folder = ".", how = ""] = process.argv.slice(2);
const file = join(folder, "done");
const did = (what: string): void => {
  appendFileSync(file, `${what}\n`);
};
const timesDone = (what: string): number =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line === what).length
    : 0;
const leaf = async (run: Run, name: string): Promise<void> => {
  await run.step("begin", () => did(name));
  await run.waitFor(`never ${name}`);
};
const branch = (run: Run): Promise<unknown> =>
  Promise.all([run.spawn("left", leaf, "left"), run.spawn("right", leaf, "right")]);

const workflowsOf = (hf: Holdfast): Record<string, (run: Run) => Promise<unknown>> => ({
  cancel: async (run) => {
    const leaves = Promise.all([run.spawn("branch", branch, null), run.spawn("top", leaf, "top")]);
    const asking = run.step("ask", () => hf.cancel(CANCELLED_RUN));
    await Promise.all([leaves, asking]);
  },
  "fail-fast": (run) =>
    run.spawnAll({
      slow: [leaf, "slow"],
      weak: [
        async (inner: Run) => {
          await inner.step("begin", () => did("weak"));
          throw new Error("broken");
        },
        null,
      ],
    }),
  restart: (run) =>
    run.spawn(
      "weak",
      async (inner: Run) => {
        await inner.step("begin", () => did("weak"));
        throw new Error(`broken ${String(timesDone("weak"))}`);
      },
      null,
      { restarts: 2, within: "1h" },
    ),
});

async function main(): Promise<void> {
  const hf = await openHoldfast({ store: `sqlite:${join(folder, "agents.db")}` });
  const workflow = workflowsOf(hf)[how];
  if (workflow === undefined) throw new Error(`unknown way "${how}"`);
  const ended = await hf.run(CANCELLED_RUN, workflow).then(
    () => "completed",
    (error: unknown) => (error as { code?: string }).code ?? (error as Error).message,
  );
  process.stdout.write(ended);
  await hf.close();
}

if (isStarted(import.meta.filename)) void main();
