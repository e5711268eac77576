import assert from "node:assert/strict";
import type { Holdfast } from "../../src/loop/holdfast.ts";
import type { Run } from "../../src/loop/workflow-function.ts";
import { isFault } from "../../src/model/fault.ts";
import { hostSettingsSchema } from "../../src/model/settings/settings.ts";
import { openSystem } from "../../src/main.ts";
import { statusView } from "../../src/views/status/status.ts";
import { untilHolds, withLibraryStore, type OpenAgain } from "./library-store.ts";
import { SideBySide } from "./side-by-side.ts";

type Paid = string[];

/** Works a run with its first code until it waits in its last step, and lets go there. */
async function workedUntil(
  open: OpenAgain,
  workflow: (run: Run, stuck: () => Promise<never>) => Promise<unknown>,
) {
  let isStuck = false;
  const stuck = (): Promise<never> => {
    isStuck = true;
    return new Promise<never>(() => undefined);
  };
  const hf = await open();
  hf.run("r", (run: Run) => workflow(run, stuck)).catch(() => undefined);
  await untilHolds(() => isStuck);
  await hf.close();
}

const once = { effect: "once" } as const;
const pay = (run: Run, name: string, paid: Paid) => run.step(name, () => String(paid.push(name)), once);

async function paidOnce(open: OpenAgain, paid: Paid): Promise<void> {
  await workedUntil(open, async (run, stuck) => {
    await pay(run, "pay", paid);
    return run.step("report", stuck);
  });
  assert.deepEqual(paid, ["pay"]);
}

const diverges = (hf: Holdfast, workflow: (run: Run) => Promise<unknown>, parts: RegExp) =>
  assert.rejects(hf.run("r", workflow), (error) => {
    assert.ok(isFault(error, "diverged"));
    assert.match(error.message, parts);
    return true;
  });

const beside = new SideBySide();
const { test } = beside;

test("J10 a renamed once-step is found before it pays again; both sides and the ways out are named", () =>
  withLibraryStore(async (open) => {
    const paid: Paid = [];
    await paidOnce(open, paid);
    const hf = await open();
    const renamed = async (run: Run) => {
      await pay(run, "pay-now", paid);
      return run.step("report", () => "reported");
    };
    await diverges(
      hf,
      renamed,
      /recorded is "step pay", but the function asks for step "pay-now".*run\.patched.*run\.retired.*holdfast fork r --at \d+/,
    );
    assert.deepEqual(paid, ["pay"], "nothing was paid that the journal does not know");
  }));

test("J10 a workflow function that swallows the news that it diverged does nothing more", () =>
  withLibraryStore(async (open) => {
    const paid: Paid = [];
    await paidOnce(open, paid);
    const stubborn = async (run: Run) => {
      await pay(run, "pay-now", paid).catch(() => "never mind");
      await pay(run, "pay-again", paid).catch(() => "never mind");
      return "done";
    };
    await diverges(await open(), stubborn, /"pay-now"/);
    assert.deepEqual(paid, ["pay"]);
  }));

test("J10 a diverged run shows as blocked with its command, goes on with the mended workflow function, and forks", () =>
  withLibraryStore(async (open, store) => {
    const paid: Paid = [];
    await paidOnce(open, paid);
    const hf = await open();
    await diverges(hf, (run) => pay(run, "pay-now", paid), /fork r/);
    const system = await openSystem({ store, settings: hostSettingsSchema.parse({}) });
    try {
      const state = await system.loadRun("r");
      assert.ok(state !== null);
      assert.equal(state.blocked?.reason, "diverged");
      const { blocked } = statusView(state, null);
      assert.match(blocked?.command ?? "", /^holdfast fork r --at \d+$/);
      const at = Number(/\d+$/.exec(blocked?.command ?? "")?.[0]);
      const forked = await system.forkRun("r", { at });
      assert.equal(await hf.run(forked.run, (run: Run) => pay(run, "pay-now", paid)), "2");
    } finally {
      await system.close();
    }
    const mended = async (run: Run) => {
      await pay(run, "pay", paid);
      return run.step("report", () => "reported");
    };
    assert.equal(await hf.run("r", mended), "reported");
    assert.deepEqual(paid, ["pay", "pay-now"]);
  }));

