import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../../src/loop/workflow-function.ts";
import { budgetView } from "../../src/decide/budget/program-budget.ts";
import { isFault } from "../../src/model/fault.ts";
import { never, until, usage, withStore, type LoopBench } from "./loop-bench.ts";
import { programOf } from "./program-of.ts";

const codeOf = (error: unknown): string | undefined => (error as { code?: string }).code;
const isBlocked = async ({ read }: LoopBench, run: string): Promise<boolean> =>
  (await read(run).catch(() => null))?.state.blocked?.reason === "budget_exhausted";

/** Spends a hundred tokens a step. */
const worker = async (run: Run, steps: number): Promise<number> => {
  for (let n = 0; n < steps; n += 1)
    await run.step(`s${String(n)}`, () => {
      run.budget.spend({ tokens: 100, usd: 0.01 });
    });
  return steps;
};

test("J8 a child's budget is reserved, spent by the child and its children, and what is left goes back", () =>
  withStore(async ({ open, read }) => {
    const seen: Record<string, unknown> = {};
    const child = async (run: Run) => {
      await worker(run, 2);
      await run.spawn("grandchild", worker, 1);
      seen["child"] = [run.budget.total.tokens, run.budget.spent.tokens, run.budget.free.tokens];
      return "done";
    };
    const workflow = async (run: Run) => {
      const working = run.spawn("child", child, null, { budget: { tokens: 500 } });
      seen["while"] = [run.budget.free.tokens, run.budget.reserved.tokens, run.budget.spent.tokens];
      await working;
      seen["after"] = [run.budget.free.tokens, run.budget.reserved.tokens, run.budget.spent.tokens];
      return run.budget.spent;
    };
    const spent = await (await open()).run("r", workflow, { budget: { tokens: 1_000, usd: 1 } });
    assert.deepEqual(seen, { child: [500, 300, 200], while: [500, 500, 0], after: [700, 0, 300] });
    assert.deepEqual(spent, { tokens: 300, usd: 0.03, iterations: 0, timeMs: 0 });
    const { state, events } = await read("r");
    assert.deepEqual(
      budgetView(programOf(state)?.budgets ?? {}, []).spent,
      spent,
      "folded is what was lived",
    );
    assert.deepEqual(
      events.flatMap(({ type, data }) => (type === "BodySpawned" ? [data.budget ?? null] : [])),
      [{ tokens: 500 }, null],
    );
  }));

test("J8 a child that used up its own budget fails with budget_exhausted, its last step kept, and is not restarted", () =>
  withStore(async ({ open, read }) => {
    const workflow = async (run: Run) => {
      const code = await run
        .spawn("child", worker, 9, { budget: { tokens: 250 }, restarts: 5 })
        .catch((error: unknown) => codeOf(error));
      await run.step("go on", () => 1);
      return { code, free: run.budget.free.tokens };
    };
    assert.deepEqual(await (await open()).run("r", workflow, { budget: { tokens: 1_000 } }), {
      code: "budget_exhausted",
      free: 700,
    });
    const { events } = await read("r");
    const steps = events.filter(
      (event) => event.type === "BodyStepEnded" && event.data.key.startsWith("spawn:"),
    );
    assert.equal(steps.length, 3);
    assert.equal(events.filter((event) => event.type === "BodySpawned").length, 1);
  }));

test("J8 a reservation that the parent does not have is refused at once, as a recorded answer", () =>
  withStore(async ({ open }) => {
    let asked = 0;
    let hang = true;
    const workflow = async (run: Run) => {
      const first = run.spawn("a", () => (hang ? never<number>() : 1), null, { budget: { tokens: 800 } });
      const refused = await run
        .spawn("b", () => 1, null, { budget: { tokens: 300 } })
        .catch((error: unknown) => error);
      await run.step("noted", () => (asked += 1));
      if (hang) await never();
      await first;
      return [codeOf(refused), (refused as Error).message];
    };
    const hf = await open();
    const pending = hf.run("r", workflow, { budget: { tokens: 1_000 } });
    await until(() => asked === 1);
    await hf.setBudget("r", { tokens: 9_000 });
    await hf.close();
    await assert.rejects(pending);
    hang = false;
    assert.deepEqual(await (await open()).run("r", workflow), [
      "budget_exhausted",
      'the child "b" asks for 300 tokens, but 200 are free here; ask for less, wait until another child gives back, or raise the budget',
    ]);
    assert.equal(asked, 1);
  }));

