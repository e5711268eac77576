import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { repositoryOf } from "../../../src/cli/config/find-config.ts";

test("R5 all worktrees and folders of a repository are of that repository, and what git could not read stands for itself", (t) => {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-root-")));
  t.after(() => {
    rmSync(root, { recursive: true, force: true });
  });
  const [main, beside, broken, plain] = ["main", "beside", "broken", "plain"].map((name) =>
    path.join(root, name),
  ) as [string, string, string, string];
  const git = (...args: string[]): void => {
    const who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
    execFileSync("git", ["-C", main, ...who, ...args], { stdio: "ignore" });
  };
  for (const folder of [path.join(main, "inside"), broken, plain]) mkdirSync(folder, { recursive: true });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "begin");
  git("worktree", "add", "-q", beside);
  writeFileSync(path.join(broken, ".git"), "gitdir: /nowhere\n");
  assert.equal(repositoryOf(main), main);
  assert.equal(repositoryOf(path.join(main, "inside")), main);
  assert.equal(repositoryOf(beside), main);
  assert.equal(repositoryOf(broken), broken);
  assert.equal(repositoryOf(plain), null);
});
