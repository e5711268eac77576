import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import { realWorld } from "../../../src/real-world.ts";
import { plainGit } from "../../workspace/plain-git.ts";
import { ACCEPTED_RUN } from "./accepted-run.ts";
import { count, strikeBoundaries, wrong } from "../strike-boundaries.ts";

/** What must hold whatever was killed: two commits, in the user's branch, and nothing else anywhere. */
async function violations(folder: string): Promise<string[]> {
  const project = join(folder, "project");
  const git = (...args: string[]): string => plainGit(project, args).trim();
  const journal = await openSqliteJournal({ file: join(folder, "journal.db"), world: realWorld() });
  try {
    const events = await journal.read(ACCEPTED_RUN, { after: 0, limit: 100_000 });
    const tree = events.flatMap(({ type, data }) => (type === "WorktreeCreated" ? [data.tree] : []))[0] ?? "";
    return [
      ...wrong("commits", git("log", "--format=%s", "main").split("\n"), [
        "two: be accepted",
        "one: be accepted",
        "begin",
      ]),
      ...wrong("files", git("ls-tree", "-r", "--name-only", "main").split("\n"), [
        ".gitignore",
        "README",
        "one",
        "shared",
        "two",
      ]),
      ...wrong("what both changed", git("show", "main:shared"), "the user's, and two's"),
      ...wrong(
        "what was carried",
        git("show", "refs/holdfast/carried/holdfast/accepted:shared"),
        "the user's",
      ),
      ...wrong("the user's tree", git("status", "--porcelain"), "?? draft"),
      ...wrong("tags", git("tag", "--list").split("\n"), ["good/accepted/one", "good/accepted/two"]),
      ...wrong("the worktree", existsSync(tree), false),
      ...wrong("git's worktrees", git("worktree", "list").split("\n").length, 1),
      ...wrong("repository", git("fsck", "--strict"), ""),
      ...wrong("steps done", count(events, "StepSucceeded"), 2),
      ...wrong("carried", carried(events), [["draft", "shared", "packages"]]),
      ...wrong("accepted", count(events, "WorkAccepted"), 1),
      ...wrong("removed", count(events, "WorktreeRemoved"), 1),
      ...wrong("blocked", count(events, "RunBlocked"), 0),
      ...wrong("damage", await journal.verify(), []),
    ];
  } finally {
    await journal.close();
  }
}

const carried = (events: readonly Recorded[]): string[][] =>
  events.flatMap(({ type, data }) => (type === "FilesCarried" ? [[...data.files, ...data.paths]] : []));

test("W1 W5 W11 a supervisor killed at any boundary of a worktree, a commit, an acceptance or a clean-up leaves no half state: the next start finishes it", (t) =>
  strikeBoundaries(t, {
    program: "runs/accepted-run.ts",
    watched:
      /^(effect\.(CreateWorktree|HoldTree|FreeTree|RunInTree|CarryFiles|CommitWork|AcceptWork|RemoveWorktree)|workspace\.(hold|worktree|carry|commit|take-in|removal)|evidence)\./,
    telling: [
      "effect.CreateWorktree.after",
      "workspace.carry.kept",
      "workspace.carry.noted",
      "workspace.carry.filled",
      "workspace.carry.copied",
      "workspace.hold.taken",
      "evidence.seen",
      "evidence.taken",
      "evidence.compared",
      "workspace.commit.moved",
      "workspace.take-in.replacing",
      "workspace.take-in.write",
      "workspace.take-in.branch",
      "workspace.removal.cleared",
    ],
    atOnce: 2,
    violations,
  }));
