import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openSystem } from "../../../src/main.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(4);

const ACCOUNT = "account:team";
/** Long enough for a supervisor to be killed and another to be started in between, however slow the machine is. */
const LIMIT_LASTS_MS = 15_000;
const WAIT_MS = 90_000;

const LIMITED = [
  { do: "limit", text: "usage limit reached", retryAfterMs: LIMIT_LASTS_MS },
  { do: "error", text: "usage limit reached", status: 429 },
  { do: "exit", code: 1 },
];
const GOES_ON = [
  { do: "append", file: "went-on.log", line: "{run} {number}" },
  { do: "tool", name: "bash", args: "ls", result: "a" },
  { do: "claim", ok: true, text: "done" },
];
const AT_WORK = [
  { do: "say", text: "at work" },
  { do: "wait", file: "go" },
];

/** Three runs of one account in folders of their own: two meet its limit, and one fails of itself meanwhile. */
const RUNS = {
  first: { priority: 0, acts: [...AT_WORK, ...LIMITED] },
  urgent: { priority: 5, acts: [...AT_WORK, ...LIMITED] },
  other: {
    priority: 0,
    acts: [...AT_WORK, { do: "error", text: "a bug of its own" }, { do: "exit", code: 1 }],
  },
} as const;
type Name = keyof typeof RUNS;
const NAMES = Object.keys(RUNS) as Name[];

function prepare(bench: CliBench, name: Name): string {
  const folder = path.join(bench.cwd, name);
  const { priority, acts } = RUNS[name];
  mkdirSync(folder);
  const script = path.join(bench.root, `${name}.json`);
  writeFileSync(script, JSON.stringify({ attempts: [acts, GOES_ON] }));
  const report = ["sh", "-c", `cat >> ${path.join(bench.root, "notices.log")}`];
  const config = {
    agents: { dev: { use: "demo", script, account: "team" } },
    supervisor: { scanMs: 200, idleExitMs: 60_000 },
    lease: { ms: 3_000 },
    backoff: { baseMs: 1, capMs: 1 },
    cooldown: { priority, probeMs: 5_000, staggerMs: 3_000 },
    incidents: { runs: 2 },
    notify: { channels: { ops: { use: "command", command: report } } },
  };
  bench.configure(path.join(folder, "holdfast.json"), JSON.stringify(config));
  return folder;
}

/** Begins a run in the background; answers its supervisor's pid when its agent is at work. */
async function begin(bench: CliBench, name: Name): Promise<number> {
  const words = ["run", "g", "--id", name, "--agent", "dev", "--detach", "--json"];
  const ended = await bench.call(words, { cwd: prepare(bench, name) });
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  await bench.receives(name, "at work");
  return (JSON.parse(ended.stdout) as { supervisor: { pid: number } }).supervisor.pid;
}

interface Looked {
  readonly state: RunState;
  readonly events: readonly Recorded[];
}

async function look(bench: CliBench): Promise<Record<Name, Looked>> {
  const system = await openSystem({ store: `sqlite:${bench.store}`, settings: configSchema.parse({}) });
  try {
    const looked = NAMES.map(async (name) => {
      const state = await system.loadRun(name);
      assert.ok(state !== null, name);
      return [name, { state, events: await system.ports.journal.read(name, { after: 0, limit: 10_000 }) }];
    });
    return Object.fromEntries(await Promise.all(looked)) as Record<Name, Looked>;
  } finally {
    await system.close();
  }
}

async function until(
  bench: CliBench,
  what: string,
  holds: (looked: Record<Name, Looked>) => boolean,
): Promise<Record<Name, Looked>> {
  for (const end = Date.now() + WAIT_MS; ; await delay(200)) {
    const looked = await look(bench);
    if (holds(looked)) return looked;
    assert.ok(Date.now() < end, `never: ${what}`);
  }
}

const startsOf = ({ events }: Looked): number[] =>
  events.flatMap(({ type, at }) => (type === "AttemptStarted" ? [at] : []));