test("J10 run.patched takes the old way in runs that came by before and the new way in others, in every life", () =>
  withLibraryStore(async (open) => {
    const paid: Paid = [];
    await paidOnce(open, paid);
    const changed = (stop: boolean) => async (run: Run) => {
      await pay(run, run.patched("v2") ? "pay-v2" : "pay", paid);
      if (stop) await run.step("pause", () => run.runId);
      return run.step("report", () => "reported");
    };
    const hf = await open();
    assert.equal(await hf.run("r", changed(true)), "reported");
    assert.equal(await hf.run("new", changed(false)), "reported");
    assert.deepEqual(paid, ["pay", "pay-v2"]);
    await hf.close();
    let lives = 0;
    let isThere = false;
    const dying = async (run: Run) => {
      lives += 1;
      const isNew = run.patched("v3");
      await pay(run, isNew ? "pay-v3" : "pay", paid);
      if (lives === 1) {
        isThere = true;
        await new Promise(() => undefined);
      }
      return isNew;
    };
    const first = await open();
    first.run("other", dying).catch(() => undefined);
    await untilHolds(() => isThere);
    await first.close();
    assert.equal(await (await open()).run("other", dying), true);
    assert.deepEqual(paid, ["pay", "pay-v2", "pay-v3"]);
  }));

test("J10 run.retired lets a run go on without what is recorded", () =>
  withLibraryStore(async (open) => {
    const paid: Paid = [];
    await paidOnce(open, paid);
    const shorter = async (run: Run) => {
      run.retired("pay");
      return run.step("report", () => "reported without it");
    };
    assert.equal(await (await open()).run("r", shorter), "reported without it");
  }));

test("J10 code that works side by side asks in another order than it ended in, and does not diverge", () =>
  withLibraryStore(async (open) => {
    let isAsked = false;
    const branches = (slowly: () => number | Promise<number>) => async (run: Run) => {
      const quick = async () => {
        await run.step("quick", () => 1);
        // Awaited outside of steps, as code may do it while others are at work.
        await new Promise((resolve) => setTimeout(resolve, 30));
        await run.step("after-quick", () => 2);
        isAsked = true;
        return 2;
      };
      const slow = async () => {
        await run.step("slow", slowly);
        return run.step("after-slow", () => 3);
      };
      return Promise.all([slow(), quick()]);
    };
    const hf = await open();
    hf.run(
      "r",
      branches(() => new Promise(() => undefined)),
    ).catch(() => undefined);
    await untilHolds(() => isAsked);
    await hf.close();
    assert.deepEqual(
      await (
        await open()
      ).run(
        "r",
        branches(() => 7),
      ),
      [3, 2],
    );
  }));

test("J10 a loop that failed before its first commit left no name, and is not taken for a change", () =>
  withLibraryStore(async (open) => {
    const workflow = (stop: boolean, reached: () => void) => async (run: Run) => {
      await run
        .loop("kernel", 0, () => {
          throw new Error("not today");
        })
        .catch(() => undefined);
      await run.step("after", () => 1);
      reached();
      if (stop) await new Promise(() => undefined);
      return "ended";
    };
    let isThere = false;
    const hf = await open();
    hf.run(
      "loops",
      workflow(true, () => (isThere = true)),
    ).catch(() => undefined);
    await untilHolds(() => isThere);
    await hf.close();
    assert.equal(
      await (
        await open()
      ).run(
        "loops",
        workflow(false, () => undefined),
      ),
      "ended",
    );
    const paid: Paid = [];
    const renamed = async (run: Run) => {
      await run.loop("renamed", 0, async (state, _, it) => {
        await pay(it, "pay", paid);
        return { state, done: true };
      });
      return run.step("report", () => 1);
    };
    await paidOnce(open, []);
    await diverges(await open(), renamed, /asks for/);
    assert.deepEqual(paid, []);
  }));

test("J10 a run keeps the version of the workflow function that it was begun with", () =>
  withLibraryStore(async (open) => {
    let isThere = false;
    const one = async (run: Run) => {
      await run.step("old-name", () => 1);
      isThere = true;
      return run.waitFor("go").then(() => "one");
    };
    const two = (run: Run) => run.step("new-name", () => "two");
    const hf = await open();
    hf.define("triage", one, { version: 1 });
    hf.run("r", one).catch(() => undefined);
    await untilHolds(() => isThere);
    await hf.close();
    const without = await open();
    without.define("triage", two, { version: 2 });
    assert.deepEqual(await without.resumeAll(), []);
    await assert.rejects(
      without.run("r", two),
      (error) =>
        isFault(error, "diverged") && /begun with version 1 of "triage"; defined are: 2/.test(error.message),
    );
    without.define("triage", one, { version: 1 });
    const pending = without.run("r", two);
    await without.signal("r", "go", null);
    assert.equal(await pending, "one");
    assert.equal(await without.run("fresh", two), "two");
  }));

beside.play("versions of a body");
