import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { builtProgram } from "../built-program.ts";
import type { DemoScriptInput } from "../../src/agents/demo/demo-script.ts";
import { openSystem, type System } from "../../src/main.ts";
import { BLOCKED_REASONS, type BlockedReason } from "../../src/model/blocked.ts";
import { configSchema } from "../../src/model/config.ts";
import { type Budget } from "../../src/model/budget.ts";
import { stepSchema } from "../../src/model/flow.ts";
import { runSettingsSchema } from "../../src/model/settings.ts";
import { statusView, type StatusView } from "../../src/views/status.ts";
import { CliBench } from "./cli-process.ts";

type Acts = DemoScriptInput["attempts"][number];

/** What brings a run into a state, and what it comes to once the printed command was pasted. */
interface Cause {
  readonly attempts: Acts[];
  readonly settings?: unknown;
  readonly budget?: Budget;
  /** Done to the run once it works, where its agent alone does not bring it there. */
  readonly act?: (run: string) => Promise<void>;
  /** The run that is looked at afterwards, and the state it reaches; by default itself, completed. */
  /** Which of the choices lets the run continue, where the safe one only shows what is known; 0 by default. */
  readonly choice?: number;
  readonly leadsTo?: { readonly run: string; readonly status: string };
}

const done: Acts = [{ do: "claim", ok: true, text: "done" }];
const slow: Acts = [{ do: "progress", text: "at work" }, { do: "hang" }];
const backoff = { baseMs: 1, capMs: 1 };

/** The agent says so and goes; what causes it in earnest has, or will have, a test of its own beside this one. */
const raised = (reason: BlockedReason): Cause => ({
  attempts: [[{ do: "blocked", reason, text: `this is ${reason}` }], done],
});

/** One cause for every reason; exhaustive by type: a reason without one does not compile. */
const CAUSES: Readonly<Record<BlockedReason, Cause>> = {
  approval_transition: raised("approval_transition"),
  approval_completion: raised("approval_completion"),
  needs_human: raised("needs_human"),
  dispatch_error: {
    attempts: [done],
    act: async (run) => {
      // Its script appears only after the first try.
      await reaches(run, "blocked");
      writeScript(`${run}-late`, [done]);
    },
  },
  operator_escalation: {
    attempts: [slow, done],
    settings: { attempts: { limitMs: 8_000 } },
    act: async (run) => {
      // Not by a command: on a busy machine that takes longer to begin than the attempt may last.
      const request = { kind: "escalate" as const, note: "look at this" };
      await system.requests.ask(run, request, { by: "test", waitMs: 60_000 });
    },
  },
  retries_exhausted: {
    attempts: [[{ do: "exit", code: 1 }], [{ do: "exit", code: 1 }], done],
  },
  hook_block: raised("hook_block"),
  hook_tamper: raised("hook_tamper"),
  conflict_loop: raised("conflict_loop"),
  budget_exhausted: {
    attempts: [
      [
        { do: "usage", usd: 3 },
        { do: "exit", code: 1 },
      ],
      done,
    ],
    budget: { usd: 2 },
  },
  policy_escalation: raised("policy_escalation"),
  timeout: { attempts: [slow, done], settings: { attempts: { perStep: 1, limitMs: 4_000 } } },
  gate_action_failed: raised("gate_action_failed"),
  operator_commit_refused: raised("operator_commit_refused"),
  workspace_dirty: raised("workspace_dirty"),
  checkpoint_pending: raised("checkpoint_pending"),
  drift: raised("drift"),
  in_doubt: { ...raised("in_doubt"), choice: 1 },
  diverged: raised("diverged"),
  stuck: raised("stuck"),
  crash_loop: raised("crash_loop"),
  rate_limited: raised("rate_limited"),
  protected_files: raised("protected_files"),
  journal_damaged: {
    attempts: [done],
    act: async (run) => {
      await reaches(run, "completed");
      damage(run);
    },
    leadsTo: { run: "way-journal_damaged-salvaged", status: "blocked" },
  },
  host_lost: raised("host_lost"),
  quarantined: raised("quarantined"),
  disk_full: raised("disk_full"),
  unknown: raised("unknown"),
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
  const program = builtProgram(path.join(import.meta.dirname, "run-cli.ts"));
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
  const script =
    reason === "dispatch_error" ? path.join(scripts, `${run}-late.json`) : writeScript(run, cause.attempts);
  const more = cause.settings ?? {};
  const created = await system.createRun({
    id: run,
    goal: `into ${reason} and out of it`,
    flow: { name: "way", steps: [stepSchema.parse({ name: "work", task: "t", agent: "demo" })], phases: [] },
    agents: { demo: { use: "demo", script } },
    settings: runSettingsSchema.parse({ backoff, startup: { termGraceMs: 200 }, ...more }),
    budget: cause.budget ?? {},
    cwd: bench.cwd,
    by: "test",
  });
  await system.leases.release(run, created.epoch);
}

/** A changed byte in the middle of the run's journal. */
function damage(run: string): void {
  const db = new DatabaseSync(bench.store);
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
    assert.ok(Date.now() < until, `${run} is ${state?.status ?? "unreadable"}, never ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** As a person pastes it. */
function paste(command: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { ...process.env, HOLDFAST_HOME: bench.home, PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  const child = spawn("sh", ["-c", command], { cwd: bench.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
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

async function wayOut(reason: BlockedReason): Promise<void> {
  const run = `way-${reason}`;
  const cause = CAUSES[reason];
  await create(run, reason, cause);
  await cause.act?.(run);
  const found = await blocked(run);
  assert.equal(found.reason, reason);
  const pasted = await paste(found.command);
  assert.equal(pasted.code, 0, `${found.command}: ${pasted.stdout}${pasted.stderr}`);
  const chosen = found.choices[cause.choice ?? 0]?.command ?? "";
  if (chosen !== found.command) {
    assert.equal((await blocked(run)).reason, reason, "the safe command changed nothing");
    assert.equal((await paste(chosen)).code, 0, chosen);
  }
  const { run: after = run, status = "completed" } = cause.leadsTo ?? {};
  await reaches(after, status);
}

describe("ways out", { concurrency: 4 }, () => {
  for (const reason of BLOCKED_REASONS)
    test(`G3 a run blocked as ${reason} goes on when the printed command is pasted`, () => wayOut(reason));
});
