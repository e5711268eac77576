/**
 * The program that the kill matrix kills: one run that passes every durable boundary there is. Started again on the
 * same folder it goes on where the journal stops, and ends when the run is at rest.
 *
 * Usage: reference-run.ts FOLDER. In FOLDER it writes `acks` (every append that was acknowledged), `work` (every
 * entry into an agent's body), from the scripted agent `scripted`, and `notices` (what a person was told).
 */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isStarted } from "../built-program.ts";
import type { FunctionAgent, FunctionAgentContext } from "../../src/agents/function/function-agent.ts";
import { openSystem, type System } from "../../src/main.ts";
import { escalationId } from "../../src/model/requests/blocked.ts";
import type { Step } from "../../src/model/flow/flow.ts";
import type { RunRequest } from "../../src/model/requests/requests.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { isFault } from "../../src/model/fault.ts";
import { hostSettingsSchema, runSettingsSchema } from "../../src/model/settings/settings.ts";
import { createRun } from "../../src/runtime/create-run.ts";
import { loadRun } from "../../src/runtime/load-run.ts";
import { storeFolder } from "./store-folder.ts";

export const REFERENCE_RUN = "reference";

const step = (name: string, agent: string, needs: string[] = []): Step => ({
  name,
  task: `do ${name}`,
  agent,
  needs,
  authority: "writes",
  checks: [],
});

/** Passes neither before the first attempt nor after it. */
const CHECK = { run: 'n=$(cat checked 2>/dev/null | wc -l); echo x >> checked; test "$n" -ge 2' };

const STEPS = [
  { ...step("first", "returns"), checks: [CHECK] },
  // Two that write are never at work at once; these may be.
  { ...step("flaky", "fails-once"), authority: "reviews" as const },
  { ...step("scripted", "crashes-once", ["first"]), authority: "reviews" as const },
  { ...step("held", "waits-once", ["first"]), authority: "reviews" as const },
  step("last", "returns", ["flaky", "scripted", "held"]),
];

const SCRIPT = {
  attempts: [
    [
      { do: "append", file: "scripted", line: "{attempt} began" },
      { do: "tool", name: "compile", result: "killed", ok: false },
      { do: "crash" },
    ],
    [
      { do: "append", file: "scripted", line: "{attempt} began" },
      { do: "say", text: "working" },
      { do: "claim", ok: true, text: "done" },
    ],
  ],
};

function agents(folder: string): Map<string, FunctionAgent> {
  const entered = ({ attempt }: FunctionAgentContext): void => {
    appendFileSync(join(folder, "work"), `${String(process.pid)} ${attempt}\n`);
  };
  let failedHere = false;
  return new Map<string, FunctionAgent>([
    [
      "returns",
      async (context) => {
        entered(context);
        await context.report("half way");
        return context.step;
      },
    ],
    [
      // Owes one charged failure, no matter what was killed before it was recorded.
      "fails-once",
      (context) => {
        entered(context);
        if (!flakyOwesFailure || failedHere) return context.step;
        failedHere = true;
        throw new Error("not yet");
      },
    ],
    [
      "waits-once",
      async (context) => {
        entered(context);
        if (context.number > 1) return context.step;
        await new Promise((resolve) => {
          context.signal.addEventListener("abort", resolve);
        });
        throw new Error("was told to stop");
      },
    ],
  ]);
}

/** Read from the journal before work begins. */
let flakyOwesFailure = true;

/** Every acknowledged append of the run goes to a file, synchronously: what stands there must be in the journal for ever after. */
function noteAcknowledgements(system: System, folder: string): void {
  const { journal } = system.ports;
  const append = journal.append.bind(journal);
  journal.append = async (order) => {
    const outcome = await append(order);
    if (outcome.kind === "appended" && order.run === REFERENCE_RUN)
      appendFileSync(join(folder, "acks"), `${String(outcome.head.seq)} ${outcome.head.hash}\n`);
    return outcome;
  };
}

const CREATE_TRIES_MAX = 600;

/**
 * Two supervisors of one run may begin at the same moment, and one that was killed while it created the run holds it
 * until its lease is over. The second is refused, as it should be, and looks again whether the run is there.
 */
