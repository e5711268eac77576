import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run, StepOptions } from "../../../src/loop/workflow-function.ts";
import { StepError } from "../../../src/loop/scope/step-error.ts";
import { openSystem } from "../../../src/main.ts";
import { isFault } from "../../../src/model/fault.ts";
import { hostSettingsSchema } from "../../../src/model/settings/settings.ts";
import { inboxEntries } from "../../../src/views/runs/inbox.ts";
import { untilHolds, withLibraryStore } from "../library-store.ts";

const overloaded = () => Object.assign(new Error("Overloaded"), { status: 529, type: "overloaded_error" });
const failing =
  (times: number, error: () => Error, calls: number[] = []) =>
  (): string => {
    calls.push(calls.length + 1);
    if (calls.length <= times) throw error();
    return `answered by call ${String(calls.length)}`;
  };

test("J10 one 529 does not fail a run: the step is tried again after a wait that is recorded", () =>
  withLibraryStore(async (open, store) => {
    const hf = await open();
    assert.equal(
      await hf.run("r", (run: Run) => run.step("ask", failing(1, overloaded))),
      "answered by call 2",
    );
    const system = await openSystem({ store, settings: hostSettingsSchema.parse({}) });
    const tried = (await system.ports.journal.read("r", { after: 0, limit: 100 })).filter(
      ({ type }) => type === "BodyStepTried",
    );
    await system.close();
    assert.equal(tried.length, 1);
  }));

test("J10 tries are counted over processes, and the wait for the next one goes on where it was", () =>
  withLibraryStore(async (open) => {
    const calls: number[] = [];
    const workflow = (run: Run) =>
      run.step(
        "ask",
        failing(9, () => new Error("no luck"), calls),
        {
          retries: { attempts: 3, backoff: "1s" },
        },
      );
    const hf = await open();
    hf.run("r", workflow).catch(() => undefined);
    await untilHolds(() => calls.length === 2);
    await hf.close();
    await assert.rejects((await open()).run("r", workflow), (error) => error instanceof StepError);
    assert.ok(
      calls.length === 3 || calls.length === 4,
      "the try that died with its process may be done again",
    );
  }));

test("J10 retries end with the last attempt, and at once with an error that is named as final", () =>
  withLibraryStore(async (open) => {
    const hf = await open();
    const ends = async (id: string, error: () => Error, options: StepOptions<string>) => {
      const calls: number[] = [];
      await assert.rejects(hf.run(id, (run: Run) => run.step("s", failing(99, error, calls), options)));
      return calls.length;
    };
    const named = () => Object.assign(new Error("no"), { code: "card_declined" });
    const retries = { attempts: 3, backoff: 1 };
    assert.equal(await ends("all", named, { retries }), 3);
    assert.equal(await ends("code", named, { retries: { ...retries, nonRetryable: ["card_declined"] } }), 1);
    assert.equal(await ends("asked", named, { retries: { ...retries, nonRetryable: () => true } }), 1);
    assert.equal(await ends("none", overloaded, { retries: false }), 1);
    assert.equal(await ends("plain", named, {}), 1);
    const quota = () => Object.assign(new Error("quota"), { status: 429, code: "insufficient_quota" });
    assert.equal(await ends("quota", quota, {}), 1);
  }));

test("J6 J10 a once-step that the provider refused is tried again with a new intent; one whose answer was lost is not", () =>
  withLibraryStore(async (open) => {
    const hf = await open();
    const once = { effect: "once" } as const;
    assert.equal(
      await hf.run("refused", (run: Run) => run.step("pay", failing(1, overloaded), once)),
      "answered by call 2",
    );
    const lost = () => Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
    await assert.rejects(hf.run("lost", (run: Run) => run.step("pay", failing(1, lost), once)));
  }));

test("J10 a step that takes longer than its time fails with a name, and its signal says so", () =>
  withLibraryStore(async (open) => {
    const hf = await open();
    let reason: unknown;
    const workflow = (run: Run) =>
      run.step(
        "slow",
        ({ signal }) =>
          new Promise<never>(() => {
            signal.addEventListener("abort", () => {
              reason = signal.reason as unknown;
            });
          }),
        { timeout: "20ms" },
      );
    await assert.rejects(hf.run("r", workflow), (error) => {
      assert.ok(error instanceof StepError);
      assert.deepEqual([error.name, error.code], ["StepTimeout", "step_timeout"]);
      assert.match(error.message, /step "slow" did not end within 20ms/);
      return true;
    });
    assert.match(String(reason), /did not end within/);
  }));

