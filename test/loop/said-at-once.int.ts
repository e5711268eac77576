import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InboxRow, Journal } from "../../src/journal/journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { Run, StepOptions } from "../../src/loop/workflow-function.ts";
import { Holdfast } from "../../src/loop/holdfast.ts";
import { isFault } from "../../src/model/fault.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { realWorld } from "../../src/real-world.ts";
import { Leases } from "../../src/runtime/leases.ts";
import { loadRun } from "../../src/runtime/load-run.ts";
import { never, until } from "./loop-bench.ts";
import { SideBySide } from "./side-by-side.ts";

const LEASE_MS = 10_000;

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A journal whose appends can be held for a while, so that things happen in between. */
class HeldJournal {
  readonly journal: Journal;
  /** The most rows that were seen in the inbox by one look since appends are held. */
  rowsSeen = 0;
  #held: Promise<void> | null = null;
  #release: () => void = () => undefined;

  constructor(inner: Journal) {
    const append: Journal["append"] = async (request) => {
      await this.#held;
      return inner.append(request);
    };
    const inbox = async (address: string): Promise<InboxRow[]> => {
      const rows = await inner.inbox(address);
      this.rowsSeen = Math.max(this.rowsSeen, rows.length);
      return rows;
    };
    this.journal = new Proxy(inner, {
      get: (target, name) => {
        if (name === "append") return append;
        if (name === "inbox") return inbox;
        const found: unknown = Reflect.get(target, name, target);
        return typeof found === "function" ? (found.bind(target) as unknown) : found;
      },
    });
  }

  hold(): void {
    this.rowsSeen = 0;
    this.#held = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  release(): void {
    this.#held = null;
    this.#release();
  }

  /** Lets through what is held, and holds what comes after it. */
  releaseOne(): void {
    const release = this.#release;
    this.hold();
    release();
  }
}

interface Opened {
  readonly hf: Holdfast;
  readonly held: HeldJournal;
  readonly state: () => Promise<RunState>;
}

