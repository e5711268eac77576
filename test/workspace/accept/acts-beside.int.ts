import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { realWorld } from "../../../src/real-world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { plainGit } from "../plain-git.ts";
import { treeImage } from "../tree-image.ts";

const AUTHOR = { name: "a", email: "a@localhost" };

/** `side` changes, makes and removes files; the tree is on `main`. */
function project(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-beside-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const at = path.join(folder, "project");
  mkdirSync(path.join(at, "sub"), { recursive: true });
  const put = (name: string, text: string): void => {
    writeFileSync(path.join(at, name), text);
  };
  const git = (...args: string[]): string => plainGit(at, args).trim();
  git("init", "-q", "-b", "main");
  for (const name of ["a", "changed", "sub/gone", "zz"]) put(name, "one\n");
  git("add", ".");
  git("commit", "-qm", "one");
  git("switch", "-qc", "side");
  for (const name of ["a", "changed", "made", "zz"]) put(name, "two\n");
  rmSync(path.join(at, "sub"), { recursive: true });
  git("add", "-A");
  git("commit", "-qm", "side");
  git("switch", "-q", "main");
  return { at, put, git, home: path.join(folder, "home"), side: git("rev-parse", "side") };
}

/** What a person does to a file that is about to be replaced. */
const ACTS: Readonly<
  Record<string, readonly [string, (put: (name: string, text: string) => void, at: string) => void]>
> = {
  "writes a file that is to be replaced": [
    "changed",
    (put) => {
      put("changed", "mine\n");
    },
  ],
  "writes the file that would be the last": [
    "zz",
    (put) => {
      put("zz", "mine\n");
    },
  ],
  "makes a file where one is to come": [
    "made",
    (put) => {
      put("made", "mine\n");
    },
  ],
  "writes a file that is to go": [
    "sub/gone",
    (put) => {
      put("sub/gone", "mine\n");
    },
  ],
  "removes a file that is to be replaced": [
    "changed",
    (_, at) => {
      rmSync(path.join(at, "changed"));
    },
  ],
  "replaces a file as editors do": [
    "changed",
    (put, at) => {
      put("draft", "mine\n");
      rmSync(path.join(at, "changed"));
      put("changed", "mine\n");
      rmSync(path.join(at, "draft"));
    },
  ],
};

for (const [what, [file, act]] of Object.entries(ACTS))
  for (const boundary of what.startsWith("makes") ? ["kept", "looked"] : ["looked"])
    test(`W5 W11 a person ${what} while an acceptance is under way (${boundary}): it stays, and nothing is taken in`, async (t) => {
      const { at, put, git, home, side } = project(t);
      let acted = new Map<string, string>();
      const crashPoint = (name: string): void => {
        if (name !== `workspace.take-in.${boundary}` || acted.size > 0) return;
        act(put, at);
        acted = treeImage(at);
      };
      const workspace = gitWorkspace({ home, world: { ...realWorld(), crashPoint } });
      t.after(() => workspace.close());
      const order = { key: "t", project: at, commit: side, message: "m\n", author: AUTHOR, atMs: 1 };
      const before = git("rev-parse", "main");
      const taken = await workspace.takeIn(order);
      assert.deepEqual(taken, { kind: "dirty", files: [file] });
      assert.deepEqual(treeImage(at), acted);
      assert.equal(git("rev-parse", "main"), before);
      git("checkout", "-q", "--", ".");
      rmSync(path.join(at, "made"), { force: true });
      const again = await workspace.takeIn({ ...order, key: "t2" });
      assert.equal(again.kind, "taken");
      assert.equal(git("status", "--porcelain"), "");
    });

test("W5 W11 what a person writes after it was replaced stays theirs, also where the acceptance is undone", async (t) => {
  const { at, put, git, home, side } = project(t);
  let writes = 0;
  const crashPoint = (name: string): void => {
    if (name !== "workspace.take-in.write") return;
    writes += 1;
    // The first is what goes, the second `a`.
    if (writes !== 2) return;
    put("a", "mine, on top of theirs\n");
    put("zz", "mine\n");
  };
  const workspace = gitWorkspace({ home, world: { ...realWorld(), crashPoint } });
  t.after(() => workspace.close());
  const taken = await workspace.takeIn({
    key: "t",
    project: at,
    commit: side,
    message: "m\n",
    author: AUTHOR,
    atMs: 1,
  });
  assert.deepEqual(taken, { kind: "dirty", files: ["zz"] });
  const read = (name: string): string => readFileSync(path.join(at, name), "utf8");
  assert.deepEqual(
    [read("a"), read("zz"), read("changed"), read("sub/gone")],
    ["mine, on top of theirs\n", "mine\n", "one\n", "one\n"],
  );
  assert.ok(!existsSync(path.join(at, "made")));
  assert.equal(git("status", "--porcelain"), "M a\n M zz");
});
