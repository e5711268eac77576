import assert from "node:assert/strict";
import { test } from "node:test";
import { seededChance } from "../../sim/world/seeded-chance.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { memoryDisk, type MemoryDisk } from "../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../src/journal/memory/memory-journal.ts";
import type { Run } from "../../src/loop/workflow-function.ts";
import { programRun } from "../../src/loop/life/owned-run.ts";
import { ProgramLife } from "../../src/loop/life/program-life.ts";
import { Holdfast } from "../../src/loop/holdfast.ts";
import { Scope } from "../../src/loop/scope/scope.ts";
import { ErrorClasses } from "../../src/loop/scope/step-error.ts";
import { treeLimits } from "../../src/loop/life/tree-limits.ts";
import type { World } from "../../src/model/world.ts";
import { evolve } from "../../src/fold/evolve.ts";
import { FOLD_VERSION } from "../../src/fold/fold-version.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { Leases } from "../../src/runtime/leases.ts";
import { openRun } from "../../src/runtime/load-run.ts";

const SEEDS = 60;
const LARGE_CHARS = 1_024;

/** What a workflow function does, drawn from a seed: a tree of calls. */
type Plan =
  | { readonly kind: "step"; readonly value: unknown }
  | { readonly kind: "draw" }
  | { readonly kind: "together"; readonly plans: readonly Plan[] }
  | { readonly kind: "child"; readonly plans: readonly Plan[] }
  | { readonly kind: "loop"; readonly edits: readonly Edit[]; readonly plans: readonly Plan[] };
type Edit = "append" | "middle" | "shrink" | "nested" | "replace" | "nothing";
const EDITS: readonly Edit[] = ["append", "append", "middle", "shrink", "nested", "replace", "nothing"];

function drawnValue(chance: () => number): unknown {
  const kind = Math.floor(chance() * 5);
  if (kind === 0) return "large ".repeat(200 + Math.floor(chance() * 400));
  if (kind === 1) return { deep: [{ text: "same large text ".repeat(100) }, chance()] };
  return [undefined, null, Math.floor(chance() * 100)][kind - 2];
}

function drawnPlans(chance: () => number, depth: number): Plan[] {
  return Array.from({ length: 1 + Math.floor(chance() * 4) }, (): Plan => {
    const kind = Math.floor(chance() * (depth >= 2 ? 2 : 5));
    if (kind === 0) return { kind: "step", value: drawnValue(chance) };
    if (kind === 1) return { kind: "draw" };
    const plans = drawnPlans(chance, depth + 1);
    if (kind === 2) return { kind: "together", plans };
    if (kind === 3) return { kind: "child", plans };
    const edits = Array.from(
      { length: 1 + Math.floor(chance() * 4) },
      () => EDITS[Math.floor(chance() * EDITS.length)] ?? "append",
    );
    return { kind: "loop", edits, plans };
  });
}

interface LoopState {
  readonly list: readonly unknown[];
  readonly more: { readonly [name: string]: unknown };
}

function edited({ list, more }: LoopState, edit: Edit, fresh: unknown): LoopState {
  switch (edit) {
    case "append":
      return { list: [...list, fresh], more };
    case "middle":
      return { list: list.map((one, n) => (n === list.length >> 1 ? fresh : one)), more };
    case "shrink":
      return { list: list.slice(1), more };
    case "nested":
      return { list, more: { ...more, inner: [more["inner"] ?? null, fresh], ["__proto__"]: fresh } };
    case "replace":
      return { list: [], more: { text: "z".repeat(2_000) } };
    case "nothing":
      return { list, more };
  }
}

/** Carries out plans; the outcome does not depend on how often it was interrupted. */
async function perform(run: Run, plans: readonly Plan[], place: string): Promise<unknown[]> {
  const outcomes: unknown[] = [];
  for (const [n, plan] of plans.entries())
    outcomes.push(await performOne(run, plan, `${place}.${String(n)}`));
  return outcomes;
}

async function performOne(run: Run, plan: Plan, name: string): Promise<unknown> {
  switch (plan.kind) {
    case "step":
      return (await run.step(name, () => plan.value)) ?? null;
    case "draw": {
      // What was drawn before something was committed is drawn the same ever after.
      const drawn = [run.random(), run.now(), run.id()];
      const kept = await run.step(name, () => drawn);
      assert.deepEqual(drawn, kept, name);
      return typeof drawn[0];
    }
    case "together":
      return Promise.all(plan.plans.map((inner, n) => performOne(run, inner, `${name}|${String(n)}`)));
    case "child":
      return run.spawn(name, (child) => perform(child, plan.plans, name), null);
    case "loop":
      return run.loop<LoopState>(name, { list: [], more: {} }, async (state, i, it) => {
        const fresh = (await perform(it, plan.plans, name)).at(-1) ?? i;
        return { state: edited(state, plan.edits[i] ?? "nothing", fresh), done: i === plan.edits.length - 1 };
      });
  }
}

