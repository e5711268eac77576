/**
 * The program that is killed around worktrees of single steps: two steps that write at the same time, each in a tree of
 * its own, and a third that needs both; what they make is joined, and accepted once the run is complete.
 *
 * Usage: joined-run.ts FOLDER. Started again on the same folder it goes on where the journal stops.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FunctionAgent } from "../../src/agents/function/function-agent.ts";
import type { System } from "../../src/main.ts";
import type { Step } from "../../src/model/flow.ts";
import { runSettingsSchema } from "../../src/model/settings.ts";
import { loadRun } from "../../src/runtime/load-run.ts";
import { plainGit } from "../workspace/plain-git.ts";
import { askOnce, liveIn, type StruckRun } from "./struck-life.ts";

export const JOINED_RUN = "joined";

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
  if (name !== "two")
    writeFileSync(join(cwd, "README"), readFileSync(join(cwd, "README"), "utf8").replace(name, `${name}!`));
  // What git ignores is in no commit, and must not be lost either.
  writeFileSync(join(cwd, `${name}.ignored`), "");
  return name;
};

const RUN: StruckRun = {
  id: JOINED_RUN,
  goal: "be joined",
  flow: {
    name: "joined",
    steps: [step("one", []), step("two", []), step("three", ["one", "two"])],
    phases: [],
  },
  agents: { writer: { use: "function", export: "writer" } },
  settings: runSettingsSchema.parse({
    backoff: { baseMs: 1, capMs: 1 },
    checkpoints: { when: "always" },
    workspace: { isolation: "attempt", lock: "always", teardown: "true", setup: "echo made > made-by-setup" },
    commit: { author: "Ada <ada@example.invalid>" },
  }),
  budget: {},
};

/** Asks once that the complete run be accepted; true when all is over. */
async function operate(system: System): Promise<boolean> {
  const state = await loadRun(system.rooms.journal, JOINED_RUN);
  if (state === null) return false;
  if (state.status === "blocked" || state.status === "failed") return true;
  const { commit, worktree, hold } = state.workspace;
  if (state.status !== "completed") return false;
  if (commit.accepted) return worktree === null && hold === null;
  await askOnce(system, JOINED_RUN, { kind: "accept" });
  return false;
}

function prepare(project: string): void {
  if (existsSync(join(project, "../begun"))) return;
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "README"), "one\n\n\n\nthree\n");
  writeFileSync(join(project, ".gitignore"), "*.ignored\nmade-by-setup\n");
  plainGit(project, ["init", "-q", "-b", "main"]);
  plainGit(project, ["add", "README", ".gitignore"]);
  plainGit(project, ["commit", "-qm", "begin"]);
  appendFileSync(join(project, "../begun"), "");
}

const functions = () => new Map([["writer", writer]]);
await liveIn("project", { file: import.meta.filename, run: RUN, functions, prepare, operate });
