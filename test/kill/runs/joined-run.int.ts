import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { realWorld } from "../../../src/real-world.ts";
import { plainGit } from "../../workspace/plain-git.ts";
import { JOINED_RUN } from "./joined-run.ts";
import { count, passageAfter, strikeBoundaries, wrong } from "../strike-boundaries.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(0);

/** What must hold whatever was killed: the work of three steps, once each, in the user's branch, and no tree left. */
async function violations(folder: string): Promise<string[]> {
  const project = join(folder, "project");
  const git = (...args: string[]): string => plainGit(project, args).trim();
  const journal = await openSqliteJournal({ file: join(folder, "journal.db"), world: realWorld() });
  try {
    const events = await journal.read(JOINED_RUN, { after: 0, limit: 100_000 });
    const trees = events.flatMap(({ type, data }) => (type === "WorktreeCreated" ? [data.tree] : []));
    const works = git("log", "--no-merges", "--format=%s", "main").split("\n");
    return [
      ...wrong("commits", works.sort(), ["begin", "one: be joined", "three: be joined", "two: be joined"]),
      ...wrong("files", git("ls-tree", "-r", "--name-only", "main").split("\n"), [
        ".gitignore",
        "README",
        "one",
        "three",
        "two",
      ]),
      ...wrong("merged file", git("show", "main:README"), "one!\n\n\n\nthree!"),
      ...wrong("the user's tree", git("status", "--porcelain"), ""),
      ...wrong("tags", git("tag", "--list").split("\n"), [
        "good/joined/one",
        "good/joined/three",
        "good/joined/two",
      ]),
      ...wrong("trees made", trees.length, 4),
      ...wrong(
        "trees that stand",
        trees.filter((tree) => existsSync(tree)),
        [],
      ),
      ...wrong("git's worktrees", git("worktree", "list").split("\n").length, 1),
      ...wrong("repository", git("fsck", "--strict"), ""),
      ...wrong("steps done", count(events, "StepSucceeded"), 3),
      ...wrong("joined", count(events, "WorkJoined"), 3),
      ...wrong("removed", count(events, "WorktreeRemoved"), 4),
      ...wrong("blocked", count(events, "RunBlocked"), 0),
      ...wrong("damage", await journal.verify(), []),
    ];
  } finally {
    await journal.close();
  }
}

/** The second of two that have worked at the same time: its work is merged. */
function inTheMerge(trace: readonly string[]): string[] {
  const second = trace.indexOf("join.committed", trace.indexOf("join.committed") + 1);
  const passages = passageAfter(trace, second, "workspace.take-in.write");
  assert.equal(passages.length, 1, "the run no longer merges");
  return passages;
}

test("W1 W5 W11 a supervisor killed at any boundary of the worktrees of single steps leaves no half state: each work is joined once and no tree is left", (t) =>
  strikeBoundaries(t, {
    program: "runs/joined-run.ts",
    watched:
      /^(join|effect\.(CreateWorktree|RunInTree|JoinWork|RemoveWorktree)|workspace\.(worktree|commit|take-in|removal))\./,
    telling: ["join.committed", "workspace.take-in.branch", "join.taken"],
    also: inTheMerge,
    atOnce: 2,
    violations,
  }));
