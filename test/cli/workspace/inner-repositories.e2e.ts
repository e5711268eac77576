import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(5);

const bench = new CliBench({
  "agent.sh": `echo plain > plain
printf bytes > "$(printf 'l\\351t')"
echo made > lib/made
git init -q app && echo inner > app/file
git -C app add file && git -C app -c user.name=a -c user.email=a@example.invalid commit -qm inner
`,
  "holdfast.yaml": `agents:
  sh: { use: command, command: [sh, agent.sh] }
`,
});
after(() => bench.close());

const gitIn =
  (folder: string) =>
  (...args: string[]): string =>
    execFileSync(
      "git",
      [
        "-c",
        "protocol.file.allow=always",
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.invalid",
        ...args,
      ],
      { cwd: folder, encoding: "latin1" },
    );
const git = gitIn(bench.cwd);

before(() => {
  const lib = path.join(bench.root, "lib");
  mkdirSync(lib);
  gitIn(lib)("init", "-q", "-b", "main");
  gitIn(lib)("commit", "-q", "--allow-empty", "-m", "lib");
  git("init", "-q", "-b", "main");
  git("submodule", "--quiet", "add", lib, "lib");
  git("add", "-A");
  git("commit", "-qm", "begin");
});

test("W2 W3 work inside a submodule, or in a repository that an agent made, is named as left out and stays in the worktree; a file whose name is no UTF-8 is accepted", async () => {
  const ran = await bench.call(["run", "make it", "--agent", "sh", "--id", "inner"]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout, /not in it: (app, lib|lib, app) \(repositories of their own\)/);
  const { workspace } = await bench.json<{ readonly workspace: { readonly folder: string } }>([
    "status",
    "inner",
  ]);
  const status = await bench.call(["status", "inner"]);
  assert.match(status.stdout, /work +2 files changed/);
  assert.match(status.stdout, /left out +(app, lib|lib, app) .*copy what you need from/);

  const accepted = await bench.call(["accept", "inner"]);
  assert.equal(accepted.code, 0, accepted.stdout + accepted.stderr);
  assert.match(accepted.stdout, /left out: (app, lib|lib, app) /);
  const listed = git("-c", "core.quotePath=false", "ls-tree", "-r", "HEAD").split("\n");
  assert.ok(listed.some((line) => line.startsWith("160000 commit") && line.endsWith("\tlib")));
  assert.deepEqual(
    listed.filter((line) => /\t(plain|app|lib\/|l\xe9t)/.test(line)).map((line) => line.split("\t")[1]),
    ["l\xe9t", "plain"],
  );
  assert.equal(readFileSync(path.join(workspace.folder, "app/file"), "utf8"), "inner\n");
  assert.equal(readFileSync(path.join(workspace.folder, "lib/made"), "utf8"), "made\n");

  const gone = await bench.call(["gc", "--yes", "--older-than", "0m"]);
  assert.equal(gone.code, 0, gone.stdout + gone.stderr);
  assert.ok(!existsSync(workspace.folder), "a person who says yes has it removed; the checkpoint holds it");
});
