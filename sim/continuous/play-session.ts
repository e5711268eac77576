import { decideContinuous } from "../../src/decide/continuous/decide-continuous.ts";
import { memoryDisk } from "../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../src/journal/memory/memory-journal.ts";
import type { Journal } from "../../src/journal/journal.ts";
import {
  type ContinuousSpec,
  continuousSpecSchema,
  type Goal,
  goalSchema,
} from "../../src/model/continuous/continuous-spec.ts";
import type { ContinuousState } from "../../src/model/continuous/continuous-state.ts";
import { errorText } from "../../src/model/fault.ts";
import { hostSettingsSchema, runSettingsSchema } from "../../src/model/settings/settings.ts";
import { ContinuousSessions } from "../../src/runtime/continuous/continuous-sessions.ts";
import { ContinuousSwitch } from "../../src/runtime/continuous/continuous-switch.ts";
import { Leases } from "../../src/runtime/leases.ts";
import type { Goals, Ports } from "../../src/runtime/ports.ts";
import { seededChance } from "../world/seeded-chance.ts";
import { SIM_EPOCH_MS } from "../world/sim-time.ts";
import { SimDigests } from "./sim-digests.ts";
import { Died, mortalWorld, type Shared } from "./mortal-world.ts";
import { FATES, PLANS, REQUEST_USD, SimChildren } from "./sim-children.ts";

export const SIM_SESSION = "sim";
const GOALS_MAX = 14;
const ROUNDS_MAX = 4_000;
const EVIDENCE_MAX = 4;
const ROUND_MS = 5_000;
const SETTINGS = hostSettingsSchema.parse({});
const ASKER = { by: "person" };

export interface PlayedSession {
  readonly journal: Journal;
  readonly goals: readonly Goal[];
  readonly state: ContinuousState;
  readonly deaths: number;
  /** How many digests a channel has taken. */
  readonly digests: number;
  readonly requestUsd: number;
  readonly problems: readonly string[];
}

/** One life of a session: the real runtime on a disk in memory, with a process that dies at boundaries drawn from the seed. */
export async function playSession(
  seed: number,
  judge: Ports["judgeContinuous"] = decideContinuous,
): Promise<PlayedSession> {
  const chance = seededChance(seed);
  const shared: Shared = {
    now: SIM_EPOCH_MS,
    chance,
    deathChance: chance() * 0.25,
    dead: new Set(),
    processes: 0,
    deaths: 0,
  };
  const disk = memoryDisk();
  const goals = drawGoals(chance);
  const digests = new SimDigests(seed, shared);
  const spec = drawSpec(chance, goals.length, digests.settings);
  const outside = mortalWorld(shared, false);
  const journal = memoryJournal({ world: outside, disk });
  const people = new ContinuousSwitch(
    { journal, world: outside },
    new Leases(journal, outside, SETTINGS.lease.ms),
  );
  const children = new SimChildren(journal, outside);
  await people.ask(SIM_SESSION, { kind: "begin", spec }, ASKER);
  const seen = { evidence: 0 };
  const newLife = (): Life =>
    lifeOf(mortalWorld(shared, true), disk, {
      goals: goalsOf(goals, () => String(seen.evidence)),
      judgeContinuous: judge,
      notifier: digests.notifier,
    });
  const lives = Array.from({ length: digests.hosts }, newLife);
  const problems: string[] = [];
  for (let round = 0; ; round += 1) {
    shared.now += ROUND_MS;
    digests.pass();
    // Both beat before either looks: a day that passes is no silence of the other.
    for (const does of ["beat", "look"] as const)
      for (const [host, life] of lives.entries())
        try {
          await life[does]();
        } catch (error) {
          if (!(error instanceof Died)) problems.push(errorText(error));
          lives[host] = newLife();
        }
    const state = await people.load(SIM_SESSION);
    if (state === null || state.end !== null || problems.length > 0 || round >= ROUNDS_MAX) {
      if (state === null || state.end === null) problems.push(`no end after ${String(round)} rounds`);
      problems.push(...(await digests.violations(journal, SIM_SESSION)));
      return {
        journal,
        goals,
        state: state as ContinuousState,
        deaths: shared.deaths,
        digests: digests.taken.length,
        requestUsd: REQUEST_USD,
        problems,
      };
    }
    await children.step();
    await attend({ journal, people, chance, state, now: shared.now });
    // Somebody edits the vision now and then, or commits.
    if (seen.evidence < EVIDENCE_MAX && chance() < 0.02) seen.evidence += 1;
  }
}