test("J6 a once-step whose time is over is in doubt: it is not done again unless somebody says so", () =>
  withLibraryStore(async (open) => {
    const hf = await open();
    let calls = 0;
    const workflow = (inDoubt: StepOptions<string>["inDoubt"]) => (run: Run) =>
      run.step(
        "pay",
        () => {
          calls += 1;
          return calls % 2 === 1 ? new Promise<string>(() => undefined) : "paid";
        },
        { effect: "once", timeout: 20, ...(inDoubt === undefined ? {} : { inDoubt }) },
      );
    assert.equal(
      await hf.run(
        "found",
        workflow(() => ({ done: "found" })),
      ),
      "found",
    );
    assert.equal(calls, 1);
    calls = 0;
    assert.equal(await hf.run("again", workflow("retry")), "paid");
    calls = 0;
    const asked = hf.run("asked", workflow("ask"));
    for (;;) {
      const reported = await hf
        .settle("asked", "pay", { done: "receipt 7" })
        .catch((error: unknown) => error);
      if (!isFault(reported, "refused")) break;
    }
    assert.equal(await asked, "receipt 7");
    assert.equal(calls, 1);
  }));

test("P4 options of a step that mean nothing are refused with what was expected", () =>
  withLibraryStore(async (open) => {
    const hf = await open();
    const wrong: [unknown, RegExp][] = [
      [{ effect: "Once" }, /effect: "Once"; expected effect: "once"/],
      [{ effects: "once" }, /an option "effects"/],
      [{ inDoubt: "maybe" }, /inDoubt: "maybe"/],
      [{ retries: 3 }, /retries: 3/],
      [{ retries: { attempts: 0 } }, /retries\.attempts: 0/],
      [{ retries: { attempts: 2, tries: 1 } }, /tries/],
      [{ timeout: "soon" }, /"soon" is no duration/],
      ["once", /once as its options/],
    ];
    let calls = 0;
    for (const [index, [options, says]] of wrong.entries())
      await assert.rejects(
        hf.run(`r${String(index)}`, (run: Run) => run.step("s", () => (calls += 1), options as never)),
        (error) => isFault(error, "usage") && says.test(error.message),
      );
    assert.equal(calls, 0);
  }));

test("J8 what a function that recovers a step spends is charged once", () =>
  withLibraryStore(async (open) => {
    let calls = 0;
    const workflow = (run: Run) => {
      run.budget.spend({ tokens: 1 });
      return run
        .step("pay", () => (calls++ === 0 ? new Promise<string>(() => undefined) : "again"), {
          effect: "once",
          inDoubt: () => {
            run.budget.spend({ tokens: 10 });
            return { done: "found" };
          },
        })
        .then(() => run.budget.spent.tokens);
    };
    const hf = await open();
    hf.run("r", workflow, { budget: { tokens: 100 } }).catch(() => undefined);
    await untilHolds(() => calls === 1);
    await hf.close();
    assert.equal(await (await open()).run("r", workflow), 11);
  }));

test("G5 J10 a signal that a program waits for is in the inbox, with the command that sends it", () =>
  withLibraryStore(async (open, store) => {
    const hf = await open();
    hf.run("r", (run: Run) => run.waitFor("approval", { timeout: "1h" })).catch(() => undefined);
    const system = await openSystem({ store, settings: hostSettingsSchema.parse({}) });
    try {
      for (;;) {
        const state = await system.loadRun("r");
        const [entry] = state === null ? [] : inboxEntries(state, null);
        if (entry === undefined) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          continue;
        }
        assert.deepEqual([entry.reason, entry.command], ["signal", "holdfast signal r approval true"]);
        assert.match(entry.detail, /the program waits for the signal "approval" until /);
        break;
      }
    } finally {
      await system.close();
    }
  }));

test("J10 what one process is asked by a provider to wait, the runs of another process wait too", () =>
  withLibraryStore(async (open) => {
    const [one, other] = [await open(), await open()];
    const limited = (headers: Record<string, string>) =>
      Object.assign(new Error("slow down"), { status: 429, headers });
    let reported = 0;
    const first = one.run("first", (run: Run) =>
      run.step("ask", () => {
        reported += 1;
        if (reported === 1) throw limited({ "retry-after": "4" });
        return "answered";
      }),
    );
    while ((await other.list({ status: "running" })).length === 0 || reported === 0)
      await new Promise((next) => setTimeout(next, 5));
    let isTried = false;
    for await (const { type } of one.events("first")) if (type === "BodyStepTried") break;
    const second = other.run("second", (run: Run) =>
      run.step("ask", () => {
        if (isTried) return "answered";
        isTried = true;
        throw limited({});
      }),
    );
    while ((await other.get("second")) === null) await new Promise((next) => setTimeout(next, 2));
    const untils: number[] = [];
    for (const id of ["first", "second"])
      for await (const event of other.events(id))
        if (event.type === "BodyStepTried") {
          untils.push(event.data.until);
          break;
        }
    const [named = 0, shared = 0] = untils;
    // Its own wait would have been a second: it waits as long as the first one was told.
    assert.ok(shared >= named - 1_000, `${String(shared)} is before ${String(named)}`);
    assert.deepEqual(await Promise.all([first, second]), ["answered", "answered"]);
    const budgets = await other.list({});
    assert.deepEqual(budgets.map(({ id }) => id).sort(), ["first", "second"], "what is shared is no run");
  }));
