/**
 * Random workflow functions with a person beside them who answers twice, in a hurry and about what is over, while the
 * process dies again and again. Everything waits for turns of the event loop instead of a clock, so a seed repeats what
 * happened.
 */
import assert from "node:assert/strict";
import { seededChance } from "../../sim/world/seeded-chance.ts";
import { openChildren } from "../../src/decide/budget/program-tree.ts";
import { evolve } from "../../src/fold/evolve.ts";
import type { InboxRow, Journal } from "../../src/journal/journal.ts";
import { memoryDisk, type MemoryDisk } from "../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../src/journal/memory/memory-journal.ts";
import type { Run } from "../../src/loop/workflow-function.ts";
import { Holdfast } from "../../src/loop/holdfast.ts";
import type { Budget } from "../../src/model/requests/budget.ts";
import type { Recorded } from "../../src/model/events/events.ts";
import { errorText, isFault } from "../../src/model/fault.ts";
import type { RunRequest } from "../../src/model/requests/requests.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { isEnded } from "../../src/model/state/run-status.ts";
import type { World } from "../../src/model/world.ts";
import { Leases } from "../../src/runtime/leases.ts";
import { loadRun } from "../../src/runtime/load-run.ts";
import { Outside, SIGNALS, below, perform, plansOf, type Chance } from "./mailed-program.ts";
import { programOf } from "./program-of.ts";

/** Long before so many, a life has done all it can. */
const TURNS_MAX = 20_000;
const LIVES_WITH_DEATH = 12;
const LEASE_MS = 1_000;
/** In whose name what was cancelled is let go on. */
const REOPENER = "reopen";

/** Time is counted in turns of the event loop, and everything that takes time takes turns. */
class Turns {
  now = 1;
  readonly #chance: Chance;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  async some(most: number): Promise<void> {
    for (let left = below(this.#chance, most + 1); left > 0; left -= 1) await this.one();
  }

  one(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        this.now += 1;
        resolve();
      });
    });
  }

  timer(turns: number, ring: () => void): () => void {
    let isCancelled = false;
    const at = this.now + turns;
    const look = (): void => {
      this.now += 1;
      if (isCancelled) return;
      if (this.now >= at) ring();
      else setImmediate(look);
    };
    setImmediate(look);
    return () => {
      isCancelled = true;
    };
  }
}

interface LifeOrder {
  readonly disk: MemoryDisk;
  readonly turns: Turns;
  readonly chance: Chance;
  readonly number: number;
  readonly diesAfter: number;
}

function worldOf({ turns, chance, number, diesAfter }: LifeOrder): { world: World; dead: () => boolean } {
  let points = 0;
  let ids = 0;
  const dead = (): boolean => points >= diesAfter;
  const world: World = {
    self: { host: "here", pid: number, startedAt: String(number) },
    now: () => turns.now,
    chance,
    id: (prefix) => `${prefix}_${String(number)}_${String((ids += 1))}`,
    timer: (ms, ring) => turns.timer(Math.min(ms, 50), ring),
    liveness: ({ pid }) => (pid === number ? "alive" : "gone"),
    crashPoint(name) {
      if (!/^(journal\.append|loop\.once)/.test(name)) return;
      points += 1;
      if (dead()) throw new Error(`life ${String(number)} died at ${name}`);
    },
  };
  return { world, dead };
}

/** Reading and writing take some turns, in which other things happen. */
function slow(inner: Journal, turns: Turns): Journal {
  const changed: Partial<Journal> = {
    append: async (order) => {
      await turns.some(3);
      const outcome = await inner.append(order);
      await turns.some(2);
      return outcome;
    },
    inbox: async (address): Promise<InboxRow[]> => {
      const rows = await inner.inbox(address);
      await turns.some(2);
      return rows;
    },
  };
  return new Proxy(inner, {
    get: (target, name) => {
      const found: unknown = Reflect.get(changed, name) ?? Reflect.get(target, name, target);
      return typeof found === "function" ? (found.bind(target) as unknown) : found;
    },
  });
}

/** Answers what the run asks, by what happened outside; often twice, and sometimes about what nobody asked. */
class Person {
  readonly #journal: Journal;
  readonly #outside: Outside;
  readonly #turns: Turns;
  readonly #chance: Chance;
  #said = 0;
  /** What the budget must be once everything is received. */
  readonly sent: { id: string; budget: Budget }[] = [];

