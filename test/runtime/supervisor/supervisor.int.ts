import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryDisk } from "../../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { realWorld } from "../../../src/real-world.ts";
import { createRun } from "../../../src/runtime/create-run.ts";
import { bench, step } from "../worked-run.ts";

const ok = () => "fine";

test("J4 a run of steps in a DAG completes, each step after those it needs", async () => {
  const order: string[] = [];
  const b = bench({ log: ({ step: name }) => order.push(name) });
  const state = await b.work([step("c", "log", ["a", "b"]), step("a", "log"), step("b", "log", ["a"])]);
  assert.equal(state.status, "completed");
  assert.deepEqual(order, ["a", "b", "c"]);
  assert.deepEqual(state.result, { c: 3 });
  await b.close();
});

test("G13 every agent finds in its environment which attempt it is, so that what it asks is distinguished from what people ask", async () => {
  const b = bench({ ok });
  const driver = b.ports.drivers.get("function");
  assert.ok(driver !== undefined);
  const start = driver.start.bind(driver);
  const found: unknown[] = [];
  driver.start = (order) => {
    found.push(order.spec.env?.["HOLDFAST_ATTEMPT"]);
    return start(order);
  };
  await b.work([step("a", "ok"), step("b", "ok", ["a"])]);
  assert.deepEqual(found, ["a#1", "b#1"]);
  await b.close();
});

test("G8 a failing step is tried again with a backoff and blocks as retries_exhausted at its cap", async () => {
  const tries: number[] = [];
  const b = bench({
    bad: ({ number }) => {
      tries.push(number);
      throw new Error(["no luck", "no time", "no idea"][number - 1]);
    },
  });
  const state = await b.work([step("a", "bad")]);
  assert.equal(state.status, "blocked");
  assert.equal(state.blocked?.reason, "retries_exhausted");
  assert.deepEqual(tries, [1, 2, 3]);
  await b.close();
});

test("G8 the same failure twice stops a step before its cap", async () => {
  const tries: number[] = [];
  const b = bench({
    bad: ({ number }) => {
      tries.push(number);
      throw new Error(`no luck on line ${String(number * 7)}`);
    },
  });
  const state = await b.work([step("a", "bad")]);
  assert.equal(state.blocked?.reason, "retries_exhausted");
  assert.deepEqual(tries, [1, 2]);
  await b.close();
});

test("G8 a terminal failure is never tried again", async () => {
  let tries = 0;
  const b = bench({
    bad: () => {
      tries += 1;
      throw Object.assign(new Error("bad credentials"), { terminal: true });
    },
  });
  const state = await b.work([step("a", "bad")]);
  assert.equal(state.status, "failed");
  assert.equal(tries, 1);
  await b.close();
});

test("G3 a step whose agent cannot be started blocks as dispatch_error and costs no attempt", async () => {
  const b = bench({ ok });
  const held = await b.create([step("a", "ok")]);
  const other = bench({}, { journal: b.ports.journal });
  await other.supervisor({ only: held.run, held }).work();
  const state = await b.state(held.run);
  assert.equal(state.blocked?.reason, "dispatch_error");
  assert.equal(state.steps["a"]?.charged, 0);
  const asked = await b.requests.ask(held.run, { kind: "retry" }, { by: "test", waitMs: 1_000 });
  assert.ok(asked.kind === "answered" && asked.workFollows);
  await b.supervisor({ only: held.run }).work();
  assert.equal((await b.state(held.run)).status, "completed");
  await other.close();
});

