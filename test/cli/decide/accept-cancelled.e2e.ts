import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(3);

/** Leaves something on the stash, and does something else. */
const STASHES = "echo aside > base && git stash push -q -m aside && echo done > one";
const bench = new CliBench({
  base: "base\n",
  "flow.yaml": `name: two
steps:
  - { name: first, task: write one, agent: stashes }
  - { name: second, task: never ends, agent: waits, needs: [first] }
`,
  "holdfast.yaml": `agents:
  stashes: { use: command, sandbox: none, command: [sh, -c, "${STASHES}"] }
  waits: { use: command, sandbox: none, command: [sh, -c, "echo begun; sleep 600"] }
commit: { author: "Ada <ada@example.invalid>" }
`,
});
after(() => bench.close());

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", bench.cwd, "-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
    encoding: "utf8",
  }).trim();

test("W5 W2 the work of a cancelled run is accepted and it stays cancelled; the agent's stash is not in the user's list", async () => {
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "begin");
  writeFileSync(path.join(bench.cwd, "base"), "mine\n");
  git("stash", "push", "-q", "-m", "mine");
  const before = git("stash", "list", "--format=%H %gs");
  const begun = await bench.call(["run", "--flow", "flow.yaml", "--id", "r", "--detach"]);
  assert.equal(begun.code, 0, begun.stdout + begun.stderr);
  await bench.receives("r", '"text":"begun"');
  assert.equal(git("stash", "list", "--format=%H %gs"), before);
  const [kept = ""] = git("for-each-ref", "--format=%(refname)", "refs/holdfast/stash").split("\n");
  assert.equal(git("show", `${kept}:base`), "aside");

  assert.equal((await bench.call(["cancel", "r"])).code, 0);
  await bench.reaches("r", "cancelled");
  const accepted = await bench.call(["accept", "r"]);
  assert.equal(accepted.code, 0, accepted.stdout + accepted.stderr);
  assert.equal(readFileSync(path.join(bench.cwd, "one"), "utf8"), "done\n");
  await bench.reaches("r", "cancelled");
  assert.equal(git("stash", "list", "--format=%H %gs"), before);
});
