import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../../../src/loop/workflow-function.ts";
import { isFault } from "../../../src/model/fault.ts";
import { never, until, usage, withStore } from "../loop-bench.ts";
import { programOf } from "../program-of.ts";

const fails = (words: string) => (): never => {
  throw new Error(words);
};
const codeOf = (error: unknown): string | undefined => (error as { code?: string }).code;

test("J5 the error of a child is thrown to its parent, which may catch it, and stays the answer", () =>
  withStore(async ({ open }) => {
    let tries = 0;
    const workflow = async (run: Run) => {
      const caught = await run
        .spawn("weak", (inner: Run) => inner.step("s", () => fails(`no ${String((tries += 1))}`)()), null)
        .catch((error: unknown) => (error as Error).message);
      return { caught, after: await run.step("after", () => 1) };
    };
    assert.deepEqual(await (await open()).run("r", workflow), { caught: "no 1", after: 1 });
    assert.equal(tries, 1);
  }));

test("J5 a group that fails fast cancels the siblings that still run, in the append that records the failure", () =>
  withStore(async ({ open, read }) => {
    const reported: string[] = [];
    let begun = 0;
    let hang = true;
    const slow = async (run: Run, name: string) => {
      run.signal.addEventListener("abort", () => reported.push(name));
      begun += 1;
      await run.step("wait", () => never());
    };
    let caught: unknown;
    const workflow = async (run: Run) => {
      caught = await run
        .spawnAll({
          quick: [(inner: Run) => inner.step("q", () => "ok"), null],
          slow: [slow, "slow"],
          deep: [(inner: Run) => inner.spawn("leaf", slow, "leaf"), null],
          weak: [
            async (inner: Run) => {
              await until(() => begun === 2);
              await inner.step("break", fails("broken"));
            },
            null,
          ],
        })
        .catch((error: unknown) => error);
      await run.step("handled", () => 1);
      if (hang) await never();
      return "went on";
    };
    const hf = await open();
    const pending = hf.run("r", workflow);
    await until(
      async () =>
        programOf((await read("r").catch(() => null))?.state)?.root.records["step:handled"] !== undefined,
    );
    await hf.close();
    await assert.rejects(pending);
    assert.match((caught as Error).message, /broken/);
    assert.deepEqual(reported.sort(), ["leaf", "slow"]);
    const { events } = await read("r");
    const ends = events.filter((event) => event.type === "BodyChildEnded");
    const weak = ends.find(({ data }) => data.key === "spawn:weak");
    const cancelled = ends.filter(
      ({ data }) => data.ended.kind === "error" && data.ended.error.code === "cancelled",
    );
    assert.deepEqual(cancelled.map(({ data }) => data.key).sort(), ["spawn:deep", "spawn:slow"]);
    assert.deepEqual(
      cancelled.map(({ at, seq }) => [at, Math.abs(seq - (weak?.seq ?? 0)) <= 2]),
      [
        [weak?.at, true],
        [weak?.at, true],
      ],
    );
    hang = false;
    assert.equal(await (await open()).run("r", workflow), "went on");
    assert.match((caught as Error).message, /broken/, "the same error is thrown from the journal");
    assert.equal(begun, 2, "what was cancelled is not run again");
  }));

test("J5 a group whose next child cannot be begun ends there: those after it are not begun, and reserve nothing", () =>
  withStore(async ({ open }) => {
    const hf = await open();
    const begun: number[] = [];
    const child = (run: Run, n: number): Promise<number> => run.step("work", () => begun.push(n));
    const member = (n: number) => ({ name: `c${String(n)}`, child, input: n, budget: { tokens: 4 } });
    const workflow = async (run: Run): Promise<unknown> => {
      const failure = await run.spawnAll([0, 1, 2].map(member)).catch((error: unknown) => error);
      assert.match(String(failure), /the child "c1" asks for 4 tokens, but 3 are free/);
      return run.budget.free.tokens;
    };
    assert.equal(await hf.run("r", workflow, { budget: { tokens: 7 } }), 7);
    assert.ok(!begun.includes(2), `begun were ${begun.join(", ")}`);
  }));