test("G2 a pause ends the live session without charge, and resume starts it again", async () => {
  let entered = 0;
  const b = bench({
    waits: async ({ signal }) => {
      entered += 1;
      if (entered > 1) return "done";
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
      throw new Error("aborted");
    },
  });
  const held = await b.create([step("a", "waits")]);
  const working = b.supervisor({ only: held.run, held }).work();
  while (entered === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const paused = await b.requests.ask(held.run, { kind: "pause" }, { by: "test", waitMs: 5_000 });
  assert.equal(paused.kind, "answered");
  await working;
  const state = await b.state(held.run);
  assert.equal(state.status, "paused");
  assert.equal(state.stop, "operator");
  assert.equal(state.steps["a"]?.charged, 0);
  await b.requests.ask(held.run, { kind: "resume" }, { by: "test", waitMs: 1_000 });
  await b.supervisor({ only: held.run }).work();
  assert.equal((await b.state(held.run)).status, "completed");
  await b.close();
});

test("G2 a request that is not valid in the run's state is refused and names where it is", async () => {
  const b = bench({ ok });
  const state = await b.work([step("a", "ok")]);
  const asked = await b.requests.ask(state.run, { kind: "resume" }, { by: "test", waitMs: 1_000 });
  assert.ok(asked.kind === "answered" && asked.answer.kind === "refused");
  assert.deepEqual(asked.answer.allowedIn, ["paused"]);
  await b.close();
});

test("J4 a run whose supervisor is gone is taken over at once, its session entered again at no charge", async () => {
  const disk = memoryDisk();
  const world = realWorld();
  const hangs = bench(
    { work: () => new Promise(() => undefined) },
    {
      journal: memoryJournal({ world, disk }),
      world: { ...world, self: { ...world.self, startedAt: `${world.self.startedAt}0` } },
    },
  );
  const held = await hangs.create([step("a", "work")]);
  const abandoned = hangs.supervisor({ only: held.run, held });
  void abandoned.work();
  while ((await hangs.state(held.run)).attempts["a#1"]?.started !== true)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const next = bench({ work: ok }, { journal: memoryJournal({ world, disk }) });
  await next.supervisor({ only: held.run }).work();
  const state = await next.state(held.run);
  assert.equal(state.status, "completed");
  assert.equal(state.steps["a"]?.charged, 0);
  const events = await next.events(held.run);
  assert.ok(events.some((event) => event.type === "RunClaimed" && event.data.from === "gone"));
  abandoned.stop();
  await next.close();
});

test("J1 an owner that was taken over is fenced: what it still wants to write is refused", async () => {
  const disk = memoryDisk();
  const world = realWorld();
  let release = (): void => undefined;
  const old = bench(
    {
      work: () =>
        new Promise((resolve) => {
          release = () => {
            resolve("too late");
          };
        }),
    },
    {
      journal: memoryJournal({ world, disk }),
      world: { ...world, self: { ...world.self, startedAt: `${world.self.startedAt}0` } },
    },
  );
  const held = await old.create([step("a", "work")]);
  const working = old.supervisor({ only: held.run, held });
  const end = working.work();
  while ((await old.state(held.run)).attempts["a#1"]?.started !== true)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const next = bench({ work: () => "in time" }, { journal: memoryJournal({ world, disk }) });
  await next.supervisor({ only: held.run }).work();
  const before = (await next.events(held.run)).length;
  release();
  await new Promise((resolve) => setTimeout(resolve, 50));
  working.stop();
  await end;
  const state = await next.state(held.run);
  assert.equal(state.result, "in time");
  assert.equal((await next.events(held.run)).length, before);
  await next.close();
});

test("G2 a shutdown that stops agents leaves the run to be woken by the next supervisor", async () => {
  const disk = memoryDisk();
  const world = realWorld();
  let entered = 0;
  const functions = {
    work: async ({ signal }: { signal: AbortSignal }) => {
      entered += 1;
      if (entered > 1) return "done";
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
      throw new Error("aborted");
    },
  };
  const b = bench(functions, { journal: memoryJournal({ world, disk }) });
  const { run, epoch } = await b.create([step("a", "work")]);
  await b.leases.release(run, epoch);
  const first = b.supervisor();
  const working = first.work();
  while (entered === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  first.stop(true);
  await working;
  assert.equal((await b.state(run)).stop, "shutdown");
  const second = b.supervisor({ idleExitMs: 30 });
  await second.work();
  const state = await b.state(run);
  assert.equal(state.status, "completed");
  assert.equal(state.steps["a"]?.charged, 0);
  await b.close();
});

test("A5 an attempt beyond its time limit is ended and charged", async () => {
  const b = bench({
    slow: ({ signal }) =>
      new Promise((_, reject) =>
        signal.addEventListener("abort", () => {
          reject(new Error("stopped"));
        }),
      ),
  });
  const state = await b.work([step("a", "slow", [], { limitMs: 30, attemptsMax: 1 })], {
    backoff: { baseMs: 1 },
    startup: { termGraceMs: 50 },
  });
  assert.equal(state.blocked?.reason, "timeout");
  assert.match(state.blocked.detail, /time limit/);
  await b.close();
});

test("G2 a supervisor that ends pauses the run of an agent inside its process as supervisor_restart, and the next resumes it uncharged", async () => {
  const disk = memoryDisk();
  const world = realWorld();
  let reported = false;
  const polite = ({ signal }: { signal: AbortSignal }): Promise<never> =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        reported = true;
        reject(new Error("told to end"));
      });
    });
  const first = bench({ work: polite }, { journal: memoryJournal({ world, disk }), world });
  const held = await first.create([step("a", "work")]);
  const ending = first.supervisor({ only: held.run, held });
  const end = ending.work();
  while ((await first.state(held.run)).attempts["a#1"]?.started !== true)
    await new Promise((resolve) => setTimeout(resolve, 5));
  ending.stop();
  await end;
  const paused = await first.state(held.run);
  assert.deepEqual([paused.status, paused.stop, reported], ["paused", "supervisor_restart", true]);
  const next = bench({ work: ok }, { journal: memoryJournal({ world, disk }) });
  await next.supervisor({ only: held.run }).work();
  const state = await next.state(held.run);
  assert.deepEqual([state.status, state.steps["a"]?.charged], ["completed", 0]);
  await first.close();
  await next.close();
});

test("J1 a run whose settings do not fit is refused by name before anything is recorded", async () => {
  const b = bench({ ok: () => "done" });
  const settings = runSettingsSchema.parse({});
  const refused = createRun(b.ports, b.leases, {
    id: "unfit",
    goal: "g",
    flow: { name: "one", steps: [step("work", "ok")], phases: [] },
    agents: { ok: { use: "function", export: "ok" } },
    settings: { ...settings, backoff: { ...settings.backoff, baseMs: -1 } },
    budget: {},
    cwd: "/",
    by: "test",
  });
  await assert.rejects(refused, /settings\.backoff\.baseMs: .*holdfast config schema/s);
  assert.equal(await b.ports.journal.head("unfit"), null);
  await b.close();
});
