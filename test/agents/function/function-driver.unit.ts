import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import type { StartOrder } from "../../../src/agents/agent-driver.ts";
import type { FunctionAgent } from "../../../src/agents/function/function-agent.ts";
import { functionDriver } from "../../../src/agents/function/function-driver.ts";
import { signalLog } from "../../../src/agents/function/signal-log.ts";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { realWorld } from "../../../src/real-world.ts";
import { receiveAll, kinds } from "../contract/scene.ts";

const world = realWorld();

const orderOf = (spec: AgentSpec, cwd = tmpdir()): StartOrder => ({
  ...{
    session: "run.step.1",
    spec,
    cwd,
    run: "run",
    step: "step",
    attempt: "step#1",
    number: 1,
    task: "do it",
  },
});

async function play(agent: FunctionAgent): Promise<readonly Signal[]> {
  const driver = functionDriver({ world, folder: tmpdir(), functions: new Map([["agent", agent]]) });
  const order = orderOf({ use: "function", export: "agent" });
  assert.equal((await driver.start(order)).kind, "started");
  const { signals } = await receiveAll(driver, order);
  await driver.close();
  return signals;
}

test("A1 what a function returns is its result, as it will be read back from the journal", async () => {
  const signals = await play(() => ({ at: new Date(0), none: undefined }));
  assert.deepEqual(signals.at(-2), {
    kind: "result",
    ok: true,
    text: '{"at":"1970-01-01T00:00:00.000Z"}',
    value: { at: "1970-01-01T00:00:00.000Z" },
  });
  assert.deepEqual(kinds(await play(() => undefined)), ["ready", "exit"], "nothing returned claims nothing");
  assert.deepEqual((await play(() => "text")).at(-2), {
    kind: "result",
    ok: true,
    text: "text",
    value: "text",
  });
});

test("A1 a result that cannot be recorded is an error that says what was expected", async () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  for (const value of [circle, 1n, () => 1, Symbol("x"), "x".repeat(2 ** 20 + 1)]) {
    const [error, exit] = (await play(() => value)).slice(-2);
    assert.ok(error?.kind === "error" && !error.terminal);
    assert.match(error.text, /cannot be recorded: .*; expected a JSON value/s);
    assert.deepEqual(exit, { kind: "exit", how: "code", code: 1 });
  }
});

test("A1 everything a function throws is reported, and is final only if it says so", async () => {
  const thrown: [unknown, string, boolean][] = [
    [new Error("no"), "no", false],
    [Object.assign(new Error("never"), { terminal: true }), "never", true],
    ["text", "text", false],
    [undefined, "undefined", false],
    [Object.create(null), "{}", false],
    [new Error(""), "an error without a message", false],
  ];
  for (const [value, text, terminal] of thrown) {
    const signals = await play(() => {
      throw value;
    });
    assert.deepEqual(signals.slice(-2), [
      { kind: "error", text, terminal },
      { kind: "exit", how: "code", code: 1 },
    ]);
  }
});

test("A5 what an ended function says or returns later is ignored", async () => {
  let goOn: () => void = () => undefined;
  const driver = functionDriver({
    world,
    folder: tmpdir(),
    functions: new Map<string, FunctionAgent>([
      [
        "agent",
        async (context) => {
          await new Promise<void>((resolve) => (goOn = resolve));
          await context.report("too late");
          return "too late";
        },
      ],
    ]),
  });
  const order = orderOf({ use: "function", export: "agent" });
  await driver.start(order);
  await driver.end(order, 20);
  goOn();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(kinds((await receiveAll(driver, order)).signals), ["ready", "exit"]);
});

test("A5 a function that returns after it was asked to end has no result: it may have stopped halfway", async () => {
  const driver = functionDriver({
    world,
    folder: tmpdir(),
    functions: new Map<string, FunctionAgent>([
      [
        "agent",
        ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("half"))),
      ],
    ]),
  });
  const order = orderOf({ use: "function", export: "agent" });
  await driver.start(order);
  await new Promise((resolve) => setTimeout(resolve, 10));
  await driver.end(order, 5_000);
  assert.deepEqual((await receiveAll(driver, order)).signals.slice(1), [
    { kind: "exit", how: "signal", signal: "abort" },
  ]);
});

test("A2 a cursor of an earlier process reads a function entered again from its beginning", async () => {
  const agent: FunctionAgent = async (context) => {
    await context.report("one");
  };
  const first = functionDriver({ world, folder: tmpdir(), functions: new Map([["agent", agent]]) });
  const order = orderOf({ use: "function", export: "agent" });
  await first.start(order);
  const { cursors } = await receiveAll(first, order);
  const second = functionDriver({ world, folder: tmpdir(), functions: new Map([["agent", agent]]) });
  assert.equal((await second.find(order)).kind, "gone");
  await second.start(order);
  const { signals } = await receiveAll(second, order, cursors.at(-1)?.cursor);
  assert.deepEqual(kinds(signals), ["ready", "progress", "exit"]);
});

test("A1 a function that nobody registered is a final failure that names those there are", async () => {
  const driver = functionDriver({ world, folder: tmpdir(), functions: new Map([["solve", () => 1]]) });
  const outcome = await driver.start(orderOf({ use: "function" }));
  assert.ok(outcome.kind === "failed" && outcome.terminal);
  assert.match(outcome.text, /no function is registered as "default"; expected one of "solve"/);
});

test("signals that nobody takes are bounded, and how many were dropped is reported", () => {
  const log = signalLog();
  for (let count = 0; count < 5_000; count += 1) log.push({ kind: "progress", text: String(count) });
  log.push({ kind: "exit", how: "code", code: 0 }, "always");
  const { signals, next } = log.read(0, 10_000);
  assert.equal(signals.length, 1_002);
  assert.deepEqual(signals.at(-2), {
    kind: "unknown",
    text: "4000 signals were dropped: more than 1000 waited",
  });
  assert.equal(signals.at(-1)?.kind, "exit");
  assert.equal(next, 1_002);
});
