import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { asInstructed } from "../as-instructed.ts";
import { acpDriver } from "../../../src/agents/acp/acp-driver.ts";
import type { AgentDriver, StartOrder } from "../../../src/agents/agent-driver.ts";
import { CONVERSATION_MISSING, type Signal } from "../../../src/model/agent/signals.ts";
import { realWorld } from "../../../src/real-world.ts";
import { subject } from "../contract/acp-subject.ts";
import { receiveAll, kinds, numbers, progressOf, Scene, waitFor } from "../contract/scene.ts";
import { startElsewhere } from "../contract/start-elsewhere.ts";
import type { Act } from "./small-agent.ts";

const AGENT = fileURLToPath(new URL("./small-agent.ts", import.meta.url));

/** A folder to work in, a driver on it, and an agent that performs what its prompt tells. */
function stage(t: TestContext) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-acp-")));
  const drivers: AgentDriver[] = [];
  const orders: StartOrder[] = [];
  const open = (): AgentDriver => {
    const driver = acpDriver({ world: realWorld(), folder: path.join(folder, "sessions") });
    drivers.push(driver);
    return driver;
  };
  const driver = open();
  t.after(async () => {
    for (const order of orders) await driver.end(order, 500);
    for (const one of drivers) await one.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const order = (acts: readonly Act[], more: Partial<StartOrder> = {}): StartOrder => {
    const number = orders.length + 1;
    const one: StartOrder = {
      session: `run.step.${String(number)}`,
      spec: { use: "acp", command: [process.execPath, AGENT] },
      ...{ run: "run", step: "step", attempt: `step#${String(number)}`, number, cwd: folder },
      task: JSON.stringify(acts),
      ...more,
    };
    orders.push(one);
    return one;
  };
  const work = (): string[] => {
    try {
      return readFileSync(path.join(folder, "work.log"), "utf8").split("\n").slice(0, -1);
    } catch {
      return [];
    }
  };
  const play = async (acts: readonly Act[], more: Partial<StartOrder> = {}): Promise<Signal[]> => {
    const one = order(acts, more);
    assert.equal((await driver.start(one)).kind, "started");
    return (await receiveAll(driver, one)).signals;
  };
  return { folder, driver, open, order, work, play };
}

const find = <Kind extends Signal["kind"]>(
  signals: readonly Signal[],
  kind: Kind,
): Extract<Signal, { kind: Kind }> => {
  const found = signals.find((signal) => signal.kind === kind);
  assert.ok(found !== undefined, `no ${kind} in ${JSON.stringify(signals)}`);
  return found as Extract<Signal, { kind: Kind }>;
};

/** Listens until the agent asks for something. */
const awaitAsk = (driver: AgentDriver, order: StartOrder): Promise<string> =>
  new Promise((resolve) => {
    const listener = driver.listen(order, "", async ({ signals }) => {
      const ask = signals.find((signal) => signal.kind === "permission");
      if (ask === undefined) return;
      listener.close();
      resolve(ask.askId);
    });
  });

test("A7 the words of a turn are reported in few signals, a call with its arguments and result, what it used once", async (t) => {
  const { play } = stage(t);
  const cost = { sessionUpdate: "usage_update", used: 25, size: 100, cost: { amount: 0.5, currency: "USD" } };
  const signals = await play([
    ...numbers(20).map((say) => ({ say })),
    { tool: "build" },
    { update: cost },
    { update: { ...cost, cost: { amount: 0.75, currency: "USD" } } },
    { say: "all " },
    { say: "done" },
  ]);
  assert.deepEqual(asInstructed(signals), [
    { kind: "ready" },
    { kind: "conversation", id: "session-1" },
    { kind: "message", from: "agent", text: numbers(20).join("") },
    {
      kind: "tool_call",
      callId: "t1",
      name: "build",
      args: '{"of":"build"}',
      argsDigest: find(signals, "tool_call").argsDigest,
    },
    {
      kind: "tool_result",
      callId: "t1",
      name: "build",
      ok: true,
      text: "done",
      textDigest: find(signals, "tool_result").textDigest,
    },
    { kind: "usage", tokensIn: 25, tokensOut: 0, cachedIn: 0 },
    { kind: "usage", usdTotal: 0.5 },
    { kind: "context", usedPct: 25 },
    { kind: "usage", usdTotal: 0.75 },
    { kind: "context", usedPct: 25 },
    { kind: "message", from: "agent", text: "all done" },
    { kind: "result", ok: true, text: "all done" },
    { kind: "exit", how: "code", code: 0 },
  ]);
});

const NO_SUCCESS: Readonly<Record<string, readonly Act[]>> = {
  "a turn in which nothing was said or done": [],
  "a refusal": [{ say: "I will not." }, { stop: "refusal" }],
  "an answer that was cut": [{ say: "I beg" }, { stop: "max_tokens" }],
  "a turn after a fault that its adapter hides": [
    {
      update: {
        sessionUpdate: "session_info_update",
        _meta: { codex: { threadStatus: { type: "systemError" } } },
      },
    },
    { say: "We are experiencing high demand." },
  ],
  "an error": [{ say: "Hm." }, { fail: { code: -32_603, message: "Internal error: overloaded" } }],
};
for (const [title, acts] of Object.entries(NO_SUCCESS))
  test(`A5 ${title} is no success`, async (t) => {
    const signals = await stage(t).play(acts);
    assert.equal(find(signals, "result").ok, false);
    assert.deepEqual(signals.at(-1), { kind: "exit", how: "code", code: 0 });
  });

test("A7 a rate limit is known by what stands beside the words of an error", async (t) => {
  const { play } = stage(t);
  const limit = { code: -32_603, message: "Internal error: no more", data: { errorKind: "rate_limit" } };
  const signals = await play([{ fail: limit }]);
  assert.equal(find(signals, "rate_limit").text, "no more");
  assert.equal(find(signals, "error").code, "rate_limit_error");
});

test("A7 missing credentials are a final error", async (t) => {
  const signals = await stage(t).play([{ fail: { code: -32_000, message: "Authentication required" } }]);
  assert.equal(find(signals, "error").terminal, true);
});

for (const [allow, option] of [
  [true, "once"],
  [false, "no"],
] as const)
  test(`A9 a permission is asked for, and ${allow ? "given for once" : "refused"} by the agent's own option`, async (t) => {
    const { driver, order, work, open } = stage(t);
    const one = order([{ ask: "rm -rf build" }, { say: "done" }]);
    await driver.start(one);
    const askId = await awaitAsk(driver, one);
    await driver.close();
    // The one that takes over answers what was asked before.
    const next = open();
    const answer = { key: "k1", askId, allow };
    assert.equal((await next.answer(one, answer)).kind, "sent");
    assert.equal((await next.answer(one, answer)).kind, "sent");
    const { signals } = await receiveAll(next, one);
    assert.deepEqual(work(), [`rm -rf build: ${option}`]);
    assert.equal(find(signals, "permission").what, 'rm -rf build: {"command":"rm -rf build"}');
    assert.equal(find(signals, "result").ok, true);
  });

test("A9 an answer to what was never asked is refused", async (t) => {
  const { driver, order } = stage(t);
  const one = order([{ hang: true }]);
  await driver.start(one);
  const outcome = await driver.answer(one, { key: "k", askId: "99", allow: true });
  assert.ok(outcome.kind === "failed" && outcome.terminal);
});

test("A8 words said during a turn are the agent's next prompt, once, and its last word is what counts", async (t) => {
  const { driver, order, work, folder } = stage(t);
  const one = order([{ await: "go" }, { append: "task" }, { say: "first" }]);
  await driver.start(one);
  const hearing = receiveAll(driver, one);
  const more = JSON.stringify([{ append: "told" }, { say: "second" }]);
  const message = [1, 2].map(() => driver.send(one, { key: "t1", text: more }));
  appendFileSync(path.join(folder, "go"), "");
  for (const outcome of await Promise.all(message)) assert.equal(outcome.kind, "sent");
  const { signals } = await hearing;
  assert.deepEqual(work(), ["task", "told"]);
  assert.deepEqual(kinds(signals).filter((kind) => kind === "result").length, 2);
  assert.equal(signals.findLast((signal) => signal.kind === "result")?.text, "second");
});

test("A8 words for an agent that is gone are said not to have arrived", async (t) => {
  const { driver, order } = stage(t);
  const one = order([{ say: "done" }]);
  await driver.start(one);
  await receiveAll(driver, one);
  const outcome = await driver.send(one, { key: "late", text: "hello" });
  assert.ok(outcome.kind === "failed" && !outcome.terminal);
});

test("A8 an interrupted agent lives on and takes other words", async (t) => {
  const { driver, order, work } = stage(t);
  const one = order([{ append: "begun" }, { await: "never" }]);
  await driver.start(one);
  await waitFor(() => (work().length > 0 ? true : undefined));
  assert.equal((await driver.interrupt(one)).kind, "sent");
  const said = JSON.stringify([{ append: "instead" }, { say: "done" }]);
  assert.equal((await driver.send(one, { key: "t", text: said })).kind, "sent");
  const { signals } = await receiveAll(driver, one);
  assert.deepEqual(work(), ["begun", "instead"]);
  assert.deepEqual(
    kinds(signals).filter((kind) => kind === "result"),
    ["result"],
  );
});

test("A6 a conversation is gone on with, and what was said in it before is not reported again", async (t) => {
  const { play, work } = stage(t);
  await play([{ say: "the old answer" }]);
  const signals = await play([{ say: "the new answer" }], { resume: "session-1" });
  assert.deepEqual(work(), ["loaded session-1"]);
  assert.deepEqual(asInstructed(signals.filter(({ kind }) => kind === "message")), [
    { kind: "message", from: "agent", text: "the new answer" },
  ]);
  assert.deepEqual(find(signals, "conversation"), { kind: "conversation", id: "session-1" });
});

test("A6 where a conversation cannot be loaded a new one begins, and that is said", async (t) => {
  const signals = await stage(t).play([{ say: "anew" }], { resume: "lost" });
  assert.equal(find(signals, "error").code, CONVERSATION_MISSING);
  assert.deepEqual(find(signals, "conversation"), { kind: "conversation", id: "session-1" });
  assert.equal(find(signals, "result").ok, true);
});

test("A1 what an agent asks for that is not offered is refused, and it goes on", async (t) => {
  const { play, work } = stage(t);
  const signals = await play([
    { request: "fs/read_text_file" },
    { request: "terminal/create" },
    { say: "done" },
  ]);
  assert.deepEqual(work(), ["fs/read_text_file: -32601", "terminal/create: -32601"]);
  assert.equal(find(signals, "result").ok, true);
});

test("A5 an agent that does not leave when all is said is ended, and its exit is no failure of it", async (t) => {
  const { play, folder } = stage(t);
  const stays = path.join(folder, "stays.mjs");
  writeFileSync(
    stays,
    `setInterval(() => {}, 1000); process.on = () => process; await import(${JSON.stringify(AGENT)});`,
  );
  const keep = `process.exit = () => undefined; ${readFileSync(stays, "utf8")}`;
  writeFileSync(stays, keep);
  const signals = await play([{ say: "done" }], { spec: { use: "acp", command: [process.execPath, stays] } });
  assert.deepEqual(kinds(signals).slice(-2), ["result", "exit"]);
  assert.deepEqual(signals.at(-1), { kind: "exit", how: "code", code: 0 });
});

for (const point of [
  "session.words.before#1",
  "session.words.after#2",
  "session.announce.after#2",
  "session.words.after#3",
  "session.announce.after#3",
])
  test(`A2 a supervisor killed at ${point} of the talk is followed by one that begins nothing twice`, async () => {
    const scene = new Scene(subject);
    try {
      const order = scene.order("counts");
      const first = startElsewhere(scene, order, { HOLDFAST_CRASH_AT: point });
      await new Promise((resolve) => first.process.once("exit", resolve));
      assert.equal(first.process.signalCode, "SIGKILL");
      const { signals } = await receiveAll(scene.driver, order);
      assert.deepEqual(progressOf(signals), numbers(60));
      assert.equal(readFileSync(path.join(scene.folder, "conversations.log"), "utf8"), "session-1\n");
    } finally {
      await scene.strike();
    }
  });