  constructor(order: LifeOrder, outside: Outside) {
    this.#journal = memoryJournal({ world: worldOf(order).world, disk: order.disk });
    this.#outside = outside;
    this.#turns = order.turns;
    this.#chance = order.chance;
  }

  async look(): Promise<void> {
    const state = await loadRun(this.#journal, "r");
    const workflow = programOf(state) ?? null;
    if (state === null || workflow === null || isEnded(state.status)) return;
    await this.#turns.some(3);
    const doubts = state.blocked?.reason === "in_doubt" ? workflow.doubts : [];
    for (const key of doubts) await this.#settle(key);
    if (state.blocked?.reason === "budget_exhausted" || this.#chance() < 0.1) await this.#raise(state);
    if (this.#chance() < 0.5) await this.#signal();
    if (this.#chance() < 0.01) await this.#ask({ kind: "cancel" });
    if (this.#chance() < 0.1)
      await this.#ask({ kind: "settle", key: "step:nothing", outcome: { kind: "again" } });
  }

  async #settle(key: string): Promise<void> {
    // Looked at when it is said: nobody works a step that is in doubt.
    const isDone = this.#outside.posted.includes(`r/${key}`);
    const outcome = isDone ? ({ kind: "done", value: null } as const) : ({ kind: "again" } as const);
    const times = 1 + below(this.#chance, 3);
    for (let time = 0; time < times; time += 1) {
      await this.#ask({ kind: "settle", key, outcome });
      if (this.#chance() < 0.3) await this.#turns.some(2);
    }
  }

  async #raise({ budget }: RunState): Promise<void> {
    await this.#budget({ tokens: (budget.tokens ?? 0) + 40 });
    if (this.#chance() < 0.5) await this.#budget({ usd: (budget.usd ?? 0) + 1 });
  }

  async #budget(budget: Budget): Promise<void> {
    this.sent.push({ id: await this.#ask({ kind: "budget", budget }), budget });
  }

  async #signal(): Promise<void> {
    const name = SIGNALS[below(this.#chance, SIGNALS.length)] ?? "red";
    await this.#ask({ kind: "signal", name, value: this.#said });
  }

  async #ask(request: RunRequest): Promise<string> {
    this.#said += 1;
    const id = `req_${String(this.#said)}`;
    await this.#journal.ask({ id, address: "r", request, by: "person", at: this.#turns.now });
    return id;
  }
}

type Ended = "done" | "cancelled" | "died";

/** One life of a process: until the workflow function ends or the process dies. */
async function liveOnce(
  order: LifeOrder,
  workflow: (run: Run) => Promise<unknown>,
  person: Person,
): Promise<Ended> {
  const { disk, turns } = order;
  const { world, dead } = worldOf(order);
  const journal = slow(memoryJournal({ world, disk }), turns);
  const leases = new Leases(journal, world, LEASE_MS);
  const hf = new Holdfast({
    journal,
    world,
    leases,
    leaseMs: LEASE_MS,
    limits: {},
    close: () => journal.close(),
  });
  const life: { ended: Ended | "no"; error?: unknown } = { ended: "no" };
  const failed = (error: unknown): void => {
    Object.assign(life, { ended: isFault(error, "cancelled") ? "cancelled" : "died", error });
  };
  if (order.chance() < 0.5) await hf.reopen("r").catch(() => undefined);
  hf.run("r", workflow, { budget: { tokens: 20, usd: 1 } }).then(() => (life.ended = "done"), failed);
  const until = turns.now + TURNS_MAX;
  for (; life.ended === "no" && !dead(); await turns.one()) {
    assert.ok(turns.now < until, "the body neither ends nor dies");
    if (order.chance() < 0.1) await person.look();
  }
  if (life.ended === "died" && !dead()) throw life.error;
  // Whatever the dead one had under way comes to nothing.
  await turns.some(20);
  await hf.close().catch(() => undefined);
  return life.ended === "no" ? "died" : life.ended;
}

/** What must hold of the whole journal, and of the state after each of its events. */
function assess(events: readonly Recorded[], person: Person): void {
  const open = new Set<string>();
  const ended = new Set<string>();
  const signalled = new Map<string, unknown[]>();
  let state: RunState | null = null;
  let budget: Budget = { tokens: 20, usd: 1 };
  const received = new Map(person.sent.map(({ id, budget }) => [id, budget]));
  for (const event of events) {
    const where = `event ${String(event.seq)}, ${event.type}`;
    if (event.type === "BodyStepIntended") {
      assert.ok(!open.has(event.data.key), `${where}: ${event.data.key} is begun twice`);
      open.add(event.data.key);
    }
    if (event.type === "BodyStepCleared") {
      const { key, by } = event.data;
      assert.ok(open.has(key) || by === REOPENER, `${where}: ${key} was not begun`);
      open.delete(key);
      ended.delete(key);
    }
    if (event.type === "BodyStepEnded" || event.type === "BodyChildEnded") {
      assert.ok(!ended.has(event.data.key), `${where}: ${event.data.key} has two ends`);
      ended.add(event.data.key);
    }
    if (event.type === "BodySignalled")
      signalled.set(event.data.name, [...(signalled.get(event.data.name) ?? []), event.data.value]);
    if (event.type === "BodyWaitEnded") {
      const name = SIGNALS.find((one) => signalled.get(one)?.[0] === event.data.value);
      assert.ok(name !== undefined, `${where}: ${String(event.data.value)} is taken out of turn or twice`);
      signalled.get(name)?.shift();
    }
    if (event.type === "RequestAnswered" && event.data.answer.kind === "done")
      budget = { ...budget, ...received.get(event.data.requestId) };
    state = evolve(state, event, event);
    if (isEnded(state.status) || state.stoppingTo !== null) continue;
    if ((programOf(state)?.doubts.length ?? 0) > 0)
      assert.equal(state.blocked?.reason, "in_doubt", `${where}: a doubt that nobody is told of`);
  }
  assert.ok(state?.kind === "program");
  assert.deepEqual(state.budget, budget, "a change of the budget is lost");
  assert.deepEqual(openChildren(state.program.root), [], "a child without an end");
  if (state.status === "completed") assert.deepEqual(state.program.doubts, []);
  else assert.equal(state.status, "cancelled");
}

/** Once is once: what has an end happened, and nothing happened twice that was not declared safe. */
function decideOutside(events: readonly Recorded[], { posted, mayRepeat }: Outside): void {
  const intended = new Set(
    events.flatMap(({ type, data }) => (type === "BodyStepIntended" ? [data.key] : [])),
  );
  for (const { type, data } of events)
    if (type === "BodyStepEnded" && intended.has(data.key))
      assert.ok(posted.includes(`r/${data.key}`), `${data.key} has an end and never happened`);
  const twice = posted.filter((key, index) => posted.indexOf(key) !== index && !mayRepeat.has(key));
  assert.deepEqual(twice, [], "what happened twice");
}

/** All the lives of the workflow function that a seed draws; gives how often it died. */
export async function liveThrough(seed: number): Promise<number> {
  try {
    return await live(seed);
  } catch (error) {
    throw new Error(`seed ${String(seed)}: ${errorText(error)}`, { cause: error });
  }
}

async function live(seed: number): Promise<number> {
  const chance = seededChance(seed);
  const plans = plansOf(chance, 0);
  const outside = new Outside();
  const disk = memoryDisk();
  const turns = new Turns(chance);
  const person = new Person(
    { disk, turns, chance, number: 1_000, diesAfter: Number.POSITIVE_INFINITY },
    outside,
  );
  const workflow = (run: Run): Promise<void> => perform(run, plans, outside);
  let deaths = 0;
  for (let number = 1; ; number += 1) {
    const diesAfter = number <= LIVES_WITH_DEATH ? 3 + below(chance, 25) : Number.POSITIVE_INFINITY;
    const ended = await liveOnce({ disk, turns, chance, number, diesAfter }, workflow, person);
    // A run that was cancelled may be let go on.
    if (ended === "done" || (ended === "cancelled" && chance() < 0.3)) break;
    deaths += 1;
  }
  const journal = memoryJournal({
    world: worldOf({ disk, turns, chance, number: 2_000, diesAfter: Infinity }).world,
    disk,
  });
  const events = await journal.read("r", { after: 0, limit: 1_000_000 });
  assess(events, person);
  decideOutside(events, outside);
  return deaths;
}
