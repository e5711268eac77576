/**
 * A program that is killed: a run of one step whose agent works in a sandbox, in a git directory of its own, and commits.
 * Started again on the same folder the next supervisor adopts the agent, or takes over what it has committed.
 *
 * Usage: sandboxed-run.ts FOLDER
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { stepSchema } from "../../../src/model/flow/flow.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { loadRun } from "../../../src/runtime/load-run.ts";
import { liveIn, type StruckRun } from "../struck-life.ts";

export const SANDBOXED_RUN = "sandboxed";

/** Its first and last words stand in files, so that a second beginning and an end that is missing both show. */
const WORK = [
  'echo "$HOLDFAST_ATTEMPT" >> began',
  "sleep 0.4",
  "echo work > work",
  "git add work",
  "git -c user.name=a -c user.email=a@example.invalid commit -qm 'the work'",
  'echo "$HOLDFAST_ATTEMPT" >> ended',
  "echo the work is done",
].join(" && ");

const RUN: StruckRun = {
  id: SANDBOXED_RUN,
  goal: "work in a sandbox",
  flow: {
    name: "one",
    steps: [stepSchema.parse({ name: "work", task: "work", agent: "inside" })],
    phases: [],
  },
  agents: { inside: { use: "command", command: ["sh", "-c", WORK], sandbox: "required" } },
  settings: runSettingsSchema.parse({ backoff: { baseMs: 1, capMs: 1 } }),
  budget: {},
};

function prepare(tree: string): void {
  if (existsSync(join(tree, ".git", "refs", "heads", "main"))) return;
  mkdirSync(tree, { recursive: true });
  const git = (...args: string[]): Buffer =>
    execFileSync("git", ["-C", tree, "-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args]);
  git("init", "--quiet", "--initial-branch=main");
  git("commit", "--quiet", "--allow-empty", "-m", "before");
}

await liveIn("tree", {
  file: import.meta.filename,
  run: RUN,
  functions: () => new Map(),
  prepare,
  operate: async ({ ports }) => {
    const state = await loadRun(ports.journal, SANDBOXED_RUN);
    return state !== null && ["completed", "failed", "blocked"].includes(state.status);
  },
});
