import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FunctionAgent } from "../../../src/agents/function/function-agent.ts";
import type { System } from "../../../src/main.ts";
import type { Step } from "../../../src/model/flow/flow.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { loadRun } from "../../../src/runtime/load-run.ts";
import { plainGit } from "../../workspace/plain-git.ts";
import { askOnce, liveIn } from "../struck-life.ts";

/** A run in a repository, each of whose steps writes; its work is accepted once it is complete. */
interface AcceptedLife {
  readonly file: string;
  readonly id: string;
  readonly goal: string;
  readonly steps: readonly Step[];
  readonly workspace: Readonly<Record<string, unknown>>;
  readonly writer: FunctionAgent;
  /** Committed before the run begins. */
  readonly files: Readonly<Record<string, string>>;
  /** The user's own, in no commit. */
  readonly drafts: Readonly<Record<string, string>>;
}

export const writingStep = (name: string, needs: string[]): Step => ({
  name,
  task: `do ${name}`,
  agent: "writer",
  needs,
  authority: "writes",
  checks: [{ run: `test -e ${name}` }],
});

export const liveUntilAccepted = ({ file, id, goal, steps, workspace, ...life }: AcceptedLife) =>
  liveIn("project", {
    file,
    run: {
      id,
      goal,
      flow: { name: id, steps: [...steps], phases: [] },
      agents: { writer: { use: "function", export: "writer" } },
      settings: runSettingsSchema.parse({
        backoff: { baseMs: 1, capMs: 1 },
        checkpoints: { when: "always" },
        workspace: { lock: "always", setup: "echo made > made-by-setup", ...workspace },
        commit: { author: "Ada <ada@example.invalid>" },
      }),
      budget: {},
    },
    functions: () => new Map([["writer", life.writer]]),
    prepare: (project) => prepare(project, life),
    operate: (system) => operate(system, id),
  });

/** Asks once that the complete run be accepted; true when all is over. */
async function operate(system: System, run: string): Promise<boolean> {
  const state = await loadRun(system.ports.journal, run);
  if (state === null) return false;
  if (state.status === "blocked" || state.status === "failed") return true;
  const { commit, worktree, hold } = state.workspace;
  if (state.status !== "completed") return false;
  if (commit.accepted) return worktree === null && hold === null;
  await askOnce(system, run, { kind: "accept" });
  return false;
}

function prepare(project: string, { files, drafts }: Pick<AcceptedLife, "files" | "drafts">): void {
  if (existsSync(join(project, "../begun"))) return;
  mkdirSync(project, { recursive: true });
  const write = ([name, text]: [string, string]): void => writeFileSync(join(project, name), text);
  Object.entries(files).forEach(write);
  plainGit(project, ["init", "-q", "-b", "main"]);
  plainGit(project, ["add", "."]);
  plainGit(project, ["commit", "-qm", "begin"]);
  Object.entries(drafts).forEach(write);
  appendFileSync(join(project, "../begun"), "");
}
