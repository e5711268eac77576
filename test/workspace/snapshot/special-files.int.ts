import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { isFault } from "../../../src/model/fault.ts";
import { realWorld } from "../../../src/real-world.ts";
import { gitWorkspace } from "../../../src/workspace/git-workspace.ts";
import { startIgnoreCheck } from "../../../src/workspace/protect/ignore-check.ts";
import { runGit } from "../../../src/workspace/git/run-git.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import { plainGit } from "../plain-git.ts";

const AUTHOR = { name: "Ann", email: "ann@example.org" };

class Project {
  readonly folder = mkdtempSync(path.join(tmpdir(), "holdfast-special-"));
  readonly project = path.join(this.folder, "project");
  readonly workspace: Workspace = gitWorkspace({ home: path.join(this.folder, "home"), world: realWorld() });
  #count = 0;

  constructor(t: TestContext) {
    mkdirSync(path.join(this.project, "deep", "er"), { recursive: true });
    plainGit(this.project, ["init", "-q", "-b", "main"]);
    for (const name of ["a.txt", "deep/b.txt", "deep/er/c.txt"]) this.write(name, `${name}\n`);
    plainGit(this.project, ["add", "."]);
    plainGit(this.project, ["commit", "-q", "-m", "one"]);
    t.after(async () => {
      await this.workspace.close();
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  at(name: string): string {
    return path.join(this.project, name);
  }

  write(name: string, text: string): void {
    writeFileSync(this.at(name), text);
  }

  remove(name: string): void {
    rmSync(this.at(name), { recursive: true, force: true });
  }

  fifo(name: string): void {
    this.remove(name);
    mkdirSync(path.dirname(this.at(name)), { recursive: true });
    execFileSync("mkfifo", [this.at(name)]);
  }

  endless(name: string): void {
    this.remove(name);
    symlinkSync("/dev/zero", this.at(name));
  }

  snapshot() {
    const { project } = this;
    return this.workspace.snapshot({ project, tree: project, key: this.key(), atMs: Date.now() });
  }

  async commit(files: readonly string[]) {
    const head = await this.workspace.head(this.project);
    assert.ok(head.kind === "git" && head.branch !== null);
    const expected = { commit: head.commit, branch: head.branch };
    const { project } = this;
    const order = { project, tree: project, key: this.key(), atMs: Date.now(), message: "m", author: AUTHOR };
    return this.workspace.commit({ ...order, files, expected });
  }

  key(): string {
    this.#count += 1;
    return `key-${String(this.#count)}`;
  }
}

/** Refused at once, by the name of the file; nothing waits for anything. */
async function refusedFor(
  name: string,
  act: () => Promise<unknown>,
  what = "a FIFO (named pipe)",
): Promise<void> {
  await assert.rejects(act, (error) => {
    assert.ok(isFault(error, "file_refused"), String(error));
    assert.ok(error.message.includes(`${name} is ${what}`), error.message);
    assert.match(error.message, /expected a regular file: remove it \(rm /);
    return true;
  });
}

test("P2 P4 a FIFO where git reads its rules is named before git is asked, in a tree that is new and in one that is known, and the next snapshot succeeds once it is removed", async (t) => {
  const project = new Project(t);
  const places = [".gitignore", ".gitattributes", ".gitmodules", "deep/.gitignore", "deep/er/.gitattributes"];
  for (const known of [false, true]) {
    if (known) await project.snapshot();
    for (const place of [...places, "fresh/.gitignore"]) {
      project.fifo(place);
      await refusedFor(project.at(place), () => project.snapshot());
      project.remove(place.startsWith("fresh") ? "fresh" : place);
    }
    project.write("a.txt", `again ${String(known)}\n`);
    assert.equal((await project.snapshot()).whole, true);
  }
});

test("P2 P4 a FIFO or a device in the repository's own files is named, through links as well", async (t) => {
  const project = new Project(t);
  await project.snapshot();
  project.fifo(".git/info/exclude");
  await refusedFor(project.at(".git/info/exclude"), () => project.snapshot());
  project.endless(".git/info/exclude");
  await refusedFor(project.at(".git/info/exclude"), () => project.snapshot(), "a character device");
  project.remove(".git/info/exclude");
  for (const place of [
    ".git/packed-refs",
    ".git/refs/heads/other",
    ".git/objects/info/alternates",
    ".git/objects/aa/bb",
  ])
    for (const [plant, what] of [
      [() => project.fifo(place), "a FIFO (named pipe)"],
      [() => project.endless(place), "a character device"],
    ] as const) {
      plant();
      await refusedFor(project.at(place), () => project.commit(["a.txt"]), what);
      project.remove(place);
    }
  project.write("a.txt", "changed\n");
  assert.equal((await project.commit(["a.txt"])).kind, "committed");
});

test("P2 P4 a FIFO in the place of a file that is to be committed, or of the rules on its way, is named", async (t) => {
  const project = new Project(t);
  for (const place of ["deep/b.txt", "deep/.gitattributes"]) {
    project.fifo(place);
    await refusedFor(project.at(place), () => project.commit(["deep/b.txt"]));
    project.remove(place);
  }
});

test("P2 a link where git follows none, and special files that git does not open, stop nothing", async (t) => {
  const project = new Project(t);
  project.endless(".gitignore");
  project.endless("deep/.gitattributes");
  project.fifo("deep/er/pipe");
  const snapshot = await project.snapshot();
  assert.deepEqual(
    snapshot.skipped.first.map(({ path: file, reason }) => [file, reason]),
    [["deep/er/pipe", "special"]],
  );
});

test("P2 a git that waits is ended at its deadline and says so, and other projects go on meanwhile", async (t) => {
  const [stuck, other] = [new Project(t), new Project(t)];
  stuck.fifo(".gitignore");
  const order = { gitDir: stuck.at(".git"), tree: stuck.project };
  const late =
    /git (check-ignore|ls-files) did not end within 0\.5 s in .*: look there for a FIFO \(find \. -type p\)/;
  const ls = ["ls-files", "--others", "--exclude-standard"];
  const waiting = assert.rejects(() => runGit({ ...order, args: ls, limitMs: 500 }), late);
  assert.equal((await other.snapshot()).whole, true);
  await waiting;
  const ignore = startIgnoreCheck({ ...order, excludesFile: "/dev/null", limitMs: 500 });
  await assert.rejects(() => ignore.ignored(["a.txt"]), late);
  ignore.end();
});
