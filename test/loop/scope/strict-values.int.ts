import assert from "node:assert/strict";
import { test } from "node:test";
import type { WorkflowFunction, Run, StepOptions } from "../../../src/loop/workflow-function.ts";
import { isFault } from "../../../src/model/fault.ts";
import { openHoldfast, type HoldfastOptions } from "../../../src/open-holdfast.ts";
import type { RunOptions } from "../../../src/loop/run-options.ts";
import { untilHolds, withLibraryStore } from "../library-store.ts";

const usage = (parts: RegExp) => (error: unknown) => {
  assert.ok(isFault(error, "usage"), String(error));
  assert.match(error.message, parts);
  return true;
};

test("J5 a settled child that is asked for with another input is a divergence, alone and in a group", () =>
  withLibraryStore(async (open) => {
    const settle = async (id: string, work: (run: Run, input: number) => Promise<unknown>) => {
      let isThere = false;
      const workflow = (input: number) => async (run: Run) => {
        await work(run, input);
        isThere = true;
        await run.waitFor("go");
      };
      const hf = await open();
      hf.run(id, workflow(1)).catch(() => undefined);
      await untilHolds(() => isThere);
      await hf.close();
      const again = await open();
      await assert.rejects(again.run(id, workflow(2)), (error) => {
        assert.ok(isFault(error, "diverged"), String(error));
        assert.match(error.message, /child "c" with another input.*asks for it with 2/);
        return true;
      });
      await again.close();
      isThere = false;
      const same = await open();
      same.run(id, workflow(1)).catch(() => undefined);
      await untilHolds(() => isThere);
      await same.close();
    };
    const child: WorkflowFunction<number, number> = (_, n) => n;
    const failing: WorkflowFunction<number> = () => Promise.reject(new Error("no"));
    await settle("alone", (run, input) => run.spawn("c", child, input));
    await settle("failed", (run, input) => run.spawn("c", failing, input).catch(() => 0));
    await settle("group", (run, input) => run.spawnAll({ c: [child, input], d: [child, 5] }));
  }));

test("P4 options that mean nothing are refused before anything is done for them", () =>
  withLibraryStore(async (open, store) => {
    const hf = await open();
    const did: string[] = [];
    const within = (work: (run: Run) => unknown) => hf.run("r", async (run: Run) => work(run));
    const step = (options: unknown) =>
      within((run) => run.step("s", () => did.push("s"), options as StepOptions<number>));
    await assert.rejects(step({ effect: "Once" }), usage(/effect: "Once"; expected effect: "once"/));
    await assert.rejects(step({ retry: 3 }), usage(/option "retry"/));
    const child = () => did.push("child");
    await assert.rejects(
      within((run) => run.spawn("c", child, null, { restart: 2 } as never)),
      usage(/the child "c" was given an option "restart"; expected any of restarts, within, budget/),
    );
    await assert.rejects(
      within((run) => run.spawnAll({ c: [child, null, { restarts: 1, with: 2 } as never] })),
      usage(/option "with"/),
    );
    await assert.rejects(
      within((run) => run.spawnAll({ c: [child, null] }, { onFail: "collect" } as never)),
      usage(/option "onFail"/),
    );
    await assert.rejects(
      within((run) => run.waitFor("go", { timeoutMs: 5 } as never)),
      usage(/option "timeoutMs"; expected any of timeout/),
    );
    const run = (options: unknown) => hf.run("other", child, options as RunOptions<unknown>);
    await assert.rejects(run({ inptu: 1 }), usage(/option "inptu"; expected any of input/));
    await assert.rejects(run({ ifHeld: "Refuse" }), usage(/ifHeld: "Refuse"; expected "wait" or "refuse"/));
    await assert.rejects(run({ signal: 5 }), usage(/signal: 5/));
    await assert.rejects(run({ budget: { token: 5 } }), usage(/no kind "token"/));
    assert.throws(
      () => {
        hf.define("d", child, { versoin: 1 } as never);
      },
      usage(/option "versoin"/),
    );
    await assert.rejects(
      hf.settle("r", "s", { value: 1 } as never),
      usage(/hf.settle was given an option "value"/),
    );
    await assert.rejects(hf.settle("r", "s", "Again" as never), usage(/"Again" as the outcome/));
    await assert.rejects(
      openHoldfast({ store, leaseMS: 5 } as HoldfastOptions),
      usage(/openHoldfast was given an option "leaseMS"/),
    );
    assert.deepEqual(did, []);
  }));

