import assert from "node:assert/strict";
import { test } from "node:test";
import { isFault } from "../../../src/model/fault.ts";
import { openHoldfast } from "../../../src/open-holdfast.ts";
import type { Holdfast } from "../../../src/loop/holdfast.ts";

/** Nothing may be left over: a rejection that nobody hears would end a program. */
async function withQuietStore(work: (hf: Holdfast) => Promise<void>): Promise<void> {
  const stray: unknown[] = [];
  const receive = (reason: unknown): void => void stray.push(reason);
  process.on("unhandledRejection", receive);
  const hf = await openHoldfast({ store: "memory:" });
  try {
    await work(hf);
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(stray, []);
  } finally {
    process.off("unhandledRejection", receive);
    await hf.close();
  }
}

const unawaited =
  (...parts: string[]) =>
  (error: unknown): boolean => {
    assert.ok(isFault(error, "usage"), String(error));
    for (const part of ["was not awaited", "await every call", ...parts])
      assert.ok(error.message.includes(part), `"${part}" is not in: ${error.message}`);
    return true;
  };

test("P4 a step that is not awaited is named when its workflow function ends, and the mended workflow function goes on", () =>
  withQuietStore(async (hf) => {
    let let_go: (() => void) | undefined;
    const slow = () => new Promise<string>((resolve) => (let_go = () => resolve("late")));
    await assert.rejects(
      hf.run("a", (run) => {
        void run.step("post", slow);
        return "done";
      }),
      unawaited('step "post"', "the workflow function of a"),
    );
    let_go?.();
    assert.equal(await hf.run("a", async (run) => run.step("post", () => "posted")), "posted");
  }));

test("P4 calls of every kind that are not awaited are noticed, in a workflow function, an iteration and a child", () =>
  withQuietStore(async (hf) => {
    await assert.rejects(
      hf.run("sleep", (run) => void run.sleep("1h")),
      unawaited('sleep("1h")'),
    );
    await assert.rejects(
      hf.run("wait", (run) => void run.waitFor("never")),
      unawaited('waitFor("never")'),
    );
    await assert.rejects(
      hf.run("loop", (run) => {
        void run.loop("kernel", 0, async (n, i, it) => {
          await it.sleep("1h");
          return { state: n, done: i > 3 };
        });
        void run.spawn("one", (child) => child.sleep("1h"), null);
      }),
      unawaited('loop "kernel" (and 1 more)'),
    );
    await assert.rejects(
      hf.run("iteration", (run) =>
        run.loop("kernel", 0, (n, i, it) => {
          void it.sleep("1h");
          return { state: n + 1, done: i > 3 };
        }),
      ),
      unawaited("kernel[0] ended"),
    );
    await assert.rejects(
      hf.run("child", (run) =>
        run.spawn("fix/1", (child) => void child.step("s", () => new Promise(() => undefined)), null),
      ),
      unawaited('step "s"', "fix/1 ended"),
    );
  }));

test("P4 a workflow function that fails while calls are under way fails of its own error, and leaves no stray rejection", () =>
  withQuietStore(async (hf) => {
    await assert.rejects(
      hf.run("a", async (run) => {
        void run.sleep("1h");
        const left = run.step("slow", () => new Promise(() => undefined));
        await run.step("quick", () => 1);
        if (run.runId === "a") throw new Error("its own");
        await left;
      }),
      /its own/,
    );
  }));

test("P4 a workflow function that calls nothing durable, or is not even async, is recorded like any other", () =>
  withQuietStore(async (hf) => {
    assert.equal(await hf.run("sync", () => 7), 7);
    assert.equal(await hf.run("sync", () => 8), 7);
    assert.equal(await hf.run("void", () => undefined), undefined);
  }));

test("P4 an iteration that does not give back a state and whether it was the last is reported with what to return", () =>
  withQuietStore(async (hf) => {
    const turns: [unknown, string][] = [
      [undefined, "gave back nothing"],
      [{ done: true }, "no state"],
      [{ state: 1 }, "done as undefined"],
      [{ state: 1, done: "yes" }, 'done as "yes"'],
    ];
    for (const [index, [turn, part]] of turns.entries())
      await assert.rejects(
        hf.run(`turn-${String(index)}`, (run) => run.loop("l", 0, () => turn as never)),
        (error) => isFault(error, "usage") && error.message.includes(part),
      );
    assert.equal(
      await hf.run("null", (run) => run.loop("l", null, (_, i) => ({ state: null, done: i > 1 }))),
      null,
    );
  }));

test("J5 a signal may have any name, even one that objects know already", () =>
  withQuietStore(async (hf) => {
    for (const name of ["constructor", "__proto__", "toString"]) {
      const answer = hf.run(`wait-${name.replaceAll("_", "")}`, (run) => run.waitFor(name));
      await hf.signal(`wait-${name.replaceAll("_", "")}`, name, name.length);
      assert.deepEqual(await answer, { value: name.length });
    }
  }));
