import { spawnSync } from "node:child_process";
import type { System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { findRun } from "../run/find-run.ts";
import type { Invocation } from "../shell/invocation.ts";

const GIT_LIMIT_MS = 120_000;
const OUTPUT_BYTES_MAX = 64 * 2 ** 20;

interface Git {
  readonly tree: string;
  readonly author: string | undefined;
}

/**
 * Commits what the filters of the user's own git have to store, such as Git LFS, with that git: Holdfast runs no filter
 * by itself. Only files that the run has changed, and no hook is called. What is left is committed as always.
 */
export function commitFiltered(call: Invocation, text: string, message: string | undefined): Promise<void> {
  return call.withSystem("empty", async (system) => {
    const run = await findRun(system.ports.journal, text);
    const state = await system.loadRun(run);
    if (state === null) throw new Fault("not_found", `there is no run "${run}"`);
    const git = { tree: treeOf(state), author: state.settings.commit.author };
    const files = filteredOf(git, await changedFiles(system, state, git.tree));
    if (files.length === 0) return;
    gitOf(git, ["add", "-A", "--", ...files]);
    gitOf(git, ["commit", "-q", "-m", message ?? `Store ${files.join(", ")}`, "--", ...files]);
    call.output.line(`${run}: stored by the filters of your git: ${files.join(", ")}`);
  });
}

const treeOf = ({ workspace: { worktree }, cwd }: RunState): string => worktree?.tree ?? cwd;

async function changedFiles(system: System, state: RunState, tree: string): Promise<string[]> {
  const { base } = state.workspace.commit;
  const last = Object.values(state.checkpoints).findLast((one) => one.tree === tree);
  if (base?.tree !== tree || last === undefined)
    throw new Fault(
      "refused",
      `what the run has changed in ${tree} is not known; commit it with git there, then: holdfast commit ${state.run}`,
    );
  const project = state.workspace.worktree?.project ?? tree;
  const { changes } = await system.ports.workspace.compare(
    { project, tree },
    base.snapshot,
    last.snapshot.id,
  );
  return changes.map(({ path }) => path);
}

/** Those that have a filter and differ from what is committed. */
function filteredOf(git: Git, files: readonly string[]): string[] {
  if (files.length === 0) return [];
  const fields = gitOf(git, ["check-attr", "-z", "--stdin", "filter"], files.join("\0")).split("\0");
  const named = files.filter((_, at) => !["unspecified", "unset", ""].includes(fields[at * 3 + 2] ?? ""));
  if (named.length === 0) return [];
  const differing = gitOf(git, ["status", "--porcelain", "-z", "--no-renames", "--", ...named]).split("\0");
  const left = new Set(differing.map((line) => line.slice(3)));
  return named.filter((file) => left.has(file));
}

function gitOf({ tree, author }: Git, args: readonly string[], input?: string): string {
  const [, name, email] = /^([^<>]+) <([^<>]+)>$/.exec(author ?? "") ?? [];
  const env = {
    ...process.env,
    GIT_LITERAL_PATHSPECS: "1",
    ...(name === undefined ? {} : { GIT_AUTHOR_NAME: name, GIT_COMMITTER_NAME: name }),
    ...(email === undefined ? {} : { GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_EMAIL: email }),
  };
  const { status, stdout, stderr, error } = spawnSync(
    "git",
    ["-C", tree, "-c", "core.hooksPath=/dev/null", ...args],
    {
      ...{ env, encoding: "utf8", timeout: GIT_LIMIT_MS, maxBuffer: OUTPUT_BYTES_MAX },
      ...(input === undefined ? {} : { input }),
    },
  );
  if (status === 0) return stdout;
  const why = error?.message ?? stderr.trim();
  throw new Fault("refused", `git ${args[0] ?? ""} in ${tree} failed: ${why}; mend it, then ask again`);
}
