import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../../src/loop/workflow-function.ts";
import { isFault } from "../../src/model/fault.ts";
import { untilHolds, withLibraryStore, type OpenAgain } from "./library-store.ts";

const never = new Promise<never>(() => undefined);

/** A payment that was begun by a process that is gone; answers what was counted. */
async function diedPaying(open: OpenAgain) {
  const seen = { calls: 0, keys: [] as string[] };
  const workflow = (run: Run) =>
    run.step(
      "pay",
      ({ key }) => {
        seen.calls += 1;
        seen.keys.push(key);
        return seen.calls === 1 ? never : `paid by call ${String(seen.calls)}`;
      },
      { effect: "once" },
    );
  const hf = await open();
  hf.define("payer", workflow);
  const dying = hf.run("r", workflow);
  dying.catch(() => undefined);
  await untilHolds(() => seen.calls === 1);
  await hf.close();
  return { seen, body: workflow };
}

test("J6 what is said of a step while no process holds the run is queued by name, and taken by the next one", () =>
  withLibraryStore(async (open) => {
    const { seen, body: workflow } = await diedPaying(open);
    const person = await open();
    const asked = await person.settle("r", "step:pay", { done: "receipt 7" });
    assert.equal(asked.kind, "queued");
    assert.match(asked.text, /settle is queued for the next program that defines "payer"/);
    assert.deepEqual(asked.kind === "queued" && [asked.body, asked.holder], ["payer", null]);
    assert.equal(await person.run("r", workflow), "receipt 7");
    assert.equal(seen.calls, 1);
  }));

test("J6 the key that a step is given is a key that settle takes, and so are its short forms", () =>
  withLibraryStore(async (open) => {
    for (const form of ["given", "step:pay", "pay"]) {
      await withLibraryStore(async (inner) => {
        const { seen, body: workflow } = await diedPaying(inner);
        const person = await inner();
        await person.settle("r", form === "given" ? (seen.keys[0] ?? "") : form, "again");
        assert.equal(await person.run("r", workflow), "paid by call 2");
      });
    }
    await open();
  }));

test("J6 a word about a step that cannot be meant is an error that lists the open ones, and is not kept", () =>
  withLibraryStore(async (open) => {
    const { seen, body: workflow } = await diedPaying(open);
    const person = await open();
    const lists = (error: unknown) =>
      isFault(error, "refused") &&
      /no step "step:pya" of r is in doubt; in doubt: step:pay/.test(error.message);
    await assert.rejects(person.settle("r", "step:pya", { done: 1 }), lists);
    const pending = person.run("r", workflow);
    await untilSettled(() => person.settle("r", "step:pay", { done: "receipt 7" }));
    assert.equal(await pending, "receipt 7");
    assert.equal(seen.calls, 1);
  }));

test("J6 a step that is being carried out is not settled by a word, however it was begun", () =>
  withLibraryStore(async (open) => {
    let end = (): void => undefined;
    let isAtWork = false;
    const hf = await open();
    const pending = hf.run("r", (run: Run) =>
      run.step(
        "pay",
        () => {
          isAtWork = true;
          return new Promise<string>((resolve) => {
            end = () => {
              resolve("paid");
            };
          });
        },
        { effect: "once" },
      ),
    );
    await untilHolds(() => isAtWork);
    await assert.rejects(hf.settle("r", "step:pay", "again"), (error) => isFault(error, "refused"));
    end();
    assert.equal(await pending, "paid");
  }));

test("J6 two words about one step that nobody holds: the first counts, and the second is refused by name", () =>
  withLibraryStore(async (open) => {
    const { seen, body: workflow } = await diedPaying(open);
    const person = await open();
    await person.settle("r", "step:pay", { done: "receipt 7" });
    await person.settle("r", "step:pay", { done: "receipt 8" });
    assert.equal(await person.run("r", workflow), "receipt 7");
    assert.equal(seen.calls, 1);
  }));

test("J5 signal, setBudget, cancel and reopen report what was decided", () =>
  withLibraryStore(async (open) => {
    const hf = await open();
    let isWaiting = false;
    const workflow = async (run: Run) => {
      isWaiting = true;
      return run.waitFor("approval");
    };
    const pending = hf.run("r", workflow);
    pending.catch(() => undefined);
    await untilHolds(() => isWaiting);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const early = await hf.signal("r", "aproval", 1);
    assert.deepEqual(early, {
      kind: "decided",
      text: 'signal "aproval" is kept until the run waits for it; it waits for: approval',
    });
    assert.match((await hf.setBudget("r", { tokens: 5 })).text, /the budget is changed/);
    assert.equal((await hf.cancel("r")).kind, "decided");
    await assert.rejects(pending, (error) => isFault(error, "cancelled"));
    await assert.rejects(
      hf.cancel("r"),
      (error) => isFault(error, "refused") && /cancelled/.test(error.message),
    );
    assert.equal((await hf.reopen("r")).kind, "decided");
    const again = hf.run("r", workflow);
    const delivered = await hf.signal("r", "approval", true);
    assert.equal(delivered.kind, "decided");
    assert.deepEqual(await again, { value: true });
  }));

/** A run that is starting has not asked anybody yet. */
async function untilSettled(settle: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await settle();
      return;
    } catch (error) {
      if (!isFault(error, "refused")) throw error;
    }
  }
}