async function createOnce(system: System, folder: string): Promise<void> {
  for (let tries = 1; (await system.ports.journal.head(REFERENCE_RUN)) === null; tries += 1)
    try {
      await create(system, folder);
    } catch (fault) {
      if (!isFault(fault, "refused") || tries === CREATE_TRIES_MAX) throw fault;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

async function create(system: System, folder: string): Promise<void> {
  const script = join(folder, "script.json");
  writeFileSync(script, JSON.stringify(SCRIPT));
  const { epoch } = await createRun(system.ports, system.leases, {
    id: REFERENCE_RUN,
    goal: "pass every durable boundary",
    flow: { name: "reference", steps: STEPS, phases: [] },
    agents: {
      returns: { use: "function", export: "returns" },
      "fails-once": { use: "function", export: "fails-once" },
      "waits-once": { use: "function", export: "waits-once" },
      "crashes-once": { use: "demo", script },
    },
    settings: runSettingsSchema.parse({
      backoff: { baseMs: 1, capMs: 1 },
      startup: { termGraceMs: 500 },
      notify: { channels: { file: { use: "command", command: ["tee", "-a", join(folder, "notices")] } } },
    }),
    budget: {},
    cwd: folder,
    by: "test",
  });
  await system.leases.release(REFERENCE_RUN, epoch);
}

const ALARM_MS = 100;

/** Pauses the run while `held` waits, and sets an alarm to wake it once it is at rest; asked again after a kill, the ids are the same. */
async function operate(system: System): Promise<boolean> {
  const state = await loadRun(system.ports.journal, REFERENCE_RUN);
  if (state === null) return false;
  flakyOwesFailure = (state.steps["flaky"]?.charged ?? 0) === 0;
  if (await settleEscalation(system, state)) return false;
  // People are still to be notified of its end: a try that failed on a busy machine is repeated.
  if (state.status === "completed" || state.status === "failed" || state.status === "blocked")
    return Object.keys(state.notices).length === 0;
  const others = ["flaky", "scripted"].every((name) => state.steps[name]?.status === "succeeded");
  if ((state.attempts["held#1"]?.lastSignalAt ?? null) !== null && others && state.status === "running")
    await ask(system, { kind: "pause" });
  // Nobody resumes it: the alarm does.
  if (state.status === "paused" && state.alarmsSet === 0)
    await ask(system, { kind: "alarm", dueAt: system.ports.world.now() + ALARM_MS, note: "go on" });
  return false;
}

/** An operator stops the run once, is told of it, and lets it go on; answers whether that is under way. */
async function settleEscalation(system: System, state: RunState): Promise<boolean> {
  if (state.status === "running" && state.escalated === 0 && state.steps["first"]?.status === "succeeded")
    await ask(system, { kind: "escalate", note: "look at this" });
  if (state.blocked?.reason !== "operator_escalation") return false;
  if (Object.keys(state.notices).length === 0 && state.escalated === 1)
    await ask(system, { kind: "unblock", escalation: escalationId(REFERENCE_RUN, 1) });
  return true;
}

async function ask(system: System, request: RunRequest): Promise<void> {
  const { journal, world } = system.ports;
  await journal.ask({
    id: `req_${request.kind}`,
    address: REFERENCE_RUN,
    request,
    by: "test",
    at: world.now(),
  });
}

async function main(folder: string): Promise<void> {
  const leaseMs = process.env["HOLDFAST_KILL_LEASE_MS"];
  const settings = hostSettingsSchema.parse({
    supervisor: { scanMs: 20 },
    ...(leaseMs === undefined ? {} : { lease: { ms: Number(leaseMs) } }),
  });
  const functions = agents(folder);
  const system = await openSystem({
    store: `sqlite:${join(storeFolder(folder), "journal.db")}`,
    settings,
    functions,
  });
  noteAcknowledgements(system, folder);
  await createOnce(system, folder);
  await operate(system);
  const supervisor = system.supervisor();
  const working = supervisor.work();
  while (!(await operate(system))) await new Promise((resolve) => setTimeout(resolve, 10));
  supervisor.stop();
  await working;
  await system.close();
}

const [folder] = process.argv.slice(2);
if (folder !== undefined && isStarted(import.meta.filename)) void main(folder);