test("J8 restarts of a child keep drawing on the same reservation, and a crash changes nothing of it", () =>
  withStore(async ({ open, read }) => {
    let tries = 0;
    let hang = true;
    const weak = async (run: Run) => {
      tries += 1;
      await run.step("s", () => {
        run.budget.spend({ tokens: 100 });
      });
      if (tries === 2 && hang) await never();
      if (tries < 4) throw new Error("again");
      return run.budget.free.tokens;
    };
    const workflow = async (run: Run) => [
      await run.spawn("weak", weak, null, { restarts: 9, budget: { tokens: 500 } }),
      run.budget.free.tokens,
    ];
    const hf = await open();
    const pending = hf.run("r", workflow, { budget: { tokens: 1_000 } });
    await until(
      async () =>
        tries === 2 && programOf((await read("r")).state)?.budgets["spawn:weak"]?.spent.tokens === 200,
    );
    await hf.close();
    await assert.rejects(pending);
    hang = false;
    // The second attempt is answered from the journal; the third spends again.
    assert.deepEqual(await (await open()).run("r", workflow), [200, 700]);
  }));

test("J8 what the workflow function says it spent is charged once, however often the workflow function says it", () =>
  withStore(async ({ open, read }) => {
    let reached = false;
    let hang = true;
    const workflow = async (run: Run) => {
      await run.step("a", () => 1);
      run.budget.spend({ tokens: 10 });
      await run.step("b", () => {
        run.budget.spend({ tokens: 1 });
      });
      run.budget.spend({ tokens: 10 });
      await run.step("c", () => 1);
      reached = true;
      if (hang) await never();
      run.budget.spend({ tokens: 10 });
      return run.budget.spent.tokens;
    };
    const hf = await open();
    const pending = hf.run("r", workflow);
    await until(() => reached);
    await hf.close();
    await assert.rejects(pending);
    hang = false;
    assert.equal(await (await open()).run("r", workflow), 31);
    assert.equal(programOf((await read("r")).state)?.budgets[""]?.spent.tokens, 31);
  }));

test("J8 what is spent and not yet committed counts before the next step", () =>
  withStore(async (bench) => {
    let second = false;
    const workflow = async (run: Run) => {
      await run.step("a", () => 1);
      run.budget.spend({ usd: 2 });
      await run.step("b", () => (second = true));
      return "done";
    };
    const hf = await bench.open();
    const pending = hf.run("r", workflow, { budget: { usd: 2 } });
    await until(async () => isBlocked(bench, "r"));
    assert.equal(second, false);
    assert.match((await bench.read("r")).state.blocked?.detail ?? "", /usd is spent: 2 of 2/);
    await hf.setBudget("r", { usd: 3 });
    assert.equal(await pending, "done");
    assert.deepEqual((await bench.read("r")).state.budget, { usd: 3 });
  }));

test("J8 a run blocked by its budget is raised while no process works it, and other kinds keep their limit", () =>
  withStore(async (bench) => {
    const workflow = (run: Run) => worker(run, 3);
    const hf = await bench.open();
    const pending = hf.run("r", workflow, { budget: { tokens: 200, usd: 5 } });
    await until(async () => isBlocked(bench, "r"));
    await hf.close();
    await assert.rejects(pending);
    const other = await bench.open();
    await other.setBudget("r", { tokens: 400 });
    assert.equal(await other.run("r", workflow), 3);
    assert.deepEqual((await bench.read("r")).state.budget, { tokens: 400, usd: 5 });
  }));

test("J8 a run whose whole budget is reserved waits for what its children give back", () =>
  withStore(async (bench) => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const workflow = async (run: Run) => {
      const child = run.spawn("child", (inner: Run) => inner.step("s", () => gate.then(() => 1)), null, {
        budget: { tokens: 100 },
      });
      return Promise.all([child, run.step("own", () => "own")]);
    };
    const pending = (await bench.open()).run("r", workflow, { budget: { tokens: 100 } });
    await until(async () => isBlocked(bench, "r"));
    assert.match((await bench.read("r")).state.blocked?.detail ?? "", /100 more are reserved by children/);
    release();
    assert.deepEqual((await pending)[1], "own");
    assert.equal((await bench.read("r")).state.status, "completed");
  }));

