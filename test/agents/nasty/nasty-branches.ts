import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isFault } from "../../../src/model/fault.ts";
import { realWorld } from "../../../src/real-world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { plainGit } from "../../workspace/plain-git.ts";
import { asFolder, asWord, nastyInputs, withCanary } from "./nasty-sessions.ts";

const author = { name: "A User", email: "user@example.test" };

/**
 * So many nasty strings as branch, folder, file and message of a worktree. Git takes few of them for a branch: the
 * others are refused in words. Answers how many were taken.
 */
export async function playBranches(count: number): Promise<number> {
  let taken = 0;
  await withCanary(async (folder, canary) => {
    const project = path.join(folder, "project");
    mkdirSync(project);
    plainGit(project, ["init", "-q", "-b", "main"]);
    plainGit(project, ["commit", "-q", "--allow-empty", "-m", "one"]);
    const workspace = gitWorkspace({ home: path.join(folder, "home"), world: realWorld() });
    try {
      for (const [index, text] of nastyInputs(count, canary).entries()) {
        const branch = text.slice(0, 120);
        const tree = path.join(folder, "trees", asFolder(text, index));
        const made = await workspace
          .createWorktree({ key: `k${String(index)}`, project, tree, branch })
          .catch((error: unknown) => {
            assert.ok(isFault(error), `${JSON.stringify(branch)}: ${String(error)}`);
            return null;
          });
        const place = made ?? { tree: project, branch: "main" };
        if (made !== null) taken += 1;
        const file = asFolder(text, index);
        writeFileSync(path.join(place.tree, file), "x");
        const head = await workspace.head(place.tree);
        assert.ok(head.kind === "git");
        const done = await workspace.commit({
          key: `c${String(index)}`,
          project,
          tree: place.tree,
          atMs: 1_700_000_000_000,
          files: [file],
          message: `m ${asWord(text).slice(0, 5_000)}`,
          author,
          expected: { commit: head.commit, branch: place.branch },
        });
        assert.equal(done.kind, "committed", JSON.stringify({ branch, done }).slice(0, 300));
        if (made === null) continue;
        const order = { key: `r${String(index)}`, project, tree: made.tree, atMs: 1_700_000_000_000 };
        assert.equal((await workspace.removeWorktree(order)).kind, "removed");
      }
    } finally {
      await workspace.close();
    }
  });
  return taken;
}