test("J5 a group that collects waits for all and gives each end in the order of its children", () =>
  withStore(async ({ open }) => {
    const child = async (run: Run, n: number) => {
      await run.sleep((4 - n) * 5);
      if (n === 2) throw Object.assign(new Error("two"), { code: "E2" });
      return n * 10;
    };
    const workflow = async (run: Run) => {
      const list = await run.spawnAll(
        [1, 2, 3].map((n) => ({ name: `c${String(n)}`, child, input: n })),
        { onFailure: "collect" },
      );
      return list.map(({ value, error }) => value ?? codeOf(error));
    };
    const hf = await open();
    assert.deepEqual(await hf.run("r", workflow), [10, "E2", 30]);
    await assert.rejects(
      hf.run("x", (run) => run.spawnAll({}, { onFailure: "ignore" as "collect" })),
      usage(/"ignore"; expected "fail-fast" or "collect"/),
    );
  }));

test("J5 a child is restarted so often within its time as was said, by recorded times, over crashes too", () =>
  withStore(async ({ open, read }) => {
    let tries = 0;
    let hangAt = 2;
    const weak = async (run: Run) => {
      tries += 1;
      if (tries === hangAt) await never();
      await run.step("s", fails(`try ${String(tries)}`));
    };
    const workflow = (run: Run) => run.spawn("weak", weak, null, { restarts: 3, within: "10m" });
    const hf = await open();
    const pending = hf.run("r", workflow);
    await until(() => tries === 2);
    await hf.close();
    await assert.rejects(pending);
    hangAt = -1;
    await assert.rejects((await open()).run("r", workflow), /try 5/);
    const { events } = await read("r");
    const attempts = events.flatMap(({ type, data }) => (type === "BodySpawned" ? [data.attempt] : []));
    assert.deepEqual(attempts, [1, 2, 3, 4], "the try that the process let go of is not charged");
    assert.equal(tries, 5);
  }));

test("J5 restarts that lie further back than their time are not counted", () =>
  withStore(async ({ open }) => {
    let tries = 0;
    const weak = async (run: Run) => {
      tries += 1;
      await run.sleep(30);
      if (tries < 5) throw new Error("again");
      return tries;
    };
    const hf = await open();
    assert.equal(await hf.run("r", (run) => run.spawn("weak", weak, null, { restarts: 1, within: 20 })), 5);
    await assert.rejects(
      hf.run("s", (run) => run.spawn("w", fails("no"), null, { restarts: -1 })),
      usage(/restarts: -1; expected a whole number/),
    );
    await assert.rejects(
      hf.run("t", (run) => run.spawn("w", fails("no"), null, { restarts: 1, within: "soon" as never })),
      usage(/no duration/),
    );
  }));

test("J5 the tree is bounded in depth and breadth, and both bounds can be raised for the run that met them", () =>
  withStore(async ({ open }) => {
    const deep = async (run: Run, left: number): Promise<number> =>
      left === 0 ? 0 : 1 + (await run.spawn("next", deep, left - 1));
    const wide = (run: Run) =>
      run.spawnAll([1, 2, 3].map((n) => ({ name: `c${String(n)}`, child: () => n, input: null })));
    const hf = await open();
    assert.equal(await hf.run("four", (run) => deep(run, 4)), 4);
    await assert.rejects(
      hf.run("five", (run) => deep(run, 5)),
      usage(/would be 5 deep; at most 4.*limits\.depth/),
    );
    assert.equal(await hf.run("five", (run) => deep(run, 5), { limits: { depth: 5 } }), 5);
    await assert.rejects(
      hf.run("wide", wide, { limits: { children: 2 } }),
      usage(/"c3" would be number 3.*at most 2.*limits\.children/),
    );
    await assert.rejects(
      hf.run("wide", wide),
      usage(/at most 2/),
      "the limit that a run was begun with is remembered",
    );
    assert.deepEqual(await hf.run("wide", wide, { limits: { children: 3 } }), [1, 2, 3]);
    const narrow = await open({ depth: 1 });
    await assert.rejects(
      narrow.run("d", (run) => deep(run, 2)),
      usage(/at most 1/),
    );
    await assert.rejects(
      hf.run("n", () => 1, { limits: { depth: 0 } }),
      usage(/limits\.depth is 0/),
    );
    await assert.rejects(open({ widht: 1 } as object), usage(/no limit "widht"; limits are depth, children/));
  }));

