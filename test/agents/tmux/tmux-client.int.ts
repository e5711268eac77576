import assert from "node:assert/strict";
import { chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { makeOwnFolder } from "../../../src/files/own-folder.ts";
import { serverWords, socketOf, tmuxClient } from "../../../src/agents/tmux/tmux-client.ts";

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-socket-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("T9 the socket of the terminals lies in a folder that only its user can enter, however long its path is", async (t) => {
  const folder = folderFor(t);
  const short = path.join(folder, "sessions");
  assert.deepEqual(serverWords(short), ["-S", path.join(short, "tmux.socket")]);
  const long = path.join(folder, "x".repeat(80), "sessions");
  assert.ok(Buffer.byteLength(socketOf(long)) < 100);
  assert.notEqual(socketOf(long), socketOf(path.join(folder, "y".repeat(80), "sessions")));
  for (const sessions of [short, long]) {
    const tmux = tmuxClient(sessions);
    makeOwnFolder(path.dirname(tmux.socket));
    const begun = await tmux.run(["new-session", "-d", "-s", "one", "sleep 30"]);
    assert.equal(begun.kind, "done", begun.kind === "done" ? "" : begun.text);
    assert.ok(lstatSync(tmux.socket).isSocket());
    assert.equal(lstatSync(path.dirname(tmux.socket)).mode & 0o777, 0o700);
    assert.equal((await tmux.run(["kill-server"])).kind, "done");
  }
});

test("T9 a folder of sessions that is another user's, or no folder, is refused by name", async (t) => {
  const folder = folderFor(t);
  const link = path.join(folder, "link");
  mkdirSync(path.join(folder, "elsewhere"));
  symlinkSync(path.join(folder, "elsewhere"), link);
  const refusals: [string, RegExp][] = [[link, /link" is not a folder; expected a folder of this user/]];
  if (process.getuid?.() === 0) {
    const foreign = path.join(folder, "foreign");
    mkdirSync(foreign);
    chownSync(foreign, 12345, 12345);
    refusals.push([foreign, /foreign" belongs to user 12345; expected this user, 0/]);
  }
  for (const [sessions, words] of refusals) {
    assert.throws(() => {
      makeOwnFolder(sessions);
    }, words);
    const answer = await tmuxClient(sessions).run(["list-sessions"]);
    assert.ok(answer.kind === "failed" && words.test(answer.text), JSON.stringify(answer));
  }
});
