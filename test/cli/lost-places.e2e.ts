import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { CliBench } from "./cli-process.ts";

const claim = { do: "claim", ok: true, text: "done" };
const writes = (...files: string[]): string =>
  JSON.stringify({
    attempts: [[...files.map((file) => ({ do: "write", file, content: `${file}\n` })), claim]],
  });

const bench = new CliBench({
  "one.json": writes("one"),
  "holdfast.yaml": `backoff: { baseMs: 1, capMs: 1 }
workspace: { isolation: run }
agents:
  one: { use: demo, script: one.json }
commit: { author: Ada <ada@example.invalid> }
`,
});
after(() => bench.close());

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", bench.cwd, "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    encoding: "utf8",
  }).trim();
const inWork = (name: string): string => path.join(bench.cwd, name);

before(() => {
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "begin");
});

const run = async (id: string, agent: string): Promise<void> => {
  const ran = await bench.call(["run", `be ${agent}`, "--agent", agent, "--id", id]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
};

test("W5 W11 G3 accept while another git holds the index changes nothing and names the lock; accepted again, the user's next commit keeps the work", async () => {
  await run("locked", "one");
  const lock = inWork(".git/index.lock");
  writeFileSync(lock, "");
  const refused = await bench.call(["accept", "locked"]);
  assert.equal(refused.code, 5, refused.stdout + refused.stderr);
  assert.match(refused.stderr, /another git process has the index: .*\.git\/index\.lock exists/);
  assert.deepEqual([existsSync(inWork("one")), git("log", "--format=%s")], [false, "begin"]);
  rmSync(lock);
  const accepted = await bench.call(["accept", "locked"]);
  assert.equal(accepted.code, 0, accepted.stdout + accepted.stderr);
  assert.equal(git("status", "--porcelain"), "");
  git("commit", "-q", "--allow-empty", "-m", "the user's own");
  assert.equal(git("show", "HEAD:one"), "one");
});
