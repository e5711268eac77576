import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { leftSessions } from "../../../src/cli/supervise/left-sessions.ts";
import { findSandbox, openSystem, type System } from "../../../src/main.ts";
import { readAllProcesses } from "../../../src/agents/process-table.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import { agentSpecSchema, flowSchema } from "../../../src/model/flow/flow.ts";
import { BLOCKED_REASONS, isApproval, type BlockedReason } from "../../../src/model/requests/blocked.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { describeEvent } from "../../../src/views/text/describe-event.ts";
import { ofTheDay, printSample } from "../../day-sample.ts";
import { agentsTier } from "../agents-tier.ts";
import { delay } from "../contract/scene.ts";
import { ZOO, type Beast } from "./zoo.ts";

/** However slow the machine is. */
const LIMIT_MS = 120_000;
const WORK_MS = 1_500;

/** Why a run with a beast at work comes to wait for people. */
interface Cause {
  readonly settings?: Record<string, unknown>;
  readonly budget?: Record<string, unknown>;
  readonly step?: Record<string, unknown>;
  readonly phase?: Record<string, unknown>;
  /** A person calls for another one. */
  readonly escalates?: true;
  /** The attempt has failed by it, and nothing is suspended. */
  readonly fails?: true;
}

const CAUSES: Readonly<Record<string, Cause>> = {
  "people are called": { escalates: true },
  "the run's budget of time is spent": { budget: { timeMs: WORK_MS, graceMs: 1 } },
  "the step's budget of time is spent": { step: { budget: { timeMs: WORK_MS, graceMs: 1 } } },
  "the attempt's time is over": { settings: { attempts: { perStep: 1, limitMs: WORK_MS } }, fails: true },
  "the step's time is over": { step: { limitMs: WORK_MS }, fails: true },
  "the phase's time is over": { phase: { limitMs: WORK_MS } },
  "the run's time is over": { settings: { time: { runMs: WORK_MS } } },
};
const NAMES = Object.keys(CAUSES);

const SANDBOXES = ["none", "auto"] as const;
type SandboxWish = (typeof SANDBOXES)[number];

let folder = "";
let system: System;
let worked: Promise<unknown>;

before(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-suspended-")));
  const settings = configSchema.parse({ limits: { runsAtOnce: 100 }, supervisor: { scanMs: 200 } });
  system = await openSystem({ store: `sqlite:${path.join(folder, "store.db")}`, settings });
  worked = system.host.work();
});

