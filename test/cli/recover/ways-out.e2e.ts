import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { builtProgram } from "../../built-program.ts";
import { hasTurn, ofTheDay, printSample } from "../../day-sample.ts";
import type { DemoScriptInput } from "../../../src/agents/demo/demo-script.ts";
import { openSystem, type System } from "../../../src/main.ts";
import { BLOCKED_REASONS, type BlockedReason } from "../../../src/model/requests/blocked.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import { agentSpecSchema, flowSchema, stepSchema } from "../../../src/model/flow/flow.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { describeEvent } from "../../../src/views/text/describe-event.ts";
import { statusView, type StatusView } from "../../../src/views/status/status.ts";
import { CliBench } from "../cli-process.ts";
import { ELSEWHERE, NOT_REACHED, REAL_CAUSES, WORKS, type RealCause } from "../real-causes.ts";

type Acts = DemoScriptInput["attempts"][number];

/** What brings a run into a state, and what it comes to once the printed command was pasted. */
interface Cause {
  readonly attempts: Acts[];
  /** Done to the run once it works, where its agent alone does not bring it there. */
  readonly act?: (run: string) => Promise<void>;
  /** The run that is looked at afterwards, and the state it reaches; by default itself, completed. */
  readonly leadsTo?: { readonly run: string; readonly status: string };
}

const done: Acts = [{ do: "claim", ok: true, text: "done" }];
const backoff = { baseMs: 1, capMs: 1 };

/** The agent says so and goes; what causes it in earnest has, or will have, a test of its own beside this one. */
const raised = (reason: BlockedReason): Cause => ({
  attempts: [[{ do: "blocked", reason, text: `this is ${reason}` }], done],
});

/** A damaged journal is no state that a run can be brought to by what happens in it; hosts come with the fleet. */
const DECLARED: Readonly<Partial<Record<BlockedReason, Cause>>> = {
  journal_damaged: {
    attempts: [done],
    act: async (run) => {
      await reaches(run, "completed");
      damage(run);
    },
    leadsTo: { run: "way-journal_damaged-salvaged", status: "blocked" },
  },
  host_lost: raised("host_lost"),
};

const bench = new CliBench();
const scripts = path.join(bench.root, "scripts");
const bin = path.join(bench.root, "bin");
let system: System;
let worked: Promise<unknown>;

before(async () => {
  mkdirSync(scripts);
  mkdirSync(bin);
  mkdirSync(bench.home);
  // Agents are started with what this process has.
  process.env["PATH"] = `${bin}:${process.env["PATH"] ?? ""}`;
  const program = builtProgram(path.join(import.meta.dirname, "..", "run-cli.ts"));
  const shim = path.join(bin, "holdfast");
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(shim, 0o755);
  const settings = configSchema.parse({ limits: { runsAtOnce: 100 }, supervisor: { scanMs: 200 } });
  system = await openSystem({ store: `sqlite:${bench.store}`, settings });
  worked = system.host.work();
});

after(async () => {
  system.host.stop(true);
  await worked;
  await system.close();
  await bench.close();
});

const writeScript = (name: string, attempts: Acts[]): string => {
  const file = path.join(scripts, `${name}.json`);
  writeFileSync(file, JSON.stringify({ attempts }));
  return file;
};

async function create(run: string, reason: BlockedReason, cause: Cause): Promise<void> {
  const script = writeScript(run, cause.attempts);
  const created = await system.createRun({
    id: run,
    goal: `into ${reason} and out of it`,
    flow: { name: "way", steps: [stepSchema.parse({ name: "work", task: "t", agent: "demo" })], phases: [] },
    agents: { demo: { use: "demo", script } },
    settings: runSettingsSchema.parse({ backoff, startup: { termGraceMs: 200 } }),
    budget: {},
    cwd: bench.cwd,
    by: "test",
  });
  await system.leases.release(run, created.epoch);
}

/** A changed byte in the middle of the run's journal. */
function damage(run: string): void {
  const db = new DatabaseSync(bench.store, { timeout: 10_000 });
  try {
    const key = db.prepare("SELECT run_key FROM runs WHERE run = ?").get(run)?.["run_key"] as number;
    db.prepare("UPDATE events SET data = replace(data, 'work', 'wonk') WHERE key >> 32 = ? AND type = ?").run(
      key,
      "StepSucceeded",
    );
    db.prepare("DELETE FROM snapshots WHERE run_key = ?").run(key);
  } finally {
    db.close();
  }
}

