/**
 * The program that is killed around worktrees, commits, acceptance and clean-up: a run of two steps in a worktree of
 * its own, each of whose work is committed; once complete it is accepted, and its worktree removed.
 *
 * Usage: accepted-run.ts FOLDER. Started again on the same folder it goes on where the journal stops.
 */
import { appendFileSync, existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FunctionAgent } from "../../src/agents/function/function-agent.ts";
import { openSystem, type System } from "../../src/main.ts";
import type { Step } from "../../src/model/flow.ts";
import { hostSettingsSchema, runSettingsSchema } from "../../src/model/settings.ts";
import { createRun } from "../../src/runtime/create-run.ts";
import { loadRun } from "../../src/runtime/load-run.ts";
import { plainGit } from "../workspace/plain-git.ts";

export const ACCEPTED_RUN = "accepted";

const step = (name: string, needs: string[]): Step => ({
  name,
  task: `do ${name}`,
  agent: "writer",
  needs,
  authority: "writes",
  checks: [{ run: `test -e ${name}` }],
});

const writer: FunctionAgent = ({ cwd, step: name }) => {
  writeFileSync(join(cwd, name), `${name}\n`);
  return name;
};

async function create(system: System, project: string): Promise<void> {
  const { epoch } = await createRun(system.rooms, system.leases, {
    id: ACCEPTED_RUN,
    goal: "be accepted",
    flow: { name: "accepted", steps: [step("one", []), step("two", ["one"])], phases: [] },
    agents: { writer: { use: "function", export: "writer" } },
    settings: runSettingsSchema.parse({
      backoff: { baseMs: 1, capMs: 1 },
      checkpoints: { when: "always" },
      workspace: { isolation: "run", lock: "always", setup: "echo made > made-by-setup" },
      commit: { author: "Ada <ada@example.invalid>" },
    }),
    budget: {},
    cwd: project,
    by: "test",
  });
  await system.leases.release(ACCEPTED_RUN, epoch);
}

/** Asks once that the complete run be accepted; true when all is over. */
async function operate({ rooms }: System): Promise<boolean> {
  const state = await loadRun(rooms.journal, ACCEPTED_RUN);
  if (state === null) return false;
  if (state.status === "blocked" || state.status === "failed") return true;
  const { commit, worktree, hold } = state.workspace;
  if (state.status !== "completed") return false;
  if (commit.accepted) return worktree === null && hold === null;
  const request = { kind: "accept" } as const;
  const at = rooms.world.now();
  await rooms.journal.ask({ id: "req_accept", address: ACCEPTED_RUN, request, by: "test", at });
  return false;
}

function makeProject(project: string): void {
  if (existsSync(join(project, "../begun"))) return;
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "README"), "one\n");
  plainGit(project, ["init", "-q", "-b", "main"]);
  plainGit(project, ["add", "README"]);
  plainGit(project, ["commit", "-qm", "begin"]);
  writeFileSync(join(project, "draft"), "the user's\n");
  appendFileSync(join(project, "../begun"), "");
}

async function main(folder: string): Promise<void> {
  const project = join(folder, "project");
  makeProject(project);
  const settings = hostSettingsSchema.parse({ supervisor: { scanMs: 20 } });
  const store = `sqlite:${join(folder, "journal.db")}`;
  const system = await openSystem({ store, settings, functions: new Map([["writer", writer]]) });
  if ((await system.rooms.journal.head(ACCEPTED_RUN)) === null) await create(system, project);
  const supervisor = system.supervisor();
  const working = supervisor.work();
  while (!(await operate(system))) await new Promise((resolve) => setTimeout(resolve, 10));
  supervisor.stop();
  await working;
  await system.close();
}

const [folder] = process.argv.slice(2);
if (folder !== undefined && realpathSync(process.argv[1] ?? "") === import.meta.filename) await main(folder);