after(async () => {
  system.host.stop(true);
  await worked;
  await system.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Processes that were started for a run, directly or not, with what they are. */
function processesOf(run: string): string[] {
  const rows = readAllProcesses();
  assert.ok(rows !== "unknown");
  return rows
    .filter(({ zombie, pid }) => !zombie && read(pid, "environ").includes(`NODE_RUN_OF_TEST=${run}\0`))
    .map(({ pid }) => `${String(pid)} ${read(pid, "cmdline").replaceAll("\0", " ")}`);
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${String(pid)}/${file}`, "latin1");
  } catch {
    return "";
  }
}

/** An agent of the zoo, in whose processes its run is named. */
const beastOf = ({ command }: Beast, run: string, sandbox: SandboxWish): object => ({
  ...{ use: "command", command, sandbox },
  env: { NODE_RUN_OF_TEST: run },
});

async function create(run: string, agent: object, cause: Cause): Promise<void> {
  const cwd = path.join(folder, run);
  mkdirSync(cwd);
  const steps = [{ name: "work", task: "t", agent: "beast", phase: "only", ...cause.step }];
  const created = await system.createRun({
    id: run,
    goal: "be a beast",
    flow: flowSchema.parse({ name: "zoo", steps, phases: [{ name: "only", ...cause.phase }] }),
    agents: { beast: agentSpecSchema.parse(agent) },
    settings: runSettingsSchema.parse({
      attempts: { perStep: 1 },
      startup: { termGraceMs: 300 },
      suspend: { turnMs: 300 },
      // Some of them die by themselves, many at once.
      crashes: { deathsMs: 1, hostPauseMs: 1 },
      ...cause.settings,
    }),
    budget: cause.budget ?? {},
    cwd,
    by: "test",
  });
  await system.leases.release(run, created.epoch);
}

const isAtRest = ({ status, attempts, effects }: RunState): boolean =>
  !["queued", "running"].includes(status) &&
  Object.keys(attempts).length === 0 &&
  Object.keys(effects).length === 0;

async function until(run: string, holds: (state: RunState) => boolean): Promise<RunState> {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await delay(50)) {
    const state = await system.loadRun(run);
    if (state !== null && holds(state)) return state;
  }
  return assert.fail(`${run}: ${await story(run)}`);
}

async function story(run: string): Promise<string> {
  const events = await system.ports.journal.read(run, { after: 0, limit: 1_000 });
  return events.map(describeEvent).join("\n");
}

/** It is at work, or has ended by itself already. */
const hasBegun = (state: RunState): boolean =>
  isAtRest(state) || Object.values(state.attempts).some(({ started }) => started);

async function play(beast: Beast, name: string, sandbox: SandboxWish): Promise<void> {
  const run = `${beast.name}-${String(NAMES.indexOf(name))}-${sandbox}`;
  const cause = CAUSES[name] ?? assert.fail(name);
  await create(run, beastOf(beast, run, sandbox), cause);
  if (cause.escalates) {
    await until(run, hasBegun);
    await system.requests.ask(run, { kind: "escalate", note: "look" }, { by: "test", waitMs: LIMIT_MS });
  }
  const state = await until(run, isAtRest);
  if (beast.ends !== null && sandbox === "none") return isShown(run);
  assert.deepEqual(processesOf(run), [], await story(run));
  if (beast.ends !== null) return;
  const { status, blocked } = statusView(state, null);
  assert.deepEqual([status, blocked?.session], ["blocked", cause.fails ? "none" : "suspended"]);
}

/** What an agent leaves behind that has ended by itself may be wanted: it is shown, and ended by a person's word. */
async function isShown(run: string): Promise<void> {
  const left = processesOf(run);
  const shown = await leftSessions(system, run);
  const pids = shown.flatMap(({ processes }) => processes.map(({ pid }) => String(pid)));
  for (const one of left) assert.ok(pids.includes(one.split(" ")[0] ?? ""), `not shown: ${one}`);
  for (const { session } of shown) assert.equal((await system.sessions.end(session, 300)).kind, "ended");
  assert.deepEqual(processesOf(run), []);
}

const noSandbox = findSandbox().kind === "possible" ? false : "no sandbox can be had here";

interface Cell {
  readonly beast: Beast;
  readonly cause: string;
  readonly sandbox: SandboxWish;
}

const CELLS: readonly Cell[] = ZOO.flatMap((beast) =>
  NAMES.flatMap((cause) => SANDBOXES.map((sandbox) => ({ beast, cause, sandbox }))),
);

/** One cause and one sandbox for each beast, in turn. */
const SHORT: readonly Cell[] = ZOO.map((beast, nth) => ({
  beast,
  cause: NAMES[nth % NAMES.length] ?? "",
  sandbox: SANDBOXES[Math.floor(nth / NAMES.length) % SANDBOXES.length] ?? "none",
}));

const CALLS = Array.from({ length: 1_000 }, (_, nth) => [
  { do: "tool", name: "bash", args: `make ${String(nth)}`, result: `part ${String(nth)}` },
  { do: "sleep", ms: 100 },
]).flat();

/** What an agent does that has said itself that it is blocked; one that waits idly has a bound of its own. */
const GOES_ON: Readonly<Record<string, readonly object[]>> = {
  "works on": CALLS,
  "works on and is deaf to polite signals": [{ do: "deaf" }, ...CALLS],
  "works on beside a child in its own session": [{ do: "spawn-child", in: "session" }, ...CALLS],
  "waits without an end": [{ do: "hang" }],
};

const BOUNDS = { suspend: { turnMs: 300, waitMs: 1_000 } };

interface BlockedCell {
  readonly reason: BlockedReason;
  readonly doing: string;
}

const BLOCKED_CELLS: readonly BlockedCell[] = BLOCKED_REASONS.flatMap((reason) =>
  Object.keys(GOES_ON).map((doing) => ({ reason, doing })),
);

async function playBlocked({ reason, doing }: BlockedCell): Promise<void> {
  const run = `${reason}-${String(Object.keys(GOES_ON).indexOf(doing))}`;
  const script = path.join(folder, `${run}.json`);
  const says = { do: "blocked", reason, text: `this is ${reason}` };
  writeFileSync(script, JSON.stringify({ attempts: [[says, ...(GOES_ON[doing] ?? [])]] }));
  await create(run, { use: "demo", script, env: { NODE_RUN_OF_TEST: run } }, { settings: BOUNDS });
  const state = await until(run, (one) => one.blocked !== null && isAtRest(one));
  assert.deepEqual(processesOf(run), [], await story(run));
  const { status, blocked } = statusView(state, null);
  const expected = isApproval(reason) ? "awaiting_approval" : "blocked";
  assert.deepEqual([status, blocked?.reason, blocked?.session], [expected, reason, "suspended"]);
}

describe("agents that go on in a blocked run", { concurrency: 8 }, () => {
  for (const cell of agentsTier === false ? BLOCKED_CELLS : [])
    test(`B1 nothing is left of an agent that ${cell.doing} in a run that is blocked by ${cell.reason}`, () =>
      playBlocked(cell));
});

test(
  "B1 nothing is left of an agent that says that it is blocked, for any reason, and goes on",
  { skip: agentsTier === false && "each reason has a test of its own here" },
  async (t) => {
    const [cell] = ofTheDay(BLOCKED_CELLS, BLOCKED_CELLS.length);
    assert.ok(cell !== undefined);
    printSample(t, `${cell.reason}, ${cell.doing}`);
    await playBlocked(cell);
  },
);

describe("the zoo while people are asked", { concurrency: 8 }, () => {
  for (const { beast, cause, sandbox } of agentsTier === false ? CELLS : SHORT)
    test(
      `B1 nothing is left of an agent that ${beast.vice} once ${cause} (sandbox ${sandbox})`,
      { skip: sandbox === "auto" && noSandbox },
      () => play(beast, cause, sandbox),
    );
});

if (agentsTier !== false)
  test(`B1 the whole table: ${String(CELLS.length)} cells`, { skip: agentsTier }, () => undefined);