const countOf = ({ events }: Looked, type: Recorded["type"]): number =>
  events.filter((event) => event.type === type).length;
const pauseIn = ({ state }: Looked) => state.sharedResources[ACCOUNT]?.news.pause ?? null;
const isHeld = (one: Looked): boolean =>
  Object.keys(one.state.attempts).length === 0 && pauseIn(one) !== null;

/** What must not be lost with a supervisor. */
const keptOf = (one: Looked): unknown => ({
  pause: pauseIn(one),
  incident: one.state.sharedResources[ACCOUNT]?.news.incident,
  told: one.state.incidentsReported,
  step: one.state.steps["work"],
  crashes: one.state.crashes,
  alarms: one.state.alarms,
});

test("L5 R5 J4 a limit that one run meets holds all runs of its account, is reported once, outlives the supervisor, and the most urgent goes on first", async (t) => {
  const bench = new CliBench();
  t.after(() => bench.close());
  const pids = await Promise.all(NAMES.map((name) => begin(bench, name)));
  await bench.json(["alarm", "other", "--in", "2h", "--note", "look at it"]);
  const go = (name: Name): void => writeFileSync(path.join(bench.cwd, name, "go"), "");
  go("first");
  await until(bench, "the account is paused for all", (runs) =>
    NAMES.every((name) => pauseIn(runs[name]) !== null),
  );
  for (const name of ["urgent", "other"] as const) go(name);
  const held = await until(bench, "all three are held", (runs) => NAMES.every((name) => isHeld(runs[name])));
  const reported = await until(bench, "an incident is told", (runs) =>
    NAMES.some((name) => runs[name].state.incidentsReported.length > 0 && isHeld(runs[name])),
  );
  assert.deepEqual(
    NAMES.map((name) => startsOf(held[name]).length),
    [1, 1, 1],
  );

  for (const pid of new Set(pids)) process.kill(pid, "SIGKILL");
  const before = await look(bench);
  const up = await bench.call(["up", "--detach", "--json"], { cwd: path.join(bench.cwd, "first") });
  assert.equal(up.code, 0, up.stderr);
  const after = await until(bench, "another supervisor has taken all three", (runs) =>
    NAMES.every((name) => countOf(runs[name], "RunClaimed") > countOf(before[name], "RunClaimed")),
  );
  for (const name of NAMES)
    if (startsOf(after[name]).length === 1) assert.deepEqual(keptOf(after[name]), keptOf(before[name]), name);

  const done = await until(bench, "all three are completed", (runs) =>
    NAMES.every((name) => runs[name].state.status === "completed"),
  );
  assertReopening(bench, done, pauseIn(reported.urgent)?.until ?? Infinity);
});

function assertReopening(bench: CliBench, done: Record<Name, Looked>, opensAt: number): void {
  const again = NAMES.map((name) => {
    const [, second = NaN, ...more] = startsOf(done[name]);
    assert.deepEqual(more, [], `${name} goes on once`);
    assert.ok(second >= opensAt, `${name} began ${String(opensAt - second)} ms too early`);
    assert.equal(readFileSync(path.join(bench.cwd, name, "went-on.log"), "utf8"), `${name} 2\n`);
    return { name, second };
  });
  const order = again.toSorted((one, other) => one.second - other.second).map(({ name }) => name);
  assert.equal(order[0], "urgent", order.join(", "));
  assert.deepEqual(
    NAMES.map((name) => done[name].state.steps["work"]?.charged),
    [0, 0, 1],
    "the limit costs nobody an attempt",
  );
  const notices = readFileSync(path.join(bench.root, "notices.log"), "utf8");
  const ids = [...notices.matchAll(/"id":"([^"]*)".*?"kind":"(\w+)"/g)].map(
    ([, id, kind]) => `${kind} ${id}`,
  );
  const incidents = [...new Set(ids)].filter((id) => id.startsWith("incident "));
  assert.equal(incidents.length, 1, notices);
  assert.match(notices, /a limit of the provider holds several runs up/);
}
