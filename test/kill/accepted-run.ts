/**
 * The program that is killed around worktrees, commits, acceptance and clean-up: a run of two steps in a worktree of
 * its own, each of whose work is committed; once complete it is accepted, and its worktree removed.
 *
 * Usage: accepted-run.ts FOLDER. Started again on the same folder it goes on where the journal stops.
 */
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FunctionAgent } from "../../src/agents/function/function-agent.ts";
import type { System } from "../../src/main.ts";
import type { Step } from "../../src/model/flow.ts";
import { runSettingsSchema } from "../../src/model/settings.ts";
import { loadRun } from "../../src/runtime/load-run.ts";
import { plainGit } from "../workspace/plain-git.ts";
import { askOnce, liveIn, type StruckRun } from "./struck-life.ts";

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

const RUN: StruckRun = {
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
};

/** Asks once that the complete run be accepted; true when all is over. */
async function operate(system: System): Promise<boolean> {
  const state = await loadRun(system.rooms.journal, ACCEPTED_RUN);
  if (state === null) return false;
  if (state.status === "blocked" || state.status === "failed") return true;
  const { commit, worktree, hold } = state.workspace;
  if (state.status !== "completed") return false;
  if (commit.accepted) return worktree === null && hold === null;
  await askOnce(system, ACCEPTED_RUN, { kind: "accept" });
  return false;
}

function prepare(project: string): void {
  if (existsSync(join(project, "../begun"))) return;
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "README"), "one\n");
  plainGit(project, ["init", "-q", "-b", "main"]);
  plainGit(project, ["add", "README"]);
  plainGit(project, ["commit", "-qm", "begin"]);
  writeFileSync(join(project, "draft"), "the user's\n");
  appendFileSync(join(project, "../begun"), "");
}

const functions = () => new Map([["writer", writer]]);
await liveIn("project", { file: import.meta.filename, run: RUN, functions, prepare, operate });
