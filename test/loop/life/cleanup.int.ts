import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../../../src/loop/workflow-function.ts";
import { memoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import { Holdfast } from "../../../src/loop/holdfast.ts";
import { isFault } from "../../../src/model/fault.ts";
import type { World } from "../../../src/model/world.ts";
import { realWorld } from "../../../src/real-world.ts";
import { Leases } from "../../../src/runtime/leases.ts";
import { never, until, withStore } from "../loop-bench.ts";
import { programOf } from "../program-of.ts";

const isCancelled = (error: unknown): boolean => isFault(error, "cancelled");

test("J5 steps in finally are done and recorded when a run is cancelled, the children's first", () =>
  withStore(async ({ open, read }) => {
    const did: string[] = [];
    const aborted: boolean[] = [];
    const child = async (run: Run) => {
      try {
        await run.waitFor("never");
      } finally {
        await run.step("release", ({ signal }) => {
          aborted.push(signal.aborted);
          return did.push("child");
        });
      }
    };
    let isBegun = false;
    const workflow = async (run: Run) => {
      try {
        const child1 = run.spawn("child", child, null);
        isBegun = true;
        await child1;
      } finally {
        await run.step("tear down", () => did.push("run"), { effect: "once" });
        await run
          .waitFor("more")
          .catch((error: unknown) => did.push(String((error as { code?: string }).code)));
      }
    };
    const hf = await open();
    const pending = hf.run("r", workflow);
    await until(() => isBegun);
    await hf.cancel("r");
    await assert.rejects(pending, isCancelled);
    assert.deepEqual(did, ["child", "run", "cancelled"]);
    assert.deepEqual(aborted, [false], "what cleans up has a signal of its own");
    const { state } = await read("r");
    assert.equal(state.status, "cancelled");
    assert.equal(programOf(state)?.root.records["step:tear down"]?.kind, "value");
  }));

test("J5 others that clean up beside the first are waited for", () =>
  withStore(async ({ open }) => {
    const did: string[] = [];
    let begun = 0;
    const child = async (run: Run, delayMs: number) => {
      try {
        begun += 1;
        await run.waitFor("never");
      } finally {
        await run.step("slow", () => new Promise((resolve) => setTimeout(resolve, delayMs)));
        await run.step("then", () => did.push(String(delayMs)));
      }
    };
    const workflow = (run: Run) => Promise.all([run.spawn("a", child, 1), run.spawn("b", child, 60)]);
    const hf = await open();
    const pending = hf.run("r", workflow);
    await until(() => begun === 2);
    await hf.cancel("r");
    await assert.rejects(pending, isCancelled);
    assert.deepEqual(did, ["1", "60"]);
  }));

test("J5 a reopened run does plain cleanup again when it comes to it, and what must not happen twice never", () =>
  withStore(async ({ open }) => {
    const did: string[] = [];
    let isWaiting = false;
    const workflow = async (run: Run) => {
      try {
        isWaiting = true;
        await run.waitFor("go");
        return await run.step("work", () => String(did.push("work")));
      } finally {
        run.now();
        run.budget.spend({ tokens: 1 });
        await run.step("unlock", () => did.push("unlock"));
        await run.step("refund", () => did.push("refund"), { effect: "once" });
      }
    };
    const hf = await open();
    const pending = hf.run("r", workflow);
    await until(() => isWaiting);
    await hf.cancel("r");
    await assert.rejects(pending, isCancelled);
    assert.deepEqual(did, ["unlock", "refund"]);
    await hf.reopen("r");
    const again = hf.run("r", workflow);
    await hf.signal("r", "go", 1);
    await again;
    assert.deepEqual(did, ["unlock", "refund", "work", "unlock"]);
  }));

/** A world in which a minute takes a second. */
function hurriedWorld(): World {
  const world = realWorld();
  return { ...world, timer: (delayMs, then) => world.timer(delayMs / 60, then) };
}

test("J5 cleanup that does not end is reported and left behind, and the run is cancelled", async () => {
  const world = hurriedWorld();
  const journal = memoryJournal({ world });
  const leaseMs = 60_000;
  const leases = new Leases(journal, world, leaseMs);
  const hf = new Holdfast({ journal, world, leases, leaseMs, limits: {}, close: () => journal.close() });
  let isWaiting = false;
  const reported: string[] = [];
  const workflow = async (run: Run) => {
    try {
      isWaiting = true;
      await run.waitFor("go");
    } finally {
      await run.step("hangs", ({ signal }) => {
        signal.addEventListener("abort", () => reported.push("told"));
        return never();
      });
    }
  };
  const pending = hf.run("r", workflow);
  await until(() => isWaiting);
  await hf.cancel("r");
  await assert.rejects(pending, isCancelled);
  assert.deepEqual(reported, ["told"]);
  await hf.close();
});