test("P4 a program in plain JavaScript that gives the wrong thing is answered in words that name it", () =>
  withLibraryStore(async (open) => {
    // As untyped as the program: what it gives is what is tested.
    const hf = (await open()) as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const call = (name: string, ...args: unknown[]) => hf[name]?.call(hf, ...args) ?? Promise.resolve();
    const within = (work: (run: Record<string, (...args: unknown[]) => unknown>) => unknown) =>
      call("run", "r", async (run: never) => work(run));
    const cases: [() => Promise<unknown>, RegExp][] = [
      [() => call("run"), /undefined cannot be a run's id/],
      [() => call("run", "x"), /hf.run\("x"\) was given undefined as its work; expected a function/],
      [() => call("run", "x", Promise.resolve(1)), /a promise, whose work has begun already/],
      [() => call("run", "x", () => 1, 5), /5 as its options; expected an object/],
      [() => call("signal", "x"), /hf.signal was given undefined as its name/],
      [() => within((run) => run["step"]?.("s")), /step "s" was given undefined as its work/],
      [() => within((run) => run["step"]?.("s", Promise.resolve(1))), /a promise, whose work has begun/],
      [() => within((run) => run["step"]?.(() => 1)), /run.step was given a function as its name/],
      [() => within((run) => run["loop"]?.("l", {})), /the loop "l" was given undefined as its work/],
      [() => within((run) => run["spawn"]?.("c", "fix")), /the child "c" was given "fix" as its work/],
      [() => within((run) => run["spawnAll"]?.(5)), /run.spawnAll was given 5/],
      [() => within((run) => run["spawnAll"]?.({ a: () => 1 })), /for "a", was given a function/],
      [() => within((run) => run["spawnAll"]?.([() => 1])), /run.spawnAll was given a function/],
      [() => within((run) => run["sleep"]?.()), /"undefined" is no duration/],
      [() => within((run) => run["waitFor"]?.()), /run.waitFor was given undefined as its name/],
      [() => within((run) => run["log"]?.(5)), /run.log was given 5/],
      [() => within((run) => run["repair"]?.("x")), /run.repair was given "x"; expected a list of messages/],
      [
        () => within((run) => (run["budget"] as never as { spend(): void }).spend()),
        /spend\(\) was given undefined/,
      ],
    ];
    for (const [misuse, words] of cases) await assert.rejects(misuse, usage(words));
  }));

test("J8 what the function that looks into a doubt spends is charged once, with what it found", () =>
  withLibraryStore(async (open) => {
    let isBegun = false;
    let isSettled = false;
    const workflow = (isStuck: boolean) => async (run: Run) => {
      await run.step(
        "pay",
        () => {
          isBegun = true;
          return isStuck ? new Promise<string>(() => undefined) : "paid";
        },
        {
          effect: "once",
          inDoubt: () => {
            run.budget.spend({ tokens: 40 });
            return { done: "found" };
          },
        },
      );
      isSettled = true;
      await run.waitFor("go");
      return run.budget.spent.tokens;
    };
    const hf = await open();
    hf.run("r", workflow(true), { budget: { tokens: 100 } }).catch(() => undefined);
    await untilHolds(() => isBegun);
    await hf.close();
    const second = await open();
    const waiting = second.run("r", workflow(false));
    waiting.catch(() => undefined);
    await untilHolds(() => isSettled);
    await second.signal("r", "other", 1);
    await second.close();
    const third = await open();
    const result = third.run("r", workflow(false));
    await third.signal("r", "go", 1);
    assert.equal(await result, 40);
  }));
