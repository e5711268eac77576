import assert from "node:assert/strict";
import { evolve } from "../../src/fold/evolve.ts";
import { FOLD_VERSION } from "../../src/fold/fold-version.ts";
import { openSystem, type System } from "../../src/main.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import { stepSchema } from "../../src/model/flow/flow.ts";
import { hostSettingsSchema, runSettingsSchema } from "../../src/model/settings/settings.ts";
import { loadKnownRun } from "../../src/runtime/load-run.ts";

const AT_ONCE = 1_000;
const SECOND = 1_000;
const ATTEMPT = "work#1";

/** Writes runs of so many events, as their owner would have: with the snapshot that it keeps of them. */
export async function writeLongRuns(
  file: string,
  cwd: string,
  runs: Readonly<Record<string, number>>,
): Promise<void> {
  const system = await openSystem({ store: `sqlite:${file}`, settings: hostSettingsSchema.parse({}) });
  for (const [run, count] of Object.entries(runs)) await writeRun(system, { run, count, cwd });
  await system.close();
}

/** Writes so many runs that nobody has worked on yet. */
export async function writeManyRuns(file: string, cwd: string, count: number): Promise<void> {
  const system = await openSystem({ store: `sqlite:${file}`, settings: hostSettingsSchema.parse({}) });
  for (let nth = 1; nth <= count; nth += 1) {
    const { run, epoch } = await system.createRun({
      id: `part-${String(nth)}`,
      goal: `${GOALS[nth % GOALS.length] ?? ""} (part ${String(nth)})`,
      ...ONE_STEP,
      cwd,
    });
    await system.leases.release(run, epoch);
  }
  await system.close();
}

const GOALS = [
  "Move the tests to the new runner",
  "Say why the nightly build is slow",
  "Replace the deprecated calls of the payment interface, and keep what customers see exactly as it is today",
];
const ONE_STEP = {
  flow: { name: "one", steps: [stepSchema.parse({ name: "work", task: "t", agent: "demo" })], phases: [] },
  agents: { demo: { use: "demo" as const } },
  settings: runSettingsSchema.parse({}),
  budget: {},
  by: "test",
};

interface LongRun {
  readonly run: string;
  readonly count: number;
  readonly cwd: string;
}

async function writeRun(system: System, { run, count, cwd }: LongRun): Promise<void> {
  const { journal, world } = system.ports;
  const { epoch } = await system.createRun({
    id: run,
    goal: `a run of ${String(count)} events`,
    ...ONE_STEP,
    cwd,
  });
  let state = await loadKnownRun(journal, run);
  let hash = "";
  const from = world.now() - count * SECOND;
  const listing = { status: "running", goal: `a run of ${String(count)} events`, wakeAt: null } as const;
  while (state.seq < count) {
    const { seq } = state;
    const events = Array.from({ length: Math.min(AT_ONCE, count - seq) }, (_, at) => eventOf(seq + at + 1));
    const at = from + seq * SECOND;
    const outcome = await journal.append({ run, epoch, expected: seq, at, events, listing });
    assert.ok(outcome.kind === "appended");
    ({ hash } = outcome.head);
    for (const event of events) state = evolve(state, event, { run, seq: state.seq + 1, at });
  }
  await journal.saveSnapshot(run, { seq: state.seq, hash, fold: FOLD_VERSION, state: JSON.stringify(state) });
  await system.leases.release(run, epoch);
}

const STARTED: RunEvent = {
  type: "AttemptStarted",
  data: { attempt: ATTEMPT, step: "work", number: 1, agent: "demo", session: "long.work.1" },
};

/** An agent reads, is answered, says something and spends, again and again. */
function eventOf(seq: number): RunEvent {
  if (seq <= 2) return { type: "RunStarted", data: {} };
  if (seq === 3) return STARTED;
  const name = "read";
  const callId = `call_${String(seq - (seq % 4))}`;
  const signals = [
    { kind: "tool_call", callId, name, args: `src/part-${String(seq % 97)}.ts` },
    { kind: "tool_result", callId, name, ok: true, text: `${String(seq)} lines` },
    { kind: "message", from: "agent", text: `note ${String(seq)}: part ${String(seq % 97)} is clear` },
    { kind: "usage", usd: 0.01, tokensIn: 900, tokensOut: 40, requests: 1 },
  ] as const;
  const signal = signals[seq % 4] ?? signals[0];
  return { type: "SignalsHeard", data: { attempt: ATTEMPT, cursor: String(seq), signals: [signal] } };
}