/** A process that goes on with the session. */
type Life = Record<"beat" | "look", () => Promise<unknown>>;

function lifeOf(
  world: Ports["world"],
  disk: ReturnType<typeof memoryDisk>,
  given: Pick<Ports, "goals" | "judgeContinuous" | "notifier">,
): Life {
  const journal = memoryJournal({ world, disk });
  // Of the ports a session needs these alone.
  const ports = { world, journal, settings: SETTINGS, ...given } as unknown as Ports;
  const leases = new Leases(journal, world, SETTINGS.lease.ms);
  const sessions = new ContinuousSessions(ports, leases);
  return { beat: () => leases.beat(), look: () => sessions.look() };
}

/** Every goal is worked by an agent that is named after its fate. */
const goalsOf = (goals: readonly Goal[], evidence: () => string): Goals => ({
  read: () => Promise.resolve({ goals, problems: [], evidence: evidence() }),
  order: (_spec, goal) => Promise.resolve(orderOf(goal)),
  planOrder: (_spec, goal) => Promise.resolve(orderOf({ ...goal, agent: PLANS })),
});

export const orderOf = ({ id, goal, agent = "works" }: Goal) => ({
  goal,
  flow: {
    name: id,
    steps: [{ name: "work", task: goal, agent, needs: [], authority: "writes" as const, checks: [] }],
    phases: [],
  },
  agents: { [agent]: { use: "demo" as const } },
  settings: runSettingsSchema.parse({}),
  budget: {},
  cwd: "/",
  by: "nobody",
});

function drawGoals(chance: () => number): Goal[] {
  const count = 1 + Math.floor(chance() * GOALS_MAX);
  return Array.from({ length: count }, (_, at) =>
    goalSchema.parse({
      id: `g${String(at)}`,
      goal: `goal ${String(at)}`,
      agent: chance() < 0.5 ? "works" : FATES[Math.floor(chance() * FATES.length)],
      priority: Math.floor(chance() * 5) - 2,
    }),
  );
}

function drawSpec(chance: () => number, goals: number, also: object): ContinuousSpec {
  const pick = <Item>(...items: readonly Item[]): Item => items[Math.floor(chance() * items.length)] as Item;
  return continuousSpecSchema.parse({
    ...also,
    intake: { kind: "file", path: "/goals" },
    cwd: "/",
    concurrency: 1 + Math.floor(chance() * 3),
    onBlocked: pick("pause", "continue"),
    onFailed: pick("skip", "skip", "stop"),
    budget: pick(
      {},
      { usd: 0.3 + chance() * 0.2 * goals },
      { runs: 1 + Math.floor(chance() * goals) },
      { usd: 50, day: { usd: 0.5 } },
    ),
    ghosts: { baseMs: pick(1, 60_000), maxMs: 600_000 },
    idle: pick(
      {},
      { policy: "poll", everyMs: 10_000, maxMs: 60_000, rounds: 2 },
      { policy: "plan", vision: "/vision", everyMs: 10_000, maxMs: 60_000, rounds: 2 },
    ),
  });
}

interface Around {
  readonly journal: Journal;
  readonly people: ContinuousSwitch;
  readonly chance: () => number;
  readonly state: ContinuousState;
  readonly now: number;
}

/** People answer late; now and then one stops the session, or leaves a goal out. */
async function attend({ journal, people, chance, state, now }: Around): Promise<void> {
  if (state.stop !== null || state.pause?.why === "operator") {
    if (chance() < 0.3) await people.ask(SIM_SESSION, { kind: "resume" }, ASKER);
    return;
  }
  if (chance() < 0.01) await people.ask(SIM_SESSION, { kind: chance() < 0.5 ? "stop" : "pause" }, ASKER);
  const [goal] = Object.values(state.goals).filter(({ status }) => status !== "ended");
  if (goal !== undefined && chance() < 0.01)
    await people.ask(SIM_SESSION, { kind: "skip", goal: goal.goal.id }, ASKER);
  for (const { status, runs } of Object.values(state.goals)) {
    const run = runs.at(-1);
    if (status !== "issued" || run?.waits?.reason !== "needs_human" || chance() >= 0.2) continue;
    const id = `answer.${run.run}.${String(now)}`;
    const request = { kind: "unblock", escalation: `${run.run}.e1` } as const;
    await journal.ask({ id, address: run.run, request, by: "person", at: now });
  }
}
