import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { CliBench, isAlive } from "../cli-process.ts";

const worksUntil = (file: string): string =>
  JSON.stringify({
    attempts: [
      [
        { do: "wait", file },
        { do: "claim", ok: true, text: "done" },
      ],
    ],
  });

const bench = new CliBench({
  "works.json": worksUntil("go"),
  "orphan.json": worksUntil("never"),
  "asks.json": JSON.stringify({ attempts: [[{ do: "claim", ok: true, text: "done" }]] }),
  "holdfast.yaml":
    "supervisor: { idleExitMs: 60000, scanMs: 100 }\nlease: { ms: 6000 }\nwatchdog: { sibling: false }\n",
});
after(() => bench.close());

const detached = async (id: string, script: string, ...more: string[]): Promise<number> => {
  const { supervisor } = await bench.json<{ supervisor: { pid: number } }>([
    ...["run", "slowly", "--agent", `demo:./${script}.json`, "--id", id, "--detach", ...more],
  ]);
  return supervisor.pid;
};

test("O1 wait ends with the run and has its exit code; a run at work is not affected by a wait that ends before", async () => {
  await detached("works", "works");
  const early = await bench.call(["wait", "works", "--timeout", "1s"]);
  assert.equal(early.code, 3, early.stdout + early.stderr);
  assert.match(early.stderr, /no longer waiting for works, which is (running|queued) and was not affected/);
  const waiting = bench.start(["wait", "--json"]);
  await delay(500);
  bench.write("go", "");
  const ended = await waiting.ended;
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  assert.equal((JSON.parse(ended.stdout) as { status: string }).status, "completed");
  assert.equal((await bench.call(["wait", "works"])).code, 0);
});

test("O1 wait ends with 3 and the command that helps where a run needs a person, and with 1 for a failed one", async () => {
  await detached("asks", "asks", "--check", "false");
  const blocked = await bench.call(["wait", "asks"]);
  assert.equal(blocked.code, 3, blocked.stdout + blocked.stderr);
  assert.match(blocked.stdout, /holdfast retry asks/);
  assert.equal((await bench.call(["cancel", "asks"])).code, 0);
  assert.equal((await bench.call(["wait", "asks"])).code, 1);
  assert.equal((await bench.call(["wait", "nobody-knows"])).code, 4);
  const wrong = await bench.call(["wait", "asks", "--timeout", "soon"]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /"soon" is no duration; expected/);
});

test("O1 B6 wait ends with 3 where nobody works the run any more, and names the command", async () => {
  const pid = await detached("orphan", "orphan");
  for (const end = Date.now() + 30_000; ; await delay(50)) {
    const { owner } = await bench.json<{ owner: unknown }>(["status", "orphan"]);
    if (owner !== null) break;
    assert.ok(Date.now() < end, "the run is never owned");
  }
  process.kill(pid, "SIGKILL");
  while (isAlive(pid)) await delay(20);
  const alone = await bench.call(["wait", "orphan"]);
  assert.equal(alone.code, 3, alone.stdout + alone.stderr);
  assert.match(alone.stdout, /holdfast up/);
});
