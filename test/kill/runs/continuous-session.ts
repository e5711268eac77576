/**
 * The program that is killed while a continuous session is at work: goals that succeed, one that waits for a person, one
 * whose starts show nothing, and one that was left out. A person stops the session in its middle, resumes it, and unblocks
 * what waits, on the next day: the digest of the first one is sent before.
 *
 * Usage: continuous-session.ts FOLDER [GOALS SEED USD]. With more words it has so many goals of every kind, drawn from the
 * seed, and a budget; the person answers late and never stops it. Started again on the same folder it goes on where the journals stop.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededChance } from "../../../sim/world/seeded-chance.ts";
import { openSystem, type System } from "../../../src/main.ts";
import {
  continuousSpecSchema,
  type Goal,
  goalSchema,
} from "../../../src/model/continuous/continuous-spec.ts";
import type { RunRequest } from "../../../src/model/requests/requests.ts";
import { hostSettingsSchema, runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { isStarted } from "../../built-program.ts";

export const SESSION = "night";
const LOOK_MS = 10;

const SCRIPTS: Readonly<Record<string, unknown>> = {
  works: {
    attempts: [
      [
        { do: "say", text: "{task}" },
        { do: "usage", usd: 1, tokensIn: 5, tokensOut: 5 },
        { do: "claim", ok: true, text: "done" },
      ],
    ],
  },
  asks: {
    attempts: [
      [
        { do: "say", text: "{task}" },
        { do: "blocked", reason: "needs_human", text: "which port?" },
      ],
      [{ do: "claim", ok: true, text: "done" }],
    ],
  },
  ghost: { attempts: [[{ do: "exit", code: 3 }]] },
  seesNothing: { attempts: [[{ do: "claim", ok: true, text: '{"goals":[]}' }]] },
  plans: {
    attempts: [
      [
        { do: "say", text: "it is planned" },
        { do: "claim", ok: true, text: '{"goals":[{"goal":"planned"}]}' },
      ],
    ],
  },
  crashes: {
    attempts: [
      [{ do: "say", text: "{task}" }, { do: "crash" }],
      [
        { do: "usage", usd: 1, tokensIn: 5, tokensOut: 5 },
        { do: "claim", ok: true, text: "done" },
      ],
    ],
  },
  limited: {
    attempts: [
      [
        { do: "say", text: "{task}" },
        { do: "limit", text: "usage limit reached", retryAfterMs: 30 },
        { do: "exit", code: 1 },
      ],
      [{ do: "claim", ok: true, text: "done" }],
    ],
  },
  fails: {
    attempts: [
      [
        { do: "say", text: "{task}" },
        { do: "error", text: "the tests still fail" },
        { do: "exit", code: 1 },
      ],
    ],
  },
};

/** What may become of a goal of each agent. */
export const ENDS_OF: Readonly<Record<string, readonly string[]>> = {
  works: ["done"],
  asks: ["done"],
  crashes: ["done"],
  limited: ["done"],
  ghost: ["ghost_retry_exhausted"],
  fails: ["failed", "cancelled"],
};
const KINDS = Object.keys(ENDS_OF);
const PRIORITIES = 3;

/** So many goals of every kind, always the same for a seed. */
export function drawGoals(count: number, seed: number): Goal[] {
  const chance = seededChance(seed);
  const draw = (many: number): number => Math.floor(chance() * many);
  return Array.from({ length: count }, (_, at) => {
    // Most goals are plain work.
    const kind = draw(2) === 0 ? "works" : (KINDS[draw(KINDS.length)] ?? "works");
    return goal(`g${String(at)}`, kind, draw(2 * PRIORITIES) - PRIORITIES);
  });
}

const goal = (id: string, agent: string, priority = 0): Goal =>
  goalSchema.parse({ id, goal: id, agent, priority });

/** In the order in which they are read. */
export const GOALS: readonly Goal[] = [
  goal("last", "works", -1),
  goal("plain", "works"),
  goal("asks", "asks"),
  goal("ghost", "ghost"),
  goal("first", "works", 5),
];

interface Played {
  readonly goals: readonly Goal[];
  readonly usd: number;
  /** How likely a person who looks answers. */
  readonly promptness: number;
}

/** Takes the digest of a day: one line for each time that it was sent. */
const desk = (folder: string) => ({
  channels: {
    desk: {
      use: "command",
      command: ["sh", "-c", `tr -d '\\n' >> ${folder}/digests; echo >> ${folder}/digests`],
      limitMs: 30_000,
    },
  },
  ...{ tries: 5, retryMs: 10, retryCapMs: 10 },
});

const spec = (folder: string, cwd: string, { goals, usd }: Played) =>
  continuousSpecSchema.parse({
    ...(goals === GOALS ? { notify: desk(folder) } : {}),
    intake: { kind: "file", path: "goals" },
    cwd,
    budget: { usd, runs: 5 * goals.length },
    concurrency: goals === GOALS ? 1 : 2,
    onBlocked: goals === GOALS ? "pause" : "continue",
    onFailed: "skip",
    ghosts: { baseMs: 1, maxMs: 1 },
    idle: { policy: "plan", vision: "/VISION.md", everyMs: 1, maxMs: 1, rounds: 2 },
  });

