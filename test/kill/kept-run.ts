/**
 * The program that is killed around checkpoints, restores and protected files: a run of two steps whose first agent
 * delivers a declared output and changes a protected file; once complete it is put back to where its first step was done, and works on from there.
 *
 * Usage: kept-run.ts FOLDER. Started again on the same folder it goes on where the journal stops.
 */
import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FunctionAgent } from "../../src/agents/function/function-agent.ts";
import { openSystem, type System } from "../../src/main.ts";
import type { Step } from "../../src/model/flow.ts";
import type { RunRequest } from "../../src/model/requests.ts";
import { hostSettingsSchema, runSettingsSchema } from "../../src/model/settings.ts";
import { createRun } from "../../src/runtime/create-run.ts";
import { loadRun } from "../../src/runtime/load-run.ts";

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

async function create(system: System, tree: string): Promise<void> {
  const { epoch } = await createRun(system.rooms, system.leases, {
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
    cwd: tree,
    by: "test",
  });
  await system.leases.release(KEPT_RUN, epoch);
}

/** Asks for the restore once the run is complete, and lets it go on once that is done; true when all is over. */
async function operate(system: System): Promise<boolean> {
  const state = await loadRun(system.rooms.journal, KEPT_RUN);
  if (state === null) return false;
  if (state.status === "blocked" || state.status === "failed") return true;
  if (state.releasing.length > 0) return false;
  if (state.status === "completed" && state.restores > 0) return true;
  if (state.status === "completed") {
    const done = Object.values(state.checkpoints).find(
      ({ seq, cause }) => cause === "after_step" && seq > (state.steps["first"]?.doneSeq ?? Infinity),
    );
    await ask(system, { kind: "restore", checkpoint: done?.id ?? "none" });
  }
  if (state.status === "paused" && state.restores > 0 && state.restoring === null)
    await ask(system, { kind: "resume" });
  return false;
}

async function ask({ rooms }: System, request: RunRequest): Promise<void> {
  const id = `req_${request.kind}`;
  await rooms.journal.ask({ id, address: KEPT_RUN, request, by: "test", at: rooms.world.now() });
}

async function main(folder: string): Promise<void> {
  const tree = join(folder, "tree");
  if (!existsSync(join(tree, "RULES.md"))) {
    mkdirSync(tree, { recursive: true });
    writeFileSync(join(tree, "RULES.md"), RULES);
  }
  const settings = hostSettingsSchema.parse({ supervisor: { scanMs: 20 } });
  const store = `sqlite:${join(folder, "journal.db")}`;
  const system = await openSystem({ store, settings, functions: agentsIn(tree) });
  if ((await system.rooms.journal.head(KEPT_RUN)) === null) await create(system, tree);
  const supervisor = system.supervisor();
  const working = supervisor.work();
  while (!(await operate(system))) await new Promise((resolve) => setTimeout(resolve, 10));
  supervisor.stop();
  await working;
  await system.close();
}

const [folder] = process.argv.slice(2);
if (folder !== undefined && realpathSync(process.argv[1] ?? "") === import.meta.filename) await main(folder);
