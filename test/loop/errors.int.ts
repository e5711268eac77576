import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../../src/loop/workflow-function.ts";
import { StepError } from "../../src/loop/scope/step-error.ts";
import { isFault } from "../../src/model/fault.ts";
import { withLibraryStore } from "./library-store.ts";

class PaymentError extends Error {
  override readonly name = "PaymentError";
  readonly status: number;
  readonly code = "card_declined";

  constructor(message: string, status: number, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }

  get isFinal(): boolean {
    return this.status >= 400;
  }
}

const declined = (): never => {
  throw new PaymentError("the card was declined", 402, { cause: new TypeError("no such card") });
};

/**
 * What a workflow function catches of a step and of a child, told in words: in the life in which it happens, and in the
 * next.
 */
async function caughtTwice(errors: readonly (typeof PaymentError)[], describe: (error: unknown) => unknown) {
  const seen: unknown[] = [];
  await withLibraryStore(async (open) => {
    let isFirst = true;
    let wait = (): void => undefined;
    const waiting = new Promise<void>((resolve) => (wait = resolve));
    const workflow = async (run: Run) => {
      const reported: unknown[] = [];
      await run.step("pay", declined).catch((error: unknown) => reported.push(describe(error)));
      await run.spawn("child", declined, null).catch((error: unknown) => reported.push(describe(error)));
      seen.push(reported);
      if (isFirst) {
        wait();
        await new Promise(() => undefined);
      }
      return "ended";
    };
    const hf = await open({ errors });
    hf.run("r", workflow).catch(() => undefined);
    await waiting;
    await hf.close();
    isFirst = false;
    const again = await open({ errors });
    assert.equal(await again.run("r", workflow), "ended");
  });
  return seen;
}

test("J10 what a workflow function catches is the same StepError in the life in which it happened and in every later one", async () => {
  const [live, replayed] = await caughtTwice([], (error) => {
    assert.ok(error instanceof StepError);
    assert.ok(!(error instanceof PaymentError));
    const cause = error.cause as Error;
    return {
      words: [error.name, error.message, error.code, cause.name, cause.message, cause instanceof TypeError],
      data: error.data,
      status: (error as { status?: unknown }).status,
      keys: Object.keys(error),
    };
  });
  assert.deepEqual(live, replayed);
  assert.deepEqual((live as { words: unknown }[])[0]?.words, [
    "PaymentError",
    "the card was declined",
    "card_declined",
    "TypeError",
    "no such card",
    true,
  ]);
});

test("J10 an error of a registered class is of that class in every life", async () => {
  const [live, replayed] = await caughtTwice([PaymentError], (error) => {
    assert.ok(error instanceof PaymentError);
    return {
      all: { ...error },
      message: error.message,
      isFinal: error.isFinal,
      keys: Object.keys(error).sort(),
    };
  });
  assert.deepEqual(live, replayed);
});

test("J10 a failed run throws the same error again in another process, with its name and its code", () =>
  withLibraryStore(async (open) => {
    const hf = await open();
    const words = (error: unknown) =>
      error instanceof StepError && [error.name, error.message, error.code, error.data["status"]].join();
    const live: unknown = await hf.run("r", declined).catch(words);
    await hf.close();
    const later: unknown = await (await open()).run("r", declined).catch(words);
    assert.equal(live, "PaymentError,the card was declined,card_declined,402");
    assert.equal(later, live);
  }));

test("J10 what is thrown and is no error, or holds what is no data, is recorded as far as it can be", () =>
  withLibraryStore(async (open) => {
    const hf = await open();
    const odd: Error & { self?: unknown } = Object.assign(new Error("odd"), {
      handler: () => undefined,
      status: 418,
    });
    odd.self = odd;
    const workflow = async (run: Run) => {
      const caught = async (name: string, thrown: unknown): Promise<StepError> => {
        try {
          await run.step(name, () => {
            throw thrown;
          });
        } catch (error) {
          assert.ok(error instanceof StepError);
          return error;
        }
        throw new Error("nothing was thrown");
      };
      const text = await caught("text", "only a text");
      const object = await caught("object", { status: 418, message: "overloaded" });
      return [text.message, object.message, object.data["status"], (await caught("odd", odd)).data];
    };
    assert.deepEqual(await hf.run("r", workflow), ["only a text", "overloaded", 418, { status: 418 }]);
  }));