const reaches = async (run: string, status: string): Promise<void> => {
  const until = Date.now() + 60_000;
  for (;;) {
    const state = await system.loadRun(run).catch(() => null);
    if (state?.status === status) return;
    if (Date.now() > until) {
      const reported = state === null ? "" : await reportedOf(run);
      assert.fail(`${run} is ${state?.status ?? "unreadable"}, never ${status}: ${reported}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

interface Pasted {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** As a person pastes it. */
function paste(command: string, more: Record<string, string> = {}, cwd = bench.cwd): Promise<Pasted> {
  const env = { ...process.env, HOLDFAST_HOME: bench.home, HOLDFAST_ANCHOR: "off", ...more };
  const child = spawn("sh", ["-c", command], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code, stdout, stderr });
    });
  });
}

type Found = NonNullable<StatusView["blocked"]>;

/** What `status` shows of a run; a damaged one is asked for as a person would. */
async function shown(run: string): Promise<StatusView> {
  const state = await system.loadRun(run).catch(() => null);
  if (state !== null) return statusView(state, null);
  const { stdout, stderr } = await paste(`holdfast status ${run} --json`);
  assert.notEqual(stdout, "", stderr);
  return JSON.parse(stdout) as StatusView;
}

/** Waits until the run shows that it is blocked, for whichever reason. */
async function blocked(run: string): Promise<Found> {
  for (const until = Date.now() + 60_000; ;) {
    const { blocked: found, status } = await shown(run);
    if (found !== null) return found;
    assert.ok(Date.now() < until, `${run} is ${status} and was never blocked`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const dirOf = (run: string): string => path.join(bench.root, "ways", run);

/** A command line of the shell, in the folder of a run where it stands. */
function shell(run: string, line: string): Promise<Pasted> {
  const dir = dirOf(run);
  return paste(line, { RUN: run, DIR: dir }, existsSync(dir) ? dir : path.dirname(dir));
}

/** Puts the run where its cause takes place, and waits until it is blocked for that. */
async function reachInEarnest(run: string, reason: BlockedReason, cause: RealCause): Promise<Found> {
  const dir = dirOf(run);
  mkdirSync(dir, { recursive: true });
  for (const [name, text] of Object.entries(cause.files ?? {})) writeFileSync(path.join(dir, name), text);
  if (cause.git === true) assert.equal((await shell(run, GIT)).code, 0);
  const flow = cause.flow ?? { name: "way", steps: [{ name: "work", task: "t", agent: "dev" }] };
  const agents = Object.entries(cause.agents ?? { dev: WORKS });
  const created = await system.createRun({
    id: run,
    goal: `into ${reason} and out of it`,
    flow: flowSchema.parse(flow),
    agents: Object.fromEntries(agents.map(([name, spec]) => [name, agentSpecSchema.parse(spec)])),
    settings: runSettingsSchema.parse({
      ...{ backoff, startup: { termGraceMs: 200 }, workspace: { isolation: "none" } },
      // What an agent changed is seen in a folder without git too.
      checkpoints: { when: "always" },
      ...cause.settings,
    }),
    budget: cause.budget ?? {},
    cwd: dir,
    by: "test",
  });
  await system.leases.release(run, created.epoch);
  if (cause.meanwhile !== undefined) {
    await until(async () => existsSync(`${dir}.begun`) || (await isStill(run)), run);
    const done = await shell(run, cause.meanwhile);
    assert.equal(done.code, 0, `${cause.meanwhile}: ${done.stdout}${done.stderr}`);
  }
  if (cause.completed !== undefined) {
    await reaches(run, "completed");
    const done = await shell(run, cause.completed);
    assert.equal(done.code, 0, `${cause.completed}: ${done.stdout}${done.stderr}`);
  }
  let found: Found | null = null;
  await until(async () => {
    // A session that is still being ended spends more than the printed command was told of.
    const isSpent = reason !== "budget_exhausted" || (await isStill(run));
    found = (await shown(run)).blocked;
    const state = await system.loadRun(run);
    // What others learn of it is on its way: choices may depend on that.
    const isReporting = Object.values(state?.effects ?? {}).some(({ kind }) => kind === "TellGround");
    return found?.reason === reason && state?.status !== "running" && !isReporting && isSpent;
  }, `${run} (${reason})`);
  return found ?? assert.fail("never blocked");
}

/** A person is asked, and everything that was under way is over: what happens from now on is nobody else's doing. */
async function isStill(run: string): Promise<boolean> {
  const state = await system.loadRun(run);
  if (state === null || state.blocked === null || Object.keys(state.effects).length > 0) return false;
  return Object.values(state.guards).every(
    ({ exposedTo, report }) => exposedTo.length === 0 && report === null,
  );
}

/** What happened to a run, for a failure. */
async function reportedOf(run: string): Promise<string> {
  const events = await system.ports.journal.read(run, { after: 0, limit: 1_000 });
  return events.map((event) => describeEvent(event)).join("\n");
}

const GIT =
  "git init -q -b main && git config user.name a && git config user.email a@example.invalid && git config filter.up.clean 'tr a-z A-Z' && git config filter.up.smudge cat && touch kept && git add -A && git commit -q -m begin";

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 60_000; !(await holds());) {
    if (Date.now() > end) assert.fail(`${what}: ${await reportedOf(what.split(" ")[0] ?? "")}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Cancelling is the same everywhere: each day it is pasted in some of the states. */
const REACHED_HERE = BLOCKED_REASONS.filter((reason) => Object.hasOwn(REAL_CAUSES, reason));
const CANCELLED = ofTheDay(REACHED_HERE, 4);

/** The printed command is pasted every day; of the choices beside it, each on one day in three. */
const isPasted = (at: number): boolean => at === 0 || hasTurn(at, 3);

/** Each choice has a run of its own: it is pasted into a shell, and leaves the run as the table says. */
async function everyWay(reason: BlockedReason, cause: RealCause): Promise<void> {
  for (const [at, way] of cause.ways.entries()) {
    if (way.verb === "cancel" ? !CANCELLED.includes(reason) : !isPasted(at)) continue;
    const run = `real-${reason}-${String(at)}`;
    const found = await reachInEarnest(run, reason, cause);
    const verbs = found.choices.map(({ command }) => verbOf(command, run));
    assert.deepEqual(
      verbs,
      cause.ways.map(({ verb }) => verb),
      "the choices are those of the table",
    );
    assert.equal(found.choices[0]?.command, found.command);
    if (way.mend !== undefined) assert.equal((await shell(run, way.mend)).code, 0, way.mend);
    const { command } = found.choices[at] ?? assert.fail("no such choice");
    if (way.between !== undefined) {
      const first = await shell(run, command);
      assert.equal(first.code, 5, `${command}: ${first.stdout}${first.stderr}`);
      assert.equal((await shell(run, way.between)).code, 0, way.between);
    }
    const pasted = await shell(run, command);
    assert.equal(pasted.code, 0, `${command}: ${pasted.stdout}${pasted.stderr}`);
    await reaches(run, way.after);
    if (way.after === "blocked") assert.equal((await blocked(run)).reason, reason, "nothing changed");
    if (way.shows !== undefined) assert.equal((await shell(run, way.shows)).code, 0, way.shows);
    if (way.after !== "completed" && way.after !== "cancelled") await shell(run, `holdfast cancel ${run}`);
  }
}

/** The command and its options, without what they are about. */
const verbOf = (command: string, run: string): string =>
  command
    .split(" ")
    .slice(1)
    .filter(
      (word, at) => at === 0 || (/^--(dry-run|show-diff|undo|with-filters)$/.test(word) && word !== run),
    )
    .join(" ");

async function wayOut(reason: BlockedReason): Promise<void> {
  const real = REAL_CAUSES[reason];
  if (real !== undefined) return everyWay(reason, real);
  const run = `way-${reason}`;
  const cause = DECLARED[reason] ?? assert.fail(`${reason} is neither reached nor declared`);
  await create(run, reason, cause);
  await cause.act?.(run);
  const found = await blocked(run);
  assert.equal(found.reason, reason);
  const pasted = await paste(found.command);
  assert.equal(pasted.code, 0, `${found.command}: ${pasted.stdout}${pasted.stderr}`);
  const { run: after = run, status = "completed" } = cause.leadsTo ?? {};
  await reaches(after, status);
}

const playedHere = (reason: BlockedReason): boolean =>
  Object.hasOwn(REAL_CAUSES, reason) || Object.hasOwn(DECLARED, reason);

describe("ways out", { concurrency: 4 }, () => {
  for (const reason of BLOCKED_REASONS.filter(playedHere))
    test(`G3 a run blocked as ${reason} goes on when the printed command is pasted`, () => wayOut(reason));
});

test("G3 every blocked reason is reached in earnest here or in a test that is named, or is listed as out of reach", (t) => {
  const listed = [REAL_CAUSES, ELSEWHERE, NOT_REACHED].flatMap((table) => Object.keys(table));
  assert.deepEqual(listed.toSorted(), BLOCKED_REASONS.toSorted());
  const causes = [...Object.values(REAL_CAUSES), ...Object.values(ELSEWHERE)];
  const ways = causes.reduce((sum, cause) => sum + cause.ways.length, 0);
  printSample(
    t,
    `the printed command of every blocked state, each choice beside it on one day in 3, cancel in ${String(CANCELLED.length)} of ${String(REACHED_HERE.length)} blocked states`,
  );
  t.diagnostic(
    `${String(Object.keys(REAL_CAUSES).length)} reasons here and ${String(Object.keys(ELSEWHERE).length)} in other tests, with ${String(ways)} choices, ${String(Object.keys(NOT_REACHED).length)} out of reach`,
  );
});
