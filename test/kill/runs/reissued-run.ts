/**
 * The program that is killed around reconciling and reissuing: a run of one step whose agent, a process of its own,
 * waits to be let go. It is paused; a person commits on top of its base; resumed it blocks as drift and is reconciled;
 * at work again its task is given out again, and only then its agent may claim to be done.
 *
 * Usage: reissued-run.ts FOLDER. Started again on the same folder it goes on where the journal stops.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FunctionAgent } from "../../../src/agents/function/function-agent.ts";
import type { System } from "../../../src/main.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { loadRun } from "../../../src/runtime/load-run.ts";
import { plainGit } from "../../workspace/plain-git.ts";
import { askOnce, liveIn, type StruckRun } from "../struck-life.ts";

export const REISSUED_RUN = "reissued";

const SCRIPT = {
  attempts: [
    [
      { do: "append", file: "worked", line: "{attempt}" },
      { do: "wait", file: "go" },
      { do: "claim", ok: true, text: "done" },
    ],
  ],
};

const RUN: StruckRun = {
  id: REISSUED_RUN,
  goal: "be given out anew",
  flow: {
    name: "reissued",
    steps: [{ name: "work", task: "work", agent: "waits", needs: [], authority: "writes", checks: [] }],
    phases: [],
  },
  agents: { waits: { use: "demo", script: "script.json" } },
  settings: runSettingsSchema.parse({
    backoff: { baseMs: 1, capMs: 1 },
    drift: { when: "always", forward: "ask" },
  }),
  budget: {},
};

/** A person who pauses, commits, resumes, reconciles, and has the work given out again, each once. */
async function operate(system: System, tree: string): Promise<boolean> {
  const state = await loadRun(system.ports.journal, REISSUED_RUN);
  if (state === null) return false;
  const ask = (request: Parameters<typeof askOnce>[2]): Promise<void> =>
    askOnce(system, REISSUED_RUN, request);
  if (state.status === "completed" || state.status === "failed") return true;
  if (state.status === "blocked") {
    if (state.blocked?.reason !== "drift") return true;
    await ask({ kind: "reconcile" });
    return false;
  }
  if (hasCommitted(tree)) {
    if (state.status === "paused") await ask({ kind: "resume" });
    else if (await isReissued(system)) writeFileSync(join(tree, "go"), "");
    else if (isAtWork(state) && state.drift.base?.commit === headOf(tree))
      await ask({ kind: "reissue", reason: "baseline" });
    return false;
  }
  if (isAtWork(state)) await ask({ kind: "pause" });
  // Whatever the agent may have moved is known by then.
  else if (state.status === "paused" && state.drift.movers.length === 0) commitOnTop(tree);
  return false;
}

const isAtWork = (state: RunState): boolean =>
  Object.values(state.attempts).some(({ phase }) => phase === "working");

const isReissued = async ({ ports }: System): Promise<boolean> =>
  (await ports.journal.read(REISSUED_RUN, { after: 0, limit: 100_000 })).some(
    ({ type }) => type === "StepsReissued",
  );

const headOf = (tree: string): string => plainGit(tree, ["rev-parse", "HEAD"]).trim();
const hasCommitted = (tree: string): boolean => plainGit(tree, ["log", "--format=%s"]).includes("on top");

function commitOnTop(tree: string): void {
  writeFileSync(join(tree, "mine"), "the user's\n");
  plainGit(tree, ["add", "mine"]);
  plainGit(tree, ["commit", "-qm", "on top"]);
}

function prepare(tree: string): void {
  if (existsSync(join(tree, ".git")) && plainGit(tree, ["log", "--all", "--format=%s"]) !== "") return;
  mkdirSync(tree, { recursive: true });
  writeFileSync(join(tree, "script.json"), JSON.stringify(SCRIPT));
  writeFileSync(join(tree, ".gitignore"), "worked\ngo\n");
  plainGit(tree, ["init", "-q", "-b", "work"]);
  plainGit(tree, ["add", "."]);
  plainGit(tree, ["commit", "-qm", "begin"]);
}

const functions = (): Map<string, FunctionAgent> => new Map();
void liveIn("project", { file: import.meta.filename, run: RUN, functions, prepare, operate });