const by = { by: "test" };

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

function openOn(folder: string, cwd: string, { goals }: Played): Promise<System> {
  return openSystem({
    store: `sqlite:${join(folder, "journal.db")}`,
    settings: hostSettingsSchema.parse({ supervisor: { scanMs: 20 } }),
    goals: {
      // What a planner sees never changes: it is asked once for what became of the goals.
      read: () => Promise.resolve({ goals, problems: [], evidence: "the same" }),
      order: (_spec, goal) => Promise.resolve(orderOf(goal, cwd)),
      planOrder: (_spec, goal) =>
        Promise.resolve(orderOf({ ...goal, agent: goal.id === "plan-1" ? "plans" : "seesNothing" }, cwd)),
    },
  });
}

const orderOf = ({ id, goal: text, agent = "works" }: Goal, cwd: string) => ({
  goal: text,
  flow: {
    name: id,
    steps: [{ name: "work", task: text, agent, needs: [], authority: "writes" as const, checks: [] }],
    phases: [],
  },
  agents: { [agent]: { use: "demo" as const, script: `./${agent}.json` } },
  settings: runSettingsSchema.parse({
    attempts: { perStep: 2 },
    backoff: { baseMs: 1, capMs: 1 },
    startup: { termGraceMs: 500 },
  }),
  budget: {},
  cwd,
  by: "nobody",
});

/** Stops and resumes the session once, while the first goal is at work. */
async function stopOnce({ continuous, ports }: System): Promise<void> {
  const events = () => ports.journal.read(`continuous:${SESSION}`, { after: 0, limit: 10_000 });
  const wasTold = async (type: string, whose?: string): Promise<boolean> =>
    (await events()).some(
      (event) => event.type === type && (whose === undefined || JSON.stringify(event.data).includes(whose)),
    );
  await until(() => wasTold("GoalIssued"));
  if (!(await wasTold("ContinuousStopped"))) await continuous.ask(SESSION, { kind: "stop" }, by);
  if (!(await wasTold("ContinuousResumed", '"test"'))) await continuous.ask(SESSION, { kind: "resume" }, by);
}

/** The session itself sees to these. */
const NOT_FOR_PEOPLE: readonly string[] = ["budget_exhausted", "paused"];

const DAY_MS = 86_400_000;

/** From the moment that the file is there, this process and those after it live a day later. */
const nextDayOf = (folder: string): string => join(folder, "next-day");

function keepDays(folder: string): void {
  const now = Date.now;
  Date.now = () => now() + (existsSync(nextDayOf(folder)) ? DAY_MS : 0);
}

/** Whether the digest of the first day was sent, and recorded; the day ends when the session waits for an answer. */
async function hasDigest(system: System, folder: string): Promise<boolean> {
  const state = await system.continuous.load(SESSION);
  if (state?.pause?.why === "blocked" && !existsSync(nextDayOf(folder))) writeFileSync(nextDayOf(folder), "");
  return (
    state !== null && (state.end !== null || (state.digest.day !== null && state.digest.open.length === 0))
  );
}

/** A person unblocks what waits for an answer, cancels what has failed for good, and sometimes only looks. */
async function answerRuns(system: System, { promptness }: Played): Promise<boolean> {
  const state = await system.continuous.load(SESSION);
  if (state === null || state.end !== null) return true;
  for (const { status, runs } of Object.values(state.goals)) {
    const run = runs.at(-1);
    if (
      status !== "issued" ||
      run === undefined ||
      run.waits === null ||
      NOT_FOR_PEOPLE.includes(run.waits.reason)
    )
      continue;
    if (Math.random() >= promptness) continue;
    const request: RunRequest =
      run.waits.reason === "needs_human"
        ? { kind: "unblock", escalation: `${run.run}.e1`, note: "4377" }
        : { kind: "cancel" };
    await system.requests.ask(run.run, request, { ...by, waitMs: 0 }).catch(() => undefined);
  }
  return false;
}

async function live(folder: string, played: Played): Promise<void> {
  const cwd = join(folder, "tree");
  mkdirSync(cwd, { recursive: true });
  for (const [name, script] of Object.entries(SCRIPTS))
    writeFileSync(join(cwd, `${name}.json`), JSON.stringify(script));
  if (played.goals === GOALS) keepDays(folder);
  const system = await openOn(folder, cwd, played);
  await system.continuous.ask(SESSION, { kind: "begin", spec: spec(folder, cwd, played) }, by);
  const supervisor = system.supervisor();
  const working = supervisor.work();
  if (played.goals === GOALS) {
    await stopOnce(system);
    await until(() => hasDigest(system, folder));
  }
  await until(() => answerRuns(system, played));
  supervisor.stop();
  await working;
  await system.close();
}

const [folder, count, seed, usd] = process.argv.slice(2);
if (folder !== undefined && isStarted(import.meta.filename))
  void live(
    folder,
    count === undefined
      ? { goals: GOALS, usd: 10, promptness: 1 }
      : { goals: drawGoals(Number(count), Number(seed)), usd: Number(usd), promptness: 0.05 },
  );