test("J8 iterations are counted by commits, and stop the next iteration and nothing else", () =>
  withStore(async (bench) => {
    const loop = (run: Run, turns: number) =>
      run.loop("l", 0, async (n, i, it) => ({
        state: await it.step("s", () => n + 1),
        done: i === turns - 1,
      }));
    const workflow = async (run: Run) => {
      const code = await run
        .spawn("short", loop, 5, { budget: { iterations: 2 } })
        .catch((error: unknown) => codeOf(error));
      await loop(run, 1);
      return [code, await run.step("end", () => run.budget.free.iterations)];
    };
    assert.deepEqual(await (await bench.open()).run("r", workflow, { budget: { iterations: 3 } }), [
      "budget_exhausted",
      0,
    ]);
  }));

test("J8 G10 time is what is worked: waiting for a signal does not consume it, a step does", () =>
  withStore(async ({ open }) => {
    const hf = await open();
    let waiting = false;
    const workflow = async (run: Run) => {
      await run.step("quick", () => 1);
      const before = run.budget.spent.timeMs ?? 0;
      waiting = true;
      await run.waitFor("go");
      const waited = (run.budget.spent.timeMs ?? 0) - before;
      await run.step("slow", () => new Promise((resolve) => setTimeout(resolve, 60)));
      return { waited, worked: (run.budget.spent.timeMs ?? 0) - before };
    };
    const begun = Date.now();
    const pending = hf.run("r", workflow, { budget: { timeMs: 600_000 } });
    await until(() => waiting);
    await until(() => Date.now() - begun > 400);
    await hf.signal("r", "go", null);
    const { waited, worked } = await pending;
    assert.ok(worked >= 55, `a step of 60 ms cost ${String(worked)}`);
    assert.ok(waited < Date.now() - begun - 60, `waiting cost ${String(waited)} ms`);
  }));

test("J8 time that a child has of its own is not paid by its parent as well", () =>
  withStore(async ({ open }) => {
    const workflow = async (run: Run) => {
      const slow = (inner: Run) => inner.step("s", () => new Promise((resolve) => setTimeout(resolve, 100)));
      const options = { budget: { timeMs: 30 } };
      const after = async (inner: Run) => {
        await slow(inner);
        await inner.step("more", () => 1);
      };
      const code = await run.spawn("slow", after, null, options).catch((error: unknown) => codeOf(error));
      return { code, spent: run.budget.spent.timeMs ?? 0, total: run.budget.total.timeMs };
    };
    const { code, spent, total } = await (await open()).run("r", workflow, { budget: { timeMs: 100_000 } });
    assert.equal(code, "budget_exhausted");
    assert.equal(total, 100_000);
    assert.ok(spent >= 99, `the child's ${String(spent)} ms are spent by the run once it is settled`);
  }));

test("P4 a budget that is negative, no number or of an unknown kind is a clear error", () =>
  withStore(async ({ open }) => {
    const hf = await open();
    const run = (budget: object) => hf.run("r", () => 1, { budget });
    await assert.rejects(
      run({ tokens: -1 }),
      usage(/the budget of r has tokens: -1; expected a whole number above 0/),
    );
    await assert.rejects(run({ usd: Number.NaN }), usage(/usd: NaN; expected a number above 0/));
    await assert.rejects(
      run({ token: 1 }),
      usage(/no kind "token"; kinds are usd, tokens, iterations, timeMs/),
    );
    await assert.rejects(run({ iterations: 1.5 }), usage(/iterations: 1.5; expected a whole number/));
    await assert.rejects(
      hf.run("c", (one) => one.spawn("x", () => 1, null, { budget: { tokens: 0 } })),
      usage(/the budget of "x" has tokens: 0/),
    );
    const spend = (spending: object) => hf.run("s", (one) => one.budget.spend(spending));
    await assert.rejects(spend({ tokens: -5 }), usage(/tokens: -5; expected a number of 0 or more/));
    await assert.rejects(spend({ usd: Infinity }), usage(/usd: Infinity/));
    await assert.rejects(spend({ iterations: 1 }), usage(/no kind "iterations"; kinds are tokens, usd/));
    await assert.rejects(hf.setBudget("r", { usd: -1 }), usage(/usd: -1/));
    await assert.rejects(hf.setBudget("nobody", { usd: 1 }), (error) => isFault(error, "not_found"));
  }));
