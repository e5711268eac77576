import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CliBench, isAlive } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(0);

/** Prints its pid, and works until it is ended. */
const AGENT = ["sh", "-c", `echo $$ > "$0"; while :; do sleep 0.2; done`];

const WITHIN_MS = 30_000;

async function until(what: string, holds: () => boolean): Promise<void> {
  for (const end = Date.now() + WITHIN_MS; !holds(); await delay(50))
    assert.ok(Date.now() < end, `never: ${what}`);
}

/** A run whose agent works, under a supervisor of its own; answers the agent's pid. */
async function atWork(bench: CliBench, name: string): Promise<number> {
  const file = path.join(bench.cwd, `${name}.pid`);
  const agents = { dev: { use: "acp", command: [...AGENT, file] } };
  bench.write(
    "holdfast.json",
    JSON.stringify({ agents, lease: { ms: 1_500 }, supervisor: { idleExitMs: 60_000 } }),
  );
  const pidIn = (): number => Number(readFileSync(file, { encoding: "utf8", flag: "a+" }));
  await until("the agent works", () => pidIn() > 0);
  return pidIn();
}

test("A5 L7 a supervisor whose state folder is deleted notices it, ends its agents politely, says so, and ends", async () => {
  const bench = new CliBench();
  try {
    const working = atWork(bench, "one");
    const front = bench.start(["run", "work", "--agent", "dev", "--no-hand-over"]);
    const pid = await working;
    rmSync(bench.home, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
    const { code, stdout, stderr } = await front.ended;
    assert.equal(code, 6, stdout + stderr);
    assert.match(stderr, /was deleted while it was open.*1 of 1 sessions were ended/s);
    await until("the agent is gone", () => !isAlive(pid));
  } finally {
    await bench.close();
  }
});

test("A5 L7 an agent whose supervisor is gone is ended by its keeper when the state folder is deleted", async () => {
  const bench = new CliBench();
  try {
    const working = atWork(bench, "two");
    const front = bench.start(["run", "work", "--agent", "dev"]);
    const pid = await working;
    front.child.kill("SIGKILL");
    await front.ended;
    assert.ok(isAlive(pid), "it outlives its supervisor");
    rmSync(bench.home, { recursive: true, force: true });
    await until("the agent is gone", () => !isAlive(pid));
  } finally {
    await bench.close();
  }
});