test("P4 a registered error that is no class of errors is refused with what was expected", async () => {
  const wrong = (errors: unknown[]) =>
    withLibraryStore(async (open) => void (await open({ errors } as never)));
  await assert.rejects(
    wrong(["PaymentError"]),
    (error) => isFault(error, "usage") && /extend Error/.test(error.message),
  );
  await assert.rejects(wrong([Map]), (error) => isFault(error, "usage") && /Map/.test(error.message));
});

/** A run whose workflow function speaks of its failures in its own way, tried once, reopened, and tried again. */
async function rescued(workflow: (run: Run, works: (name: string) => () => string) => Promise<unknown>) {
  const done: string[] = [];
  let isUp = false;
  const works = (name: string) => () => {
    done.push(name);
    if (!isUp && name.startsWith("bad")) throw new Error(`${name} is down`);
    return name;
  };
  let result: unknown;
  await withLibraryStore(async (open) => {
    const hf = await open();
    await assert.rejects(hf.run("r", (run: Run) => workflow(run, works)));
    isUp = true;
    await hf.reopen("r");
    result = await hf.run("r", (run: Run) => workflow(run, works));
  });
  return { result, done };
}

test("J5 reopen does the failed steps again where the workflow function wrapped their error, with a cause or without", async () => {
  for (const withCause of [true, false]) {
    const { result, done } = await rescued(async (run, works) => {
      await run.step("good", works("good"));
      try {
        return await run.step("bad", works("bad"));
      } catch (error) {
        throw new Error("the work failed", withCause ? { cause: error } : {});
      }
    });
    assert.equal(result, "bad");
    assert.deepEqual(done, ["good", "bad", "bad"]);
  }
});

test("J5 reopen does the failed steps again where the workflow function collected them, or settled them all", async () => {
  const collected = await rescued(async (run, works) => {
    const errors: unknown[] = [];
    const names = ["bad-1", "good", "bad-2"];
    for (const name of names) await run.step(name, works(name)).catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw new Error(`${String(errors.length)} failed`);
    return names;
  });
  assert.deepEqual(collected.result, ["bad-1", "good", "bad-2"]);
  assert.deepEqual(collected.done, ["bad-1", "good", "bad-2", "bad-1", "bad-2"]);
  const settled = await rescued(async (run, works) => {
    const ends = await Promise.allSettled(["bad", "good"].map((name) => run.step(name, works(name))));
    const failed = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as Error] : []));
    if (failed.length > 0) throw new AggregateError(failed, "some failed");
    return ends.length;
  });
  assert.deepEqual([settled.result, settled.done], [2, ["bad", "good", "bad"]]);
});

test("J5 reopen does a failed step again inside of a child that wrapped it, and after the workflow function reported it", async () => {
  const { result, done } = await rescued(async (run, works) => {
    try {
      return await run.spawn(
        "child",
        async (child) => {
          await child.step("first", works("first"));
          return child.step("bad", works("bad")).catch(() => Promise.reject(new Error("the child gave up")));
        },
        null,
      );
    } catch (error) {
      await run.step("report", works("report"));
      throw error;
    }
  });
  assert.equal(result, "bad");
  assert.deepEqual(done, ["first", "bad", "report", "bad"]);
});

test("J10 P4 errors and values that are nested too deep are recorded or refused by name, never by a full stack", () =>
  withLibraryStore(async (open) => {
    const hf = await open();
    const deep = (inner: unknown): unknown => {
      let value = inner;
      for (let level = 0; level < 50_000; level += 1) value = { value };
      return value;
    };
    const refused = (error: unknown): boolean =>
      isFault(error, "usage") && /nested more than 1000 deep, .*; return plain data/.test(error.message);
    await assert.rejects(
      hf.run("first", (run: Run) => run.loop("l", deep(1), (state) => ({ state, done: true }))),
      refused,
    );
    await assert.rejects(
      hf.run("later", (run: Run) => run.loop("l", {}, () => ({ state: deep(1) as object, done: true }))),
      refused,
    );
    let error = new Error("the first");
    for (let level = 0; level < 50_000; level += 1) error = new Error("another", { cause: error });
    await assert.rejects(
      hf.run("fails", (run: Run) => run.step("s", () => Promise.reject(error))),
      /another/,
    );
  }));
