import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import type { World } from "../../../src/model/world.ts";
import { realWorld } from "../../../src/real-world.ts";
import { runProgram } from "../../kill/killed-process.ts";
import { plainGit } from "../plain-git.ts";
import { imageDifferences, treeImage } from "../tree-image.ts";
import { moveOn } from "./move-life.ts";
import { MovingHost } from "./moving-host.ts";

const PROGRAM = path.join(import.meta.dirname, "move-program.ts");

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-moving-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type Workspace = ReturnType<MovingHost["workspace"]>;

async function begun(t: TestContext) {
  const host = new MovingHost(newFolder(t));
  host.begin();
  const workspace = host.workspace("one", realWorld());
  t.after(() => workspace.close());
  await host.make(workspace);
  host.work();
  return { host, workspace };
}

interface Sending {
  readonly key: string;
  readonly epoch: number;
  readonly previous?: string;
  readonly remote?: string;
}

async function send(host: MovingHost, workspace: Workspace, { key, epoch, previous, remote }: Sending) {
  const taken = await workspace.snapshot({ ...host.place(), key, atMs: 1_000 });
  const head = host.head();
  const sent = await workspace.upload({
    ...{ ...host.place(), run: "run", epoch, remote: remote ?? host.remote, snapshot: taken.id },
    ...{ others: [], head, branch: { name: head.branch, commit: head.commit } },
    ...{ pieces: [{ name: "said", bytes: Buffer.from("hello\n") }], previous: previous ?? null, atMs: 2_000 },
  });
  return { ...sent, head, snapshot: sent.without[taken.id] ?? taken.id };
}

const bring = (
  host: MovingHost,
  workspace: Workspace,
  key: string,
  { ref, commit, head, snapshot }: Awaited<ReturnType<typeof send>>,
) =>
  workspace.download({
    ...{ ...host.place(), key, remote: host.remote, ref, commit, inside: "", snapshot, head },
    ...{ keys: [{ key: "run/c1", snapshot }], branch: { name: "holdfast/one", commit: head.commit } },
    ...{ ports: host.ports, atMs: 3_000 },
  });

const refsOf = (host: MovingHost): string[] =>
  plainGit(host.remote, ["for-each-ref", "--format=%(refname) %(objectname)"]).trim().split("\n").sort();

const LEFT = [".env", "keys", "made.log", "node_modules"];
const isLeft = (file: string): boolean => LEFT.some((one) => file === one || file.startsWith(`${one}/`));

test("W2 F2 a worktree comes back byte for byte on another host, but for what was reported as left behind", async (t) => {
  const { host, workspace } = await begun(t);
  const image = treeImage(host.tree, isLeft);
  const sent = await send(host, workspace, { key: "run/c1", epoch: 3 });
  assert.deepEqual(sent.left.map(({ path: at }) => at).sort(), [
    ".env",
    "keys/id_ed25519",
    "made.log",
    "node_modules/",
  ]);
  const status = plainGit(host.tree, ["status", "--porcelain"]);
  host.swap();
  const other = host.workspace("two", realWorld());
  t.after(() => other.close());
  const { worktree, pieces, before } = await bring(host, other, "fetch", sent);
  assert.deepEqual(imageDifferences(image, treeImage(host.tree)), []);
  assert.equal(worktree.tree, host.tree);
  assert.equal(before, null);
  assert.deepEqual(
    pieces.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]),
    [["said", "hello\n"]],
  );
  assert.deepEqual(host.head(), sent.head);
  const withoutSecrets = status.split("\n").filter((line) => !/\.env|keys/.test(line));
  assert.equal(plainGit(host.tree, ["status", "--porcelain"]), withoutSecrets.join("\n"));
  plainGit(host.project, ["fsck", "--strict", "--no-dangling"]);
  const everything = plainGit(host.remote, ["rev-list", "--objects", "--all"]);
  for (const secret of ["id_ed25519", ".env\n", "made.log"]) assert.ok(!everything.includes(secret), secret);
  assert.equal((await other.verify(host.place(), sent.snapshot)).kind, "whole");
});

test("F2 a former owner cannot overwrite what a later owner has uploaded, nor remove it", async (t) => {
  const { host, workspace } = await begun(t);
  const first = await send(host, workspace, { key: "run/c1", epoch: 3 });
  host.write("a.txt", "by the later owner\n");
  const later = await send(host, workspace, { key: "run/c2", epoch: 5, previous: first.ref });
  const refs = refsOf(host);
  host.write("a.txt", "by the former owner\n");
  await assert.rejects(
    send(host, workspace, { key: "run/c3", epoch: 3, previous: first.ref }),
    /a later owner of run has uploaded its files \(epoch 5, expected at most 3\): nothing was uploaded/,
  );
  assert.deepEqual(refsOf(host), refs);
  assert.ok(refs.includes(`${later.ref}/files ${later.commit}`));
  // Although it would not ask: its refs are others, and what is there already is not moved.
  const forced = `${later.head.commit}:${later.ref}/files`;
  const pushed = ["push", "-q", `--force-with-lease=${later.ref}/files:`, host.remote, forced];
  assert.throws(() => plainGit(host.tree, pushed), /stale info/);
});

