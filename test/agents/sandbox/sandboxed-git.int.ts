import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { noSandbox, SandboxStage } from "./sandbox-stage.ts";

class Repository {
  readonly stage = new SandboxStage();
  readonly tree: string;

  constructor(t: TestContext, kind: "own" | "worktree") {
    t.after(() => this.stage.close());
    this.git("config", "user.name", "Ada");
    this.git("config", "user.email", "ada@example.org");
    this.git("config", "remote.origin.url", "https://ada:password@example.org/x");
    writeFileSync(path.join(this.stage.repo, "file"), "one\n");
    this.git("add", ".");
    this.git("commit", "--quiet", "-m", "one");
    this.tree = kind === "own" ? this.stage.repo : this.stage.in("state/store.sqlite-trees/w");
    if (kind === "worktree") this.git("worktree", "add", "--quiet", "-b", "work", this.tree);
  }

  git(...words: readonly string[]): string {
    return this.at(this.stage.repo, ...words);
  }

  at(cwd: string, ...words: readonly string[]): string {
    return execFileSync("git", words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  }

  play(script: string) {
    return this.stage.play({ ...this.stage.order(`{ ${script}\n} >said 2>&1`), cwd: this.tree });
  }

  said(): string {
    return readFileSync(path.join(this.tree, "said"), "utf8");
  }
}

const COMMIT = "echo two > file && git add file && git commit --quiet -m two && git log --format=%s";

for (const kind of ["own", "worktree"] as const) {
  test(
    `P6 W1 an agent in a sandbox commits in a git directory of its own, and its commit is brought over (${kind})`,
    { skip: noSandbox },
    async (t) => {
      const repository = new Repository(t, kind);
      const { exit } = await repository.play(`git status --short && ${COMMIT} && git remote -v`);
      assert.deepEqual(exit, { kind: "exit", how: "code", code: 0 }, repository.said());
      assert.equal(repository.said(), "?? said\ntwo\none\n");
      const { tree } = repository;
      assert.equal(repository.at(tree, "log", "--format=%s %an"), "two Ada\none Ada");
      assert.equal(repository.at(tree, "status", "--short"), "?? said");
      assert.equal(repository.at(tree, "fsck", "--strict"), "");
    },
  );
}

test(
  "P6 W1 commits on a branch that somebody else has moved are kept under a hidden ref",
  { skip: noSandbox },
  async (t) => {
    const repository = new Repository(t, "own");
    const order = {
      ...repository.stage.order(`${COMMIT}; touch begun; until test -e go; do sleep 0.05; done`),
      cwd: repository.tree,
    };
    await repository.stage.start(order);
    while (!existsSync(path.join(repository.tree, "begun")))
      await new Promise((resolve) => setTimeout(resolve, 20));
    repository.git("commit", "--quiet", "--allow-empty", "-m", "mine");
    writeFileSync(path.join(repository.tree, "go"), "");
    await repository.stage.receive(order);
    assert.equal(repository.git("log", "--format=%s"), "mine\none");
    assert.equal(repository.git("log", "--format=%s", `refs/holdfast/sandbox/${order.session}`), "two\none");
  },
);

test(
  "P6 T16 what an agent writes into its git directory runs nothing and leads nowhere",
  { skip: noSandbox },
  async (t) => {
    const repository = new Repository(t, "own");
    const planted = repository.stage.in("planted");
    const before = readFileSync(path.join(repository.tree, ".git/config"), "utf8");
    await repository.play(
      [
        COMMIT,
        `git config core.fsmonitor 'touch ${planted}'; git config core.hooksPath .; git config uploadpack.packObjectsHook 'touch ${planted}'`,
        `printf '#!/bin/sh\ntouch ${planted}\n' > .git/hooks/reference-transaction; mkdir -p .git/hooks`,
        `git update-ref refs/heads/other HEAD; git tag mine; mv .git away; rmdir .git; ln -sfn / .git/objects/info/alternates`,
      ].join("\n"),
    );
    assert.equal(repository.git("log", "--format=%s"), "two\none");
    assert.equal(repository.git("for-each-ref", "--format=%(refname)"), "refs/heads/main");
    assert.equal(readFileSync(path.join(repository.tree, ".git/config"), "utf8"), before);
    assert.equal(existsSync(planted), false);
  },
);

test(
  "P6 T16 an object that is not what its name says is not brought over",
  { skip: noSandbox },
  async (t) => {
    const repository = new Repository(t, "own");
    await repository.play(`${COMMIT}
blob=$(git rev-parse HEAD:file); other=$(echo evil | git hash-object -w --stdin)
f() { echo .git/objects/$(echo $1 | cut -c1-2)/$(echo $1 | cut -c3-); }
rm -f $(f $blob); cp $(f $other) $(f $blob); ls $(f $blob)`);
    assert.equal(repository.git("log", "--format=%s"), "one");
    assert.equal(repository.git("fsck", "--strict"), "");
    assert.match(readFileSync(path.join(repository.stage.sessions, "s1/git.failed"), "utf8"), /git/);
  },
);
