import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { noTmux } from "../../agents/contract/tmux-subject.ts";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(4);

const actor = path.resolve(import.meta.dirname, "../../agents/tmux/terminal-actor.mjs");
const agent = (part: string) => ({ use: "tmux", command: [process.execPath, actor, part], prompt: "^> $" });
const bench = new CliBench({
  "holdfast.json": JSON.stringify({
    agents: { works: agent("works"), says: agent("works"), stays: agent("hangs") },
  }),
});
after(() => bench.close());

test("A1 A8 a run whose agent is a terminal program is worked to its end", { skip: noTmux }, async () => {
  const words = ["--agent", "works", "--id", "done", "--check", "grep -q works work.log"];
  const { code, stdout, stderr } = await bench.call(["run", "say hello", ...words]);
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /progress: say hello/);
});

test("B4 a terminal program that only repeats its task has not succeeded", { skip: noTmux }, async () => {
  const { code, stdout } = await bench.call(["run", "say hello", "--agent", "says", "--id", "said"]);
  assert.equal(code, 3, stdout);
  assert.match(stdout, /gave no evidence of success/);
});

test(
  "O1 attach shows how to see the terminal of an agent at work, for looking on only unless asked",
  { skip: noTmux },
  async () => {
    assert.equal(
      (await bench.call(["run", "wait", "--agent", "stays", "--id", "stays", "--detach"])).code,
      0,
    );
    await bench.receives("stays", "> wait");
    const { command } = await bench.json<{ command: string[] }>(["attach", "stays"]);
    assert.ok(command.includes("-r"));
    const typing = await bench.json<{ command: string[] }>(["attach", "stays", "--type", "--step", "work"]);
    assert.deepEqual(
      typing.command,
      command.filter((word) => word !== "-r"),
    );
    // The same words, asking whether there is such a session instead of showing it.
    const [program = "", ...words] = command.map((word) =>
      word === "attach-session" ? "has-session" : word,
    );
    assert.equal(
      spawnSync(
        program,
        words.filter((word) => word !== "-r"),
      ).status,
      0,
    );
    assert.equal((await bench.call(["cancel", "stays"])).code, 0);
    await bench.reaches("stays", "cancelled");
    assert.notEqual(
      spawnSync(
        program,
        words.filter((word) => word !== "-r"),
      ).status,
      0,
    );
  },
);

test("P4 attach refuses what has no terminal, and says what was expected", async () => {
  assert.equal((await bench.call(["run", "say hello", "--agent", "demo", "--id", "other"])).code, 0);
  const ended = await bench.call(["attach", "other"]);
  assert.equal(ended.code, 5);
  assert.match(ended.stderr, /no agent of other works just now: the run is completed; it can be attached to/);
});