test("F2 an upload goes once it is superseded by one that is recorded, and not before", async (t) => {
  const { host, workspace } = await begun(t);
  const first = await send(host, workspace, { key: "run/c1", epoch: 3 });
  host.write("a.txt", "two\n");
  const unrecorded = await send(host, workspace, { key: "run/c2", epoch: 3, previous: first.ref });
  host.write("a.txt", "three\n");
  const third = await send(host, workspace, { key: "run/c3", epoch: 4, previous: first.ref });
  const names = refsOf(host).map((line) => line.split("/").slice(0, -1).join("/"));
  assert.deepEqual([...new Set(names)].sort(), [first.ref, third.ref].sort());
  assert.ok(!names.includes(unrecorded.ref));
});

test("F2 an upload to a remote that is away fails by name, changes nothing here, and succeeds when it is back", async (t) => {
  const { host, workspace } = await begun(t);
  const image = treeImage(host.tree);
  const aside = `${host.remote}.aside`;
  renameSync(host.remote, aside);
  await assert.rejects(
    send(host, workspace, { key: "run/c1", epoch: 3 }),
    /the remote \S+remote\.git could not be used: git ls-remote ended with 128/,
  );
  assert.deepEqual(imageDifferences(image, treeImage(host.tree)), []);
  renameSync(aside, host.remote);
  const sent = await send(host, workspace, { key: "run/c1", epoch: 3 });
  assert.ok(refsOf(host).includes(`${sent.ref}/files ${sent.commit}`));
});

test("F2 what somebody else puts in the place of an upload is not taken for it", async (t) => {
  const { host, workspace } = await begun(t);
  const sent = await send(host, workspace, { key: "run/c1", epoch: 3 });
  const evil = plainGit(host.remote, ["rev-parse", `${sent.ref}/head`]).trim();
  plainGit(host.remote, ["update-ref", `${sent.ref}/files`, evil]);
  host.swap();
  const other = host.workspace("two", realWorld());
  t.after(() => other.close());
  await assert.rejects(bring(host, other, "fetch", sent), /expected [0-9a-f]{40}, as the journal says/);
  assert.ok(!existsSync(host.tree));
});

test("F2 W3 a run that comes back to its first host finds the later files, and what stood there is kept", async (t) => {
  const { host, workspace } = await begun(t);
  const sent = await send(host, workspace, { key: "run/c1", epoch: 3 });
  const image = treeImage(host.tree, isLeft);
  host.write("a.txt", "after the upload\n");
  plainGit(host.tree, ["commit", "-q", "-a", "-m", "after the upload"]);
  const lost = host.head().commit;
  rmSync(path.join(host.tree, "made.log"));
  rmSync(path.join(host.tree, "node_modules"), { recursive: true });
  const { before } = await bring(host, workspace, "fetch.2", sent);
  assert.deepEqual(imageDifferences(image, treeImage(host.tree, isLeft)), []);
  assert.ok(before !== null);
  const kept = await workspace.readFile(host.place(), before, "a.txt");
  assert.equal(Buffer.from(kept ?? []).toString(), "after the upload\n");
  assert.equal(
    plainGit(host.project, ["rev-parse", `refs/holdfast/kept/holdfast/one/${lost.slice(0, 12)}`]).trim(),
    lost,
  );
});

class Cut extends Error {}

/** Ends the call at the first boundary where no call was ended before. */
function cutOnce(seen: Set<string>): World {
  return {
    ...realWorld(),
    crashPoint: (name) => {
      if (seen.has(name)) return;
      seen.add(name);
      throw new Cut(name);
    },
  };
}

function movedWell(folder: string): void {
  const host = new MovingHost(folder);
  const gone = path.join(folder, "gone", "trees", "one");
  assert.deepEqual(imageDifferences(treeImage(gone, isLeft), treeImage(host.tree)), []);
  plainGit(host.project, ["fsck", "--strict", "--no-dangling"]);
  const held = plainGit(host.project, ["for-each-ref", "--format=%(refname)", "refs/holdfast/parcels"]);
  assert.equal(held, "");
}

const OWN = [
  "workspace.upload.commits",
  "workspace.upload.files",
  "workspace.download.recorded",
  "workspace.download.branch",
  "workspace.download.tree",
  "workspace.download.restored",
];

test("F2 J4 a move that is cut off at every boundary of upload and download is gone on with to the same end", async (t) => {
  const folder = newFolder(t);
  const cuts = new Set<string>();
  for (let over = false; !over;) {
    try {
      await moveOn(folder, cutOnce(cuts));
      over = true;
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
    }
  }
  movedWell(folder);
  for (const point of OWN) assert.ok(cuts.has(point), point);
});

test("F2 J4 a host killed with SIGKILL in the middle of an upload or a download leaves nothing half done for the next", async (t) => {
  const folder = newFolder(t);
  for (const at of OWN) {
    const ended = await runProgram(PROGRAM, [folder], {
      env: { HOLDFAST_CRASH_AT: `${at}#1` },
      limitMs: 120_000,
    });
    assert.equal(ended.signal, "SIGKILL", `${at}: ${ended.output}`);
  }
  const ended = await runProgram(PROGRAM, [folder], { limitMs: 120_000 });
  assert.equal(ended.code, 0, ended.output);
  assert.equal(readFileSync(path.join(folder, "moved"), "utf8"), ".");
  movedWell(folder);
  writeFileSync(path.join(folder, "seen"), "");
});