/** One life of a process on a disk; it dies when so many durable boundaries were passed. */
function life(
  disk: MemoryDisk,
  number: number,
  diesAfter: number,
): { world: World; journal: Journal; dead: () => boolean } {
  let points = 0;
  let ids = 0;
  const dead = (): boolean => points >= diesAfter;
  const world: World = {
    self: { host: "here", pid: number, startedAt: String(number) },
    now: () => 1_000 * number + points,
    chance: () => (number * 7_919 + (ids += 1)) / 1e9,
    id: (prefix) => `${prefix}_${String(number)}_${String((ids += 1))}`,
    timer: () => () => undefined,
    liveness: ({ pid }) => (pid === number ? "alive" : "gone"),
    crashPoint(name) {
      if (!/^journal\.(append|blobs|snapshot)/.test(name)) return;
      points += 1;
      if (dead()) throw new Error(`life ${String(number)} died at ${name}`);
    },
  };
  return { world, journal: memoryJournal({ world, disk, largeChars: LARGE_CHARS }), dead };
}

async function liveOnce(
  disk: MemoryDisk,
  number: number,
  diesAfter: number,
  workflow: (run: Run) => Promise<unknown>,
) {
  const { world, journal, dead } = life(disk, number, diesAfter);
  const leases = new Leases(journal, world, 1_000);
  const hf = new Holdfast({
    journal,
    world,
    leases,
    leaseMs: 1_000,
    limits: {},
    close: () => journal.close(),
  });
  try {
    return { done: true, result: await hf.run("r", workflow) };
  } catch (error) {
    assert.ok(dead(), error as Error);
    return { done: false, result: undefined };
  }
}

test("J5 random workflow functions that die at random commits end with the result of an undisturbed one", async () => {
  let deaths = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const chance = seededChance(seed);
    const plans = drawnPlans(chance, 0);
    const workflow = (run: Run): Promise<unknown[]> => perform(run, plans, "p");
    const calm = await liveOnce(memoryDisk(), 1, Number.POSITIVE_INFINITY, workflow);
    const disk = memoryDisk();
    for (let number = 1; ; number += 1) {
      assert.ok(number < 500, `seed ${String(seed)} does not come to an end`);
      const ended = await liveOnce(disk, number, 4 + Math.floor(chance() * 12), workflow);
      if (!ended.done) deaths += 1;
      else {
        assert.deepEqual(ended.result, calm.result, `seed ${String(seed)}`);
        break;
      }
    }
    const check = life(disk, 1_000, Number.POSITIVE_INFINITY);
    assert.deepEqual(await check.journal.verify(), [], `seed ${String(seed)}`);
  }
  assert.ok(deaths > SEEDS, String(deaths));
});

test("J5 what the journal of a random workflow function folds to is what its life holds, with and without a snapshot", async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const plans = drawnPlans(seededChance(seed), 0);
    const { world, journal } = life(memoryDisk(), 1, Number.POSITIVE_INFINITY);
    await journal.claim("r", { id: "own_1", process: world.self });
    const created = {
      type: "BodyCreated",
      data: { body: null, input: null, budget: {}, by: "test" },
    } as const;
    const started = [created, { type: "RunStarted", data: {} } as const];
    const listing = { status: "running", goal: "", wakeAt: null } as const;
    await journal.append({ run: "r", expected: 0, epoch: 1, at: 1, events: started, listing });
    const loaded = await openRun(journal, "r");
    assert.ok(loaded !== null);
    const alive = new ProgramLife(
      { journal, world },
      {
        ...loaded,
        state: programRun(loaded.state),
        epoch: 1,
        limits: treeLimits(),
        errors: new ErrorClasses(),
      },
    );
    const half = Math.floor(plans.length / 2);
    await new Scope(alive.outermost, 0).enter(async (run) => {
      await perform(run, plans.slice(0, half), "p");
      // In the middle, as an owner would: what comes after is folded onto it.
      const head = await journal.head("r");
      const state = JSON.stringify(alive.state);
      assert.equal(head?.seq, alive.state.seq);
      await journal.saveSnapshot("r", { seq: head.seq, hash: head.hash, fold: FOLD_VERSION, state });
      await perform(run, plans.slice(half), "q");
    });
    const text = JSON.stringify(alive.state);
    assert.equal(JSON.stringify((await openRun(journal, "r"))?.state), text, `seed ${String(seed)}`);
    let folded: RunState | null = null;
    for (const event of await journal.read("r", { after: 0, limit: 1e6, leaveApart: true }))
      folded = evolve(folded, event, event);
    assert.equal(JSON.stringify(folded), text, `seed ${String(seed)}, without a snapshot`);
  }
});