test("J5 what a child leaves running when it ends is informed, and writes nothing any more", () =>
  withStore(async ({ open, read }) => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let late: unknown;
    const workflow = async (run: Run) => {
      await run
        .spawn(
          "child",
          (inner: Run) => {
            late = inner
              .step("orphan", () => gate)
              .then(() => inner.step("more", () => 1))
              .catch((error: unknown) => error);
            throw new Error("left");
          },
          null,
        )
        .catch(() => undefined);
      release();
      assert.ok(isFault(await late, "cancelled"));
      return run.step("end", () => "fine");
    };
    assert.equal(await (await open()).run("r", workflow), "fine");
    const { events } = await read("r");
    assert.ok(!events.some((event) => event.type === "BodyStepEnded" && event.data.key.includes("orphan")));
  }));

test("J5 children with names like those of attempts are distinguished", () =>
  withStore(async ({ open }) => {
    let tries = 0;
    const weak = async (run: Run) => run.step("s", () => ((tries += 1) === 1 ? fails("once")() : "weak"));
    const workflow = async (run: Run) => [
      await run.spawn("a", weak, null, { restarts: 1 }),
      await run.spawn("a@2", (inner: Run) => inner.step("s", () => "other"), null),
      await run.spawn("a~@2", (inner: Run) => inner.step("s", () => "third"), null),
    ];
    assert.deepEqual(await (await open()).run("r", workflow), ["weak", "other", "third"]);
  }));

test("P4 a child's result that is no data, a name used twice and a call from inside a step are clear errors", () =>
  withStore(async ({ open }) => {
    const hf = await open();
    await assert.rejects(
      hf.run("a", (run) => run.spawn("c", () => 1n, null)),
      usage(/the result of "c" cannot be recorded/),
    );
    await assert.rejects(
      hf.run("b", (run) =>
        run.spawnAll([
          { name: "c", child: () => 1, input: 1 },
          { name: "c", child: () => 2, input: 1 },
        ]),
      ),
      usage(/"c" is used twice for a spawn/),
    );
    await assert.rejects(
      hf.run("c", (run) => run.step("outer", () => run.step("inner", () => 1))),
      usage(/step\("inner"\) was called from the work of step "outer"/),
    );
    await assert.rejects(
      hf.signal("nobody", "x", 1),
      (error) => isFault(error, "not_found") && /hf\.run first/.test(error.message),
    );
  }));

test("J5 a reopened run does again what it failed of and what was cancelled with it, and nothing else", () =>
  withStore(async ({ open }) => {
    const ran: string[] = [];
    let weak = true;
    const child = async (run: Run, name: string) => {
      await run.step("begin", () => ran.push(name));
      if (name === "weak") await until(() => ran.length >= 3);
      if (name === "weak" && weak) throw new Error("broken");
      if (name === "slow" && weak) await run.step("wait", () => never());
      return run.step("end", () => name);
    };
    const workflow = (run: Run) =>
      run.spawnAll({ quick: [child, "quick"], slow: [child, "slow"], weak: [child, "weak"] });
    const hf = await open();
    await assert.rejects(hf.run("r", workflow), /broken/);
    await hf.reopen("r");
    weak = false;
    assert.deepEqual(await hf.run("r", workflow), { quick: "quick", slow: "slow", weak: "weak" });
    assert.deepEqual(ran.sort(), ["quick", "slow", "weak"]);
  }));