async function withStore(work: (open: () => Promise<Opened>) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-at-once-"));
  const opened: Holdfast[] = [];
  try {
    await work(async () => {
      const world = realWorld();
      const inner = await openSqliteJournal({ file: join(folder, "agents.db"), world });
      const held = new HeldJournal(inner);
      const { journal } = held;
      const leases = new Leases(journal, world, LEASE_MS);
      const close = (): Promise<void> => inner.close();
      const hf = new Holdfast({ journal, world, leases, leaseMs: LEASE_MS, limits: {}, close });
      opened.push(hf);
      return { hf, held, state: () => stateOf(inner) };
    });
  } finally {
    for (const hf of opened) await hf.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function stateOf(journal: Journal): Promise<RunState> {
  const state = await loadRun(journal, "r");
  assert.ok(state !== null);
  return state;
}

const endsOf = async ({ held: { journal } }: Opened, key: string): Promise<number> =>
  (await journal.read("r", { after: 0, limit: 1_000 })).filter(
    (event) => event.type === "BodyStepEnded" && event.data.key === key,
  ).length;

/** What was asked is answered in the journal, in this order. */
async function answersOf({ held: { journal } }: Opened): Promise<string[]> {
  const events = await journal.read("r", { after: 0, limit: 1_000 });
  return events.flatMap((event) => (event.type === "RequestAnswered" ? [event.data.answer.kind] : []));
}

/** A workflow function whose process dies in the middle of what must happen once, at any depth. */
async function dieIn(open: () => Promise<Opened>, workflow: (run: Run) => Promise<unknown>): Promise<void> {
  const { hf, state } = await open();
  const dying = hf.run("r", workflow);
  const died = assert.rejects(dying, (error) => isFault(error, "closed"));
  await until(async () => JSON.stringify((await state().catch(() => null)) ?? "").includes(`"intended"`));
  await hf.close();
  await died;
}

const isInDoubt = async ({ state }: Opened): Promise<boolean> =>
  (await state()).blocked?.reason === "in_doubt";

const pay =
  (work: () => Promise<string> | string, inDoubt: StepOptions<string>["inDoubt"] = "ask") =>
  (run: Run): Promise<string> =>
    run.step("pay", work, { effect: "once", inDoubt });

/** A second life asked a person about what the first had begun, and is gone too: the next one. */
async function dieAsking(open: () => Promise<Opened>): Promise<Opened> {
  await dieIn(open, pay(never));
  const asking = await open();
  const asked = asking.hf.run("r", pay(never));
  await until(() => isInDoubt(asking));
  await asking.hf.close();
  await assert.rejects(asked);
  return open();
}

const beside = new SideBySide();
const { test } = beside;

test("J6 of two words about one step in doubt that come at the same moment the first is taken", () =>
  withStore(async (open) => {
    await dieIn(open, pay(never));
    const opened = await open();
    const { hf, held } = opened;
    const resumed = hf.run("r", pay(never));
    await until(() => isInDoubt(opened));
    held.hold();
    await hf.settle("r", "step:pay", { done: "receipt 7" });
    await until(() => held.rowsSeen === 1);
    await hf.settle("r", "step:pay", { done: "receipt 8" });
    await until(() => held.rowsSeen === 2);
    held.release();
    assert.equal(await resumed, "receipt 7");
    assert.deepEqual(await answersOf(opened), ["done", "refused"]);
    assert.equal(await endsOf(opened, "step:pay"), 1);
  }));

test("J6 what a person says while the program itself looks what became of a step holds for both", () =>
  withStore(async (open) => {
    const opened = await dieAsking(open);
    let find: (found: { done: string }) => void = () => undefined;
    let looks = false;
    const look = (): Promise<{ done: string }> =>
      new Promise((resolve) => {
        looks = true;
        find = resolve;
      });
    const resumed = opened.hf.run("r", pay(never, look));
    await until(() => looks);
    await opened.hf.settle("r", "step:pay", { done: "receipt 7" });
    await until(async () => (await answersOf(opened)).length === 1);
    find({ done: "receipt 8" });
    assert.equal(await resumed, "receipt 7");
    assert.equal(await endsOf(opened, "step:pay"), 1);
  }));

test("J6 what the program itself finds out of a step that a person was asked about ends the block", () =>
  withStore(async (open) => {
    const opened = await dieAsking(open);
    let again: (done: string) => void = () => undefined;
    let calls = 0;
    const work = (): Promise<string> =>
      new Promise((resolve) => {
        calls += 1;
        again = resolve;
      });
    const resumed = opened.hf.run("r", pay(work, "retry"));
    await until(() => calls === 1);
    assert.equal((await opened.state()).status, "running", "it is being done again");
    await assert.rejects(opened.hf.settle("r", "step:pay", { done: "receipt 7" }), /no step/);
    assert.deepEqual(await answersOf(opened), ["refused"]);
    again("receipt 8");
    assert.equal(await resumed, "receipt 8");
    assert.equal(await endsOf(opened, "step:pay"), 1);
  }));

test("J6 nobody is asked any more about a step whose child was ended with its sibling", () =>
  withStore(async (open) => {
    let fail: (error: Error) => void = () => undefined;
    const workflow = async (run: Run): Promise<unknown> => {
      const group = run.spawnAll([
        { name: "payer", child: pay(never), input: null },
        {
          name: "other",
          child: () =>
            new Promise((_, reject) => {
              fail = reject;
            }),
          input: null,
        },
      ]);
      await group.catch(() => undefined);
      return run.waitFor<string>("go");
    };
    await dieIn(open, workflow);
    const opened = await open();
    const resumed = opened.hf.run("r", workflow);
    await until(() => isInDoubt(opened));
    fail(new Error("the sibling fails"));
    await until(async () => (await opened.state()).status === "running");
    await assert.rejects(opened.hf.settle("r", "spawn:payer/step:pay", "again"), /no step/);
    await opened.hf.signal("r", "go", "yes");
    assert.deepEqual(await resumed, { value: "yes" });
    assert.deepEqual(await answersOf(opened), ["refused", "done"]);
  }));

test("J6 a doubt and a spent budget at the same moment are both seen, one after the other", () =>
  withStore(async (open) => {
    const workflow =
      (worker: (run: Run) => Promise<string>) =>
      (run: Run): Promise<unknown> =>
        run.spawnAll({ payer: [pay(never), null], worker: [worker, null] });
    await dieIn(open, workflow(never));
    const opened = await open();
    const { hf } = opened;
    await hf.setBudget("r", { tokens: 10 });
    const resumed = hf.run(
      "r",
      workflow((run) => {
        run.budget.spend({ tokens: 20 });
        return run.step("work", () => "worked");
      }),
    );
    await until(() => isInDoubt(opened));
    await hf.settle("r", "spawn:payer/step:pay", { done: "receipt 7" });
    await until(async () => (await opened.state()).blocked?.reason === "budget_exhausted");
    await hf.setBudget("r", { tokens: 100 });
    assert.deepEqual(await resumed, { payer: "receipt 7", worker: "worked" });
  }));

test("J8 two changes of a budget at the same moment both hold", () =>
  withStore(async (open) => {
    const opened = await open();
    const { hf, held, state } = opened;
    const running = hf.run("r", (run) => run.waitFor<string>("go"), { budget: { tokens: 10, usd: 1 } });
    await until(async () => JSON.stringify((await state().catch(() => null)) ?? "").includes(`"waiting"`));
    held.hold();
    await hf.setBudget("r", { tokens: 20 });
    await until(() => held.rowsSeen === 1);
    await hf.setBudget("r", { usd: 2 });
    await until(() => held.rowsSeen === 2);
    held.release();
    await until(async () => (await answersOf(opened)).length === 2);
    assert.deepEqual((await state()).budget, { tokens: 20, usd: 2 });
    await hf.signal("r", "go", "yes");
    await running;
  }));

test("J5 signals that are there already are taken by one wait each", () =>
  withStore(async (open) => {
    const opened = await open();
    const { hf } = opened;
    let go: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => {
      go = resolve;
    });
    const wait = (run: Run): Promise<unknown> => run.waitFor<number>("item");
    const running = hf.run("r", async (run) => {
      await run.step("ready", () => ready);
      return run.spawnAll({ a: [wait, null], b: [wait, null], c: [wait, null] });
    });
    for (const item of [1, 2, 3]) await hf.signal("r", "item", item);
    await until(async () => (await answersOf(opened)).length === 3);
    go();
    assert.deepEqual(await running, { a: { value: 1 }, b: { value: 2 }, c: { value: 3 } });
  }));

test("J5 a child that comes to its end while its run is cancelled keeps that end", () =>
  withStore(async (open) => {
    const opened = await open();
    const { hf, held, state } = opened;
    let runs = 0;
    let finish: () => void = () => undefined;
    const quick = async (): Promise<string> => {
      runs += 1;
      if (runs === 1)
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
      return "done";
    };
    const workflow = (run: Run): Promise<unknown> =>
      run.spawnAll({ quick: [quick, null], waiting: [(child: Run) => child.waitFor("go"), null] });
    const cancelled = assert.rejects(hf.run("r", workflow), (error) => isFault(error, "cancelled"));
    await until(async () => JSON.stringify((await state().catch(() => null)) ?? "").includes(`"waiting"`));
    held.hold();
    await hf.cancel("r");
    await until(() => held.rowsSeen === 1);
    finish();
    await turns();
    held.releaseOne();
    // By now the workflow function is told, and the end of its child is on its way to the journal.
    await until(async () => (await state()).stoppingTo === "cancelled");
    await turns();
    held.release();
    await cancelled;
    await hf.reopen("r");
    await hf.signal("r", "go", "yes");
    assert.deepEqual(await hf.run("r", workflow), { quick: "done", waiting: { value: "yes" } });
    assert.equal(runs, 1, "a settled child ran again");
  }));

beside.play("what is said at once");
