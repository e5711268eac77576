import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { CliBench, isAlive, pasted } from "../cli-process.ts";
import { beginMany, stopMany } from "../stop-many.ts";

const HANGS = [{ do: "say", text: "at work" }, { do: "hang" }];
const ASKS = [
  { do: "say", text: "at work" },
  { do: "blocked", reason: "needs_human", text: "which port?" },
  { do: "deaf" },
  { do: "hang" },
];
const DONE = [{ do: "claim", ok: true, text: "done after all" }];

async function withBench(work: (bench: CliBench) => Promise<void>): Promise<void> {
  const bench = new CliBench({
    "hangs.json": JSON.stringify({ attempts: [HANGS, DONE] }),
    "asks.json": JSON.stringify({ attempts: [ASKS, DONE] }),
    "holdfast.yaml": "startup: { termGraceMs: 500 }\nsupervisor: { idleExitMs: 60000 }\n",
  });
  try {
    await work(bench);
  } finally {
    await bench.close();
  }
}

interface Detached {
  readonly supervisor: { readonly pid: number };
}

const begin = async (bench: CliBench, id: string, script = "hangs"): Promise<number> => {
  const order = ["run", "work", "--id", id, "--agent", `demo:./${script}.json`, "--detach"];
  const { supervisor } = await bench.json<Detached>(order);
  await bench.receives(id, "at work");
  return supervisor.pid;
};

/** Processes of agents of a run, as the system shows them: they bear the name of their session. */
function agentsOf(run: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`HOLDFAST_SESSION=${run}.`);
    } catch {
      return false;
    }
  });
}

interface Stopped {
  readonly by: string;
  readonly since: string;
  readonly sessions: number;
  readonly left: readonly string[];
  readonly command: string;
}

/** What became of the first attempt: it is kept, costs nothing, and the next one has finished the step. */
async function continued(bench: CliBench, run: string): Promise<void> {
  await bench.reaches(run, "completed");
  const ends = (await bench.eventsOf(run)).flatMap((event) =>
    event.type === "AttemptEnded" ? [[event.data.outcome, event.data.charged]] : [],
  );
  assert.deepEqual(ends, [
    ["interrupted", false],
    ["succeeded", false],
  ]);
}

const onProc = { skip: process.platform === "linux" ? false : "needs /proc to see processes of agents" };

test("B1 B2 stop --all suspends every session, nothing starts until start, and start continues", onProc, () =>
  withBench(async (bench) => {
    const run = `stop-a-${String(process.pid)}`;
    const pid = await begin(bench, run);
    assert.ok(agentsOf(run).length > 0);
    const stopped = await bench.json<Stopped>(["stop", "--all"]);
    assert.deepEqual([stopped.sessions, stopped.left], [1, []]);
    assert.deepEqual(agentsOf(run), []);
    const again = await bench.json<Stopped>(["stop", "--all"]);
    assert.deepEqual([again.since, again.sessions], [stopped.since, 0], "stopped once");
    assert.equal((await bench.call(["run", "more", "--agent", "demo"])).code, 5);
    assert.equal((await bench.call(["up"])).code, 5);
    const { stderr } = await bench.call(["up", "--detach"]);
    assert.match(stderr, new RegExp(`the store is stopped by .* since .*${stopped.command}`));
    for (const command of [["status", run], ["runs"], ["watch", "--once"], ["doctor"]])
      assert.match((await bench.call(command)).stdout, /the store is stopped by/, command.join(" "));
    assert.deepEqual(agentsOf(run), []);
    await bench.json(pasted(stopped.command));
    await continued(bench, run);
    assert.ok(pid > 0);
  }),
);

test("B1 stop --all ends sessions of a hung supervisor and of one that is gone, at no charge", onProc, () =>
  withBench(async (bench) => {
    const hung = `stop-h-${String(process.pid)}`;
    const pid = await begin(bench, hung);
    process.kill(pid, "SIGSTOP");
    const first = await bench.json<Stopped>(["stop", "--all"]);
    assert.deepEqual([first.sessions, first.left, agentsOf(hung)], [1, [], []]);
    assert.equal(isAlive(pid), false, "it would start what it had decided before");
    await bench.json(["start"]);
    await continued(bench, hung);
    const left = `stop-l-${String(process.pid)}`;
    process.kill(await begin(bench, left), "SIGKILL");
    const second = await bench.json<Stopped>(["stop", "--all"]);
    assert.deepEqual([second.sessions, second.left, agentsOf(left)], [1, [], []]);
    await bench.json(["start"]);
    await continued(bench, left);
  }),
);

test(
  "B1 stop --all suspends several agents, some of them deaf to it, within 15 s by what is recorded",
  onProc,
  () =>
    withBench(async (bench) => {
      const runs = await beginMany(bench, {
        runs: 4,
        deaf: 2,
        name: `stop-m-${String(process.pid)}`,
        settings: { startup: { termGraceMs: 500 } },
      });
      const stopped = await stopMany(bench, runs);
      assert.deepEqual([stopped.sessions, stopped.left], [4, []]);
      assert.equal(stopped.endedMs.length, 4, "every run records the end of its session");
      assert.ok(Math.max(...stopped.endedMs) <= 15_000, `ended after ${stopped.endedMs.join(", ")} ms`);
    }),
);

test(
  "B1 down --stop-agents leaves no agent of a blocked run, and the printed command continues it",
  onProc,
  () =>
    withBench(async (bench) => {
      const run = `stop-b-${String(process.pid)}`;
      await begin(bench, run, "asks");
      await bench.reaches(run, "blocked");
      const down = await bench.json<{ readonly left: readonly string[] }>(["down", "--stop-agents"]);
      assert.deepEqual([down.left, agentsOf(run)], [[], []]);
      const { blocked } = await bench.json<{ readonly blocked: { readonly command: string } }>([
        "status",
        run,
      ]);
      assert.equal((await bench.call(pasted(blocked.command))).code, 0);
      await continued(bench, run);
    }),
);
