/**
 * The program that is killed around checkpoints, restores and protected files: a run of two steps whose first agent
 * delivers a declared output and changes a protected file; once complete it is put back to where its first step was done, and works on from there.
 *
 * Usage: kept-run.ts FOLDER. Started again on the same folder it goes on where the journal stops.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FunctionAgent } from "../../../src/agents/function/function-agent.ts";
import type { System } from "../../../src/main.ts";
import type { Step } from "../../../src/model/flow/flow.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { loadRun } from "../../../src/runtime/load-run.ts";
import { askOnce, liveIn, type StruckRun } from "../struck-life.ts";

export const KEPT_RUN = "kept";
export const RULES = "be kind\n";

const step = (name: string, needs: string[], ...outputs: string[]): Step => ({
  name,
  task: `do ${name}`,
  agent: name,
  needs,
  authority: "writes",
  checks: [],
  ...(outputs.length === 0 ? {} : { outputs: outputs.map((path) => ({ path })) }),
});

const agentsIn = (tree: string): Map<string, FunctionAgent> =>
  new Map<string, FunctionAgent>([
    [
      "first",
      () => {
        writeFileSync(join(tree, "one"), "1\n");
        writeFileSync(join(tree, "RULES.md"), "be evil\n");
        return "first";
      },
    ],
    [
      "second",
      () => {
        writeFileSync(join(tree, "one"), "2\n");
        writeFileSync(join(tree, "two"), "2\n");
        return "second";
      },
    ],
  ]);

const RUN: StruckRun = {
  id: KEPT_RUN,
  goal: "be put back",
  flow: { name: "kept", steps: [step("first", [], "one"), step("second", ["first"])], phases: [] },
  agents: {
    first: { use: "function", export: "first" },
    second: { use: "function", export: "second" },
  },
  settings: runSettingsSchema.parse({
    backoff: { baseMs: 1, capMs: 1 },
    protected: { paths: ["RULES.md"] },
    checkpoints: { when: "always", keep: 2 },
  }),
  budget: {},
};

/** Asks for the restore once the run is complete, and lets it go on once that is done; true when all is over. */
async function operate(system: System): Promise<boolean> {
  const state = await loadRun(system.ports.journal, KEPT_RUN);
  if (state === null) return false;
  if (state.status === "blocked" || state.status === "failed") return true;
  if (state.releasing.length > 0) return false;
  if (state.status === "completed" && state.restores > 0) return true;
  if (state.status === "completed") {
    const done = Object.values(state.checkpoints).find(
      ({ seq, cause }) => cause === "after_step" && seq > (state.steps["first"]?.doneSeq ?? Infinity),
    );
    await askOnce(system, KEPT_RUN, { kind: "restore", checkpoint: done?.id ?? "none" });
  }
  if (state.status === "paused" && state.restores > 0 && state.restoring === null)
    await askOnce(system, KEPT_RUN, { kind: "resume" });
  return false;
}

function prepare(tree: string): void {
  if (existsSync(join(tree, "RULES.md"))) return;
  mkdirSync(tree, { recursive: true });
  writeFileSync(join(tree, "RULES.md"), RULES);
}

void liveIn("tree", { file: import.meta.filename, run: RUN, functions: agentsIn, prepare, operate });
