import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isFault } from "../../src/model/fault.ts";
import { openHoldfast } from "../../src/open-holdfast.ts";
import type { Holdfast } from "../../src/loop/holdfast.ts";
import type { Run } from "../../src/loop/workflow-function.ts";

async function withStore(work: (open: () => Promise<Holdfast>) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-loop-"));
  const opened: Holdfast[] = [];
  try {
    await work(async () => {
      const hf = await openHoldfast({ store: `sqlite:${join(folder, "agents.db")}` });
      opened.push(hf);
      return hf;
    });
  } finally {
    for (const hf of opened) await hf.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits for what a workflow function says of itself: no test counts on how quick a machine is. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

test("J5 a finished run gives its recorded result at once, and its steps are not done again", () =>
  withStore(async (open) => {
    let done = 0;
    const workflow = async (run: Run) => {
      const a = await run.step("a", () => (done += 1));
      return { a, b: await run.step("b", () => a + 1) };
    };
    const hf = await open();
    assert.deepEqual(await hf.run("r", workflow), { a: 1, b: 2 });
    assert.deepEqual(await hf.run("r", workflow), { a: 1, b: 2 });
    await hf.close();
    const again = await open();
    assert.deepEqual(await again.run("r", workflow), { a: 1, b: 2 });
    assert.equal(done, 1);
  }));

test("J5 a run that was let go in the middle goes on where its journal ends", () =>
  withStore(async (open) => {
    const log: string[] = [];
    let stuck = true;
    let reached = false;
    const workflow = async (run: Run) => {
      await run.step("first", () => log.push("first"));
      reached = true;
      await run.step("second", () => (stuck ? new Promise(() => undefined) : log.push("second")));
      return run.step("third", () => log.push("third"));
    };
    const hf = await open();
    const pending = hf.run("r", workflow);
    await until(() => reached);
    await hf.close();
    await assert.rejects(pending, (error) => isFault(error, "closed"));
    stuck = false;
    const again = await open();
    await again.run("r", workflow);
    assert.deepEqual(log, ["first", "second", "third"]);
  }));

test("J5 each iteration of a loop is a resume point, and its state is given back frozen", () =>
  withStore(async (open) => {
    const seen: number[] = [];
    let stopAt = 3;
    let reached = false;
    const workflow = (run: Run) =>
      run.loop("kernel", { messages: [] as string[], n: 0 }, async (state, i, it) => {
        reached ||= i === stopAt;
        if (i === stopAt) await new Promise(() => undefined);
        const word = await it.step("think", () => {
          seen.push(i);
          return `w${String(i)}`;
        });
        assert.ok(Object.isFrozen(state) && Object.isFrozen(state.messages));
        return { state: { messages: [...state.messages, word], n: state.n + 1 }, done: i === 5 };
      });
    const hf = await open();
    const pending = hf.run("r", workflow);
    await until(() => reached);
    await hf.close();
    await assert.rejects(pending);
    stopAt = -1;
    const again = await open();
    assert.deepEqual(await again.run("r", workflow), {
      messages: ["w0", "w1", "w2", "w3", "w4", "w5"],
      n: 6,
    });
    assert.deepEqual(seen, [0, 1, 2, 3, 4, 5]);
  }));

test("J5 settled children are given back and never run again, regardless of the order in which they settled", () =>
  withStore(async (open) => {
    const ran: string[] = [];
    let hang = true;
    const child = async (run: Run, name: string) => {
      await run.step("work", () => ran.push(name));
      if (name === "slow" && hang) await new Promise(() => undefined);
      return run.step("end", () => `${name} done`);
    };
    let settled = 0;
    const spawned = async (run: Run, name: string) => {
      const value = await run.spawn(`child/${name}`, child, name);
      settled += 1;
      return value;
    };
    const workflow = (run: Run) => Promise.all(["slow", "quick", "other"].map((name) => spawned(run, name)));
    const hf = await open();
    const pending = hf.run("r", workflow);
    await until(() => ran.length === 3 && settled === 2);
    await hf.close();
    await assert.rejects(pending);
    hang = false;
    const again = await open();
    assert.deepEqual(await again.run("r", workflow), ["slow done", "quick done", "other done"]);
    assert.deepEqual(ran.sort(), ["other", "quick", "slow"]);
  }));

test("J5 signals sent early wait by name; a wait ends with a value or with its time", () =>
  withStore(async (open) => {
    const hf = await open();
    const workflow = async (run: Run) => {
      const late = await run.waitFor("never", { timeout: 30 });
      await run.sleep(20);
      const answer = await run.waitFor<boolean>("approval", { timeout: "10m" });
      return { late, answer };
    };
    const pending = hf.run("r", workflow);
    await hf.signal("r", "approval", true);
    assert.deepEqual(await pending, { late: { timedOut: true }, answer: { value: true } });
    await assert.rejects(hf.signal("nobody", "x", 1), (error) => isFault(error, "not_found"));
  }));

test("J5 times, random numbers and ids are drawn once", () =>
  withStore(async (open) => {
    const drawn: unknown[] = [];
    let hang = true;
    let reached = false;
    const workflow = async (run: Run) => {
      drawn.push([run.now(), run.random(), run.id()]);
      await run.step("a", () => 1);
      reached = true;
      if (hang) await new Promise(() => undefined);
      return run.now() > 0;
    };
    const hf = await open();
    const pending = hf.run("r", workflow);
    await until(() => reached);
    await hf.close();
    await assert.rejects(pending);
    hang = false;
    await (await open()).run("r", workflow);
    assert.equal(drawn.length, 2);
    assert.deepEqual(drawn[0], drawn[1]);
  }));

test("J5 a failed run throws its recorded error until it is reopened, and then does the failed step again", () =>
  withStore(async (open) => {
    let tries = 0;
    let before = 0;
    const child = (run: Run) =>
      run.step("fragile", () => {
        tries += 1;
        if (tries === 1) throw new Error("broken pipe");
        return "mended";
      });
    const workflow = async (run: Run) => {
      await run.step("before", () => (before += 1));
      return run.spawn("inner", child, null);
    };
    const hf = await open();
    await assert.rejects(hf.run("r", workflow), /broken pipe/);
    await assert.rejects(hf.run("r", workflow), /broken pipe/);
    assert.equal(tries, 1);
    await hf.reopen("r");
    assert.equal(await hf.run("r", workflow), "mended");
    assert.deepEqual([tries, before], [2, 1]);
    await assert.rejects(hf.reopen("r"), (error) => isFault(error, "refused"));
  }));

test("J5 a workflow function that changed is distinguished from its journal, with both sides named", () =>
  withStore(async (open) => {
    let hang = true;
    let reached = false;
    const first = async (run: Run) => {
      await run.step("fetch", () => 1);
      await run.spawn("child", (inner: Run) => inner.step("x", () => 1), { n: 1 });
      reached = true;
      if (hang) await new Promise(() => undefined);
    };
    const hf = await open();
    const pending = hf.run("r", first);
    await until(() => reached);
    await hf.close();
    await assert.rejects(pending);
    hang = false;
    const diverged = (part: RegExp) => (error: unknown) =>
      isFault(error, "diverged") && part.test(error.message);
    const other = await open();
    await assert.rejects(
      other.run("r", (run) => run.spawn("fetch", () => 1, null)),
      diverged(/step "fetch".*asks for spawn "fetch"/),
    );
    await assert.rejects(
      other.run("r", () => "done"),
      diverged(/ended without asking/),
    );
    assert.equal(await other.run("r", first), undefined);
    assert.equal(await other.run("r", first), undefined);
  }));

test("P4 what cannot be recorded, a name used twice and an outer call inside a loop are clear errors", () =>
  withStore(async (open) => {
    const hf = await open();
    const usage = (part: RegExp) => (error: unknown) => isFault(error, "usage") && part.test(error.message);
    await assert.rejects(
      hf.run("a", (run) => run.step("s", () => 1n)),
      usage(/cannot be recorded/),
    );
    await assert.rejects(
      hf.run("b", (run) => run.step("s", () => () => 1)),
      usage(/it is a function, which JSON does not hold/),
    );
    await assert.rejects(
      hf.run("c", async (run) => {
        await run.step("s", () => 1);
        await run.step("s", () => 2);
      }),
      usage(/used twice/),
    );
    await assert.rejects(
      hf.run("d", (run) =>
        run.loop("l", 0, async () => ({ state: await run.step("x", () => 1), done: true })),
      ),
      usage(/outer scope/),
    );
    await assert.rejects(
      hf.run("no good id", () => 1),
      usage(/cannot be a run's id/),
    );
    await assert.rejects(
      hf.run("e", (run) => run.sleep("soon" as never)),
      usage(/no duration/),
    );
  }));

test("J8 a spent budget stops the run with its work kept, and it goes on when the budget is raised", () =>
  withStore(async (open) => {
    const hf = await open();
    const done: number[] = [];
    const workflow = (run: Run) =>
      run.loop("kernel", 0, async (n, i, it) => {
        await it.step("think", () => done.push(i));
        it.budget.spend({ tokens: 40 });
        return { state: n + 1, done: i === 4 };
      });
    const pending = hf.run("r", workflow, { budget: { tokens: 100 } });
    while (done.length < 3) await new Promise((resolve) => setTimeout(resolve, 2));
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(done, [0, 1, 2]);
    await hf.setBudget("r", { tokens: 1_000 });
    assert.equal(await pending, 5);
  }));

test("J6 a step in doubt blocks the run until a person says what became of it; it is never guessed", () =>
  withStore(async (open) => {
    let calls = 0;
    const workflow = async (run: Run) =>
      run.step(
        "pay",
        () => {
          calls += 1;
          return new Promise<string>(() => undefined);
        },
        { effect: "once" },
      );
    const hf = await open();
    const pending = hf.run("r", workflow);
    while (calls === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    await hf.close();
    await assert.rejects(pending);
    const again = await open();
    const resumed = again.run("r", workflow);
    // Refused until the run is blocked, and then taken once.
    const message = setInterval(
      () => void again.settle("r", "step:pay", { done: "receipt 7" }).catch(() => undefined),
      20,
    );
    assert.equal(await resumed.finally(() => clearInterval(message)), "receipt 7");
    assert.equal(calls, 1);
  }));

test("J6 a step that is done again on a person's word is in doubt again when that life dies in the middle of it", () =>
  withStore(async (open) => {
    let calls = 0;
    const pay = (): Promise<string> | string => {
      calls += 1;
      return calls > 2 ? "paid a third time" : new Promise<string>(() => undefined);
    };
    const workflow = async (run: Run) => run.step("pay", pay, { effect: "once" });
    const first = await open();
    const died = [first.run("r", workflow)];
    await until(() => calls === 1);
    await first.close();
    const second = await open();
    died.push(second.run("r", workflow));
    const message = setInterval(
      () => void second.settle("r", "step:pay", "again").catch(() => undefined),
      20,
    );
    await until(() => calls === 2);
    clearInterval(message);
    await second.close();
    for (const life of died) await assert.rejects(life);
    const third = await open();
    const resumed = third.run("r", workflow);
    const paid = setInterval(() => {
      void third.settle("r", "step:pay", { done: "receipt 7" }).catch(() => undefined);
    }, 20);
    assert.equal(await resumed.finally(() => clearInterval(paid)), "receipt 7");
    assert.equal(calls, 2);
  }));

test("J5 a cancelled run informs its workflow function, reaches its children and is recorded as cancelled", () =>
  withStore(async (open) => {
    const hf = await open();
    let reported = false;
    let begun = false;
    const leaf = (run: Run) =>
      run.step(
        "wait",
        ({ signal }) =>
          new Promise((_, reject) => {
            begun = true;
            signal.addEventListener("abort", () => {
              reported = true;
              reject(new Error("stopped"));
            });
          }),
      );
    const pending = hf.run("r", (run) =>
      run.spawn("child", (inner: Run) => inner.spawn("leaf", leaf, null), null),
    );
    await until(() => begun);
    await hf.cancel("r");
    await assert.rejects(pending, (error) => isFault(error, "cancelled"));
    assert.ok(reported);
    await assert.rejects(
      hf.run("r", () => 1),
      (error) => isFault(error, "cancelled"),
    );
  }));

test("J5 resumeAll goes on with every unfinished run whose workflow function is registered", () =>
  withStore(async (open) => {
    let hang = true;
    let begun = 0;
    const workflow = async (run: Run, input: number) => {
      await run.step("a", () => 1);
      begun += 1;
      if (hang) await new Promise(() => undefined);
      return run.step("b", () => input * 2);
    };
    const hf = await open();
    hf.define("double", workflow);
    const pending = [1, 2].map((n) => hf.run(`r${String(n)}`, workflow, { input: n }));
    while (begun < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    await hf.close();
    await Promise.allSettled(pending);
    hang = false;
    const again = await open();
    again.define("double", workflow);
    assert.deepEqual((await again.resumeAll()).sort(), ["r1", "r2"]);
    const results = [1, 2].map((n) => again.run(`r${String(n)}`, workflow, { input: n }));
    assert.deepEqual(await Promise.all(results), [2, 4]);
  }));
