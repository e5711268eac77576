import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { realWorld } from "../../src/real-world.ts";
import { gitWorkspace } from "../../src/workspace/git-workspace.ts";
import { canariesThatRan, HOSTILE, makeCanary } from "./hostile-places.ts";
import { plainGit } from "./plain-git.ts";

/** Every command of git that Holdfast uses in a tree; the life below must have used them all. */
const COMMANDS = [
  ...["cat-file", "check-attr", "check-ignore", "check-ref-format", "checkout-index", "commit-tree"],
  ...[
    "diff-files",
    "diff-tree",
    "fast-import",
    "fetch",
    "for-each-ref",
    "init",
    "ls-files",
    "ls-tree",
    "merge-base",
    "merge-tree",
    "pack-refs",
    "push",
    "read-tree",
  ],
  ...["repack", "rev-list", "rev-parse", "update-index", "update-ref", "write-tree"],
];

function hostileProject(t: TestContext, group: number) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-hostile-"));
  const [project, home, canaries] = ["project", "home", "canaries"].map((name) => path.join(folder, name));
  assert.ok(project !== undefined && home !== undefined && canaries !== undefined);
  for (const one of [project, home]) mkdirSync(one);
  plainGit(project, ["init", "-q", "-b", "main"]);
  for (const name of ["a.txt", "b.md", "c"]) writeFileSync(path.join(project, name), `${name}\n`);
  plainGit(project, ["add", "."]);
  plainGit(project, ["commit", "-q", "-m", "one"]);
  const env: Record<string, string> = {};
  for (const place of HOSTILE[group] ?? [])
    place.plant({ project, home, env, canary: makeCanary(canaries, place.name) });
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, project, canaries, env };
}

/** A `git` that writes down what it is asked for, first on the PATH of the supervisor. */
function recordingGit(folder: string): { bin: string; used: () => Set<string> } {
  const bin = path.join(folder, "bin");
  mkdirSync(bin);
  const log = path.join(folder, "git-calls");
  const real = plainGit(folder, ["--exec-path"]).trim();
  const script = `#!/bin/sh\nfor word; do case $word in -c) skip=1;; -*) ;; *) [ -n "$skip" ] && skip= || { echo "$word" >> ${log}; break; };; esac; done\nexec ${real}/git "$@"\n`;
  writeFileSync(path.join(bin, "git"), script);
  chmodSync(path.join(bin, "git"), 0o755);
  return { bin, used: () => new Set(readFileSync(log, "utf8").split("\n").filter(Boolean)) };
}

function withEnvironment(t: TestContext, env: Record<string, string>): void {
  const before = { ...process.env };
  Object.assign(process.env, env);
  t.after(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  });
}

const aged = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2_200));

for (const [group, places] of HOSTILE.entries()) {
  const names = places.map(({ name }) => name).join(", ");
  test(`W2 W11 no git call runs a program that a hostile tree names: ${names}`, async (t) => {
    const { folder, project, canaries, env } = hostileProject(t, group);
    const { bin, used } = recordingGit(folder);
    const paths = `${bin}${path.delimiter}${env["PATH"] ?? process.env["PATH"] ?? ""}`;
    withEnvironment(t, { ...env, PATH: paths });
    const workspace = gitWorkspace({ home: path.join(folder, "store"), world: realWorld(), recentMax: 0 });
    t.after(() => workspace.close());
    await aged();
    const place = { project, tree: project };
    const first = await workspace.snapshot({ ...place, key: "1", atMs: 1 });
    writeFileSync(path.join(project, "a.txt"), "changed\n");
    const second = await workspace.snapshot({ ...place, key: "2", atMs: 2 });
    await workspace.compare(place, first.id, second.id);
    await workspace.restore({ ...place, key: "r", atMs: 3, snapshot: first.id });
    assert.equal((await workspace.verify(place, first.id)).kind, "whole");
    const order = { key: "w", project, tree: path.join(folder, "tree"), branch: "holdfast/w" };
    const { tree, from } = await workspace.createWorktree(order);
    writeFileSync(path.join(tree, "c"), "work\n");
    const author = { name: "a", email: "a@localhost" };
    const expected = { branch: "holdfast/w", commit: from };
    const commit = { key: "c", project, tree, atMs: 4, files: ["c"], message: "m", author, expected };
    const committed = await workspace.commit(commit);
    assert.ok(committed.kind === "committed");
    assert.equal((await workspace.compareCommits(place, from, committed.commit)).relation, "forward");
    assert.equal((await workspace.tryMerge(place, from, committed.commit)).kind, "clean");
    const taken = { key: "t", project, commit: committed.commit, message: "m\n", author, atMs: 5 };
    assert.equal((await workspace.takeIn(taken)).kind, "taken");
    assert.equal((await workspace.removeWorktree({ key: "d", project, tree, atMs: 5 })).kind, "removed");
    const remote = path.join(folder, "remote.git");
    plainGit(folder, ["init", "-q", "--bare", remote], {
      PATH: process.env["PATH"]?.replace(".::", "") ?? "",
    });
    await workspace.push(project, first.id, remote);
    const other = path.join(folder, "other");
    mkdirSync(other);
    await workspace.fetch(other, first.id, remote);
    await workspace.release({ project, keys: ["2"] });
    assert.deepEqual(canariesThatRan(canaries), []);
    assert.deepEqual(
      COMMANDS.filter((command) => !used().has(command)),
      [],
    );
  });
}

test("W2 the canaries are real: plain git in the same trees runs them", (t) => {
  const ran = [0, 1].flatMap((group) => {
    const { project, canaries, env } = hostileProject(t, group);
    const wanted = { ...env, PATH: process.env["PATH"] ?? "" };
    writeFileSync(path.join(project, "a.txt"), "changed\n");
    writeFileSync(path.join(project, "b.md"), "changed\n");
    for (const args of [["status"], ["add", "a.txt"], ["diff"], ["commit", "-qm", "x"], ["log", "-1"]]) {
      try {
        plainGit(project, args, wanted);
      } catch (error) {
        assert.ok(
          error instanceof Error,
          "a canary that answers nonsense makes git fail, which is fine here",
        );
      }
    }
    return canariesThatRan(canaries);
  });
  assert.ok(ran.length >= 6, `only ${ran.join(", ")} ran`);
});

test("W2 git is started in one place only", () => {
  const room = path.join(import.meta.dirname, "..", "..", "src", "workspace");
  const sources = readdirSync(room, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  assert.ok(sources.length > 50, String(sources.length));
  const starters = sources.filter((name) =>
    readFileSync(path.join(room, name), "utf8").includes("node:child_process"),
  );
  assert.deepEqual(
    starters.filter(
      (name) =>
        name !== path.join("git", "run-git.ts") &&
        !/^import type/m.test(
          readFileSync(path.join(room, name), "utf8")
            .split("\n")
            .find((line) => line.includes("node:child_process")) ?? "",
        ),
    ),
    [],
  );
});
