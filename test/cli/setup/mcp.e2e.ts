import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { builtProgram } from "../../built-program.ts";
import { openDoor } from "../../../src/agents/mcp-door.ts";
import { attemptId } from "../../../src/model/ids.ts";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(5);

const CLI = builtProgram(fileURLToPath(new URL("../run-cli.ts", import.meta.url)));
const HANGS = JSON.stringify({
  attempts: [
    [{ do: "say", text: "begun" }, { do: "hang" }],
    [{ do: "say", text: "begun again" }, { do: "hang" }],
  ],
});

interface Reply {
  readonly id: number;
  readonly result?: { readonly content?: readonly { readonly text: string }[]; readonly isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string };
}

/** What it says of itself, where that is not the truth. */
interface Shown {
  readonly run?: string;
  readonly token?: string;
}

/** A client of `holdfast mcp`, as an agent has one. */
function client(t: TestContext, bench: CliBench, attempt: string, shown: Shown = {}) {
  const door = openDoor(`${bench.store}-sessions`, `sqlite:${bench.store}`);
  const { run = "talk", token = door.tokenOf({ run, attempt }) } = shown;
  const env = {
    ...process.env,
    HOLDFAST_MCP_DOOR: door.file,
    HOLDFAST_MCP_RUN: run,
    HOLDFAST_MCP_ATTEMPT: attempt,
    HOLDFAST_MCP_TOKEN: token,
  };
  const child = spawn(process.execPath, [CLI, "mcp"], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  t.after(() => child.kill());
  const waiting = new Map<number, (reply: Reply) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const reply = JSON.parse(line) as Reply;
    waiting.get(reply.id)?.(reply);
  });
  let calls = 0;
  const request = (method: string, params: object): Promise<Reply> =>
    new Promise((resolve) => {
      const id = (calls += 1);
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  return {
    request,
    end: () => child.stdin.end(),
    write: (text: string) => child.stdin.write(text),
    tool: async (name: string, given: object = {}): Promise<{ text: string; isError: boolean }> => {
      const { result } = await request("tools/call", { name, arguments: given });
      return { text: result?.content?.[0]?.text ?? "", isError: result?.isError ?? false };
    },
  };
}

/** A run whose agent is at work until the test is over. */
async function atWork(t: TestContext): Promise<CliBench> {
  const bench = new CliBench({
    "hangs.json": HANGS,
    "holdfast.json": JSON.stringify({ agents: { dev: { use: "demo", script: "hangs.json" } } }),
  });
  t.after(() => bench.close());
  await bench.json([
    "run",
    "paint it",
    "--agent",
    "dev",
    "--detach",
    "--id",
    "talk",
    "--budget",
    "5",
    "--budget-by",
    "turns=1000",
  ]);
  await bench.receives("talk", "begun");
  return bench;
}

test("O4 an agent reads its task, reports progress, and has a person's answer to its question", async (t) => {
  const bench = await atWork(t);
  const { request, tool } = client(t, bench, attemptId("work", 1));
  const { result } = await request("initialize", { protocolVersion: "2025-06-18", capabilities: {} });
  assert.ok(result !== undefined);
  const task = await tool("read_task");
  assert.match(task.text, /"task": "paint it"/);
  assert.match(task.text, /"usd": 5/);
  assert.deepEqual(await tool("report_progress", { text: "half of it", percent: 50 }), {
    text: "noted",
    isError: false,
  });
  await bench.receives("talk", "half of it");
  const asking = tool("ask_person", { question: "Which colour?" });
  await bench.reaches("talk", "blocked");
  const inbox = await bench.call(["inbox"]);
  assert.match(inbox.stdout, /Which colour\?/);
  const unblocked = await bench.call(["unblock", "talk.e1", "--note", "blue"]);
  assert.equal(unblocked.code, 0, unblocked.stdout + unblocked.stderr);
  assert.deepEqual(await asking, { text: "blue", isError: false });
  assert.deepEqual(await tool("ask_person", { question: "Which colour?" }), { text: "blue", isError: false });
  await bench.reaches("talk", "running");
  await bench.call(["cancel", "talk"]);
});

test("O4 one attempt cannot speak for another, nor after its end; bad calls are distinguished from it", async (t) => {
  const bench = await atWork(t);
  const stranger = client(t, bench, attemptId("work", 2));
  const refused = await stranger.tool("report_progress", { text: "done" });
  assert.ok(refused.isError);
  assert.match(refused.text, /is not at work/);
  assert.ok((await stranger.tool("read_task")).isError);
  const own = client(t, bench, attemptId("work", 1));
  for (const given of [{}, { text: " " }, { text: "x", percent: 101 }]) {
    const { text, isError } = await own.tool("report_progress", given);
    assert.ok(isError && /expected/.test(text), text);
  }
  assert.equal((await own.request("tools/call", { name: "no_such" })).error?.code, -32_602);
  assert.equal((await own.request("resources/list", {})).error?.code, -32_601);
  own.write("not json\n");
  await bench.call(["cancel", "talk"]);
  await bench.reaches("talk", "cancelled");
  assert.ok((await own.tool("report_progress", { text: "late" })).isError);
});

test("O4 L9 an agent notes where it stands and sets an alarm: status shows both, and one that is set can be taken back", async (t) => {
  const bench = await atWork(t);
  const { tool } = client(t, bench, attemptId("work", 1));
  const saved = await tool("save_checkpoint", {
    done: "the frame",
    next: "the door",
    questions: "which lock?",
  });
  assert.ok(!saved.isError, saved.text);
  const set = await tool("set_alarm", { in: "20m", note: "is the paint dry?" });
  assert.match(set.text, /^talk\.a1 rings at /);
  const task = JSON.parse((await tool("read_task")).text) as Record<string, unknown>;
  assert.deepEqual(Object.keys(task["budgetLeft"] as object), [
    ...["usd", "tokens", "timeMs", "until", "attempts", "checkTries"],
  ]);
  const { usd, tokens, timeMs, attempts } = task["budgetLeft"] as Record<string, unknown>;
  assert.deepEqual([usd, tokens, attempts], [5, "unlimited", 3]);
  assert.ok(typeof timeMs === "number" && timeMs > 3_600_000 && timeMs < 4 * 3_600_000);
  assert.match(JSON.stringify(task["noted"]), /the frame/);
  assert.match(JSON.stringify(task["alarms"]), /is the paint dry/);
  const status = (await bench.call(["status", "talk"])).stdout;
  assert.match(status, /noted\s+work#1 noted at .*next: the door/);
  assert.match(status, /alarm\s+talk\.a1 rings at .*is the paint dry\? \(set by agent work#1\)/);
  assert.match((await bench.call(["why", "talk"])).stdout, /open questions: which lock\?/);
  for (const [name, given] of [
    ["set_alarm", { in: "soon", note: "x" }],
    ["set_alarm", { in: "8d", note: "x" }],
    ["set_alarm", { in: "1m" }],
    ["save_checkpoint", {}],
    ["save_checkpoint", { done: 7 }],
    ["save_checkpoint", { done: "x".repeat(9_000) }],
  ] as const) {
    const { text, isError } = await tool(name, given);
    assert.ok(isError && /expected/.test(text), text);
  }
  assert.equal((await tool("cancel_alarm", { alarm: "talk.a1" })).text, "talk.a1 will not ring");
  assert.ok((await tool("cancel_alarm", { alarm: "talk.a1" })).isError);
  const report = (await bench.call(["report", "talk"])).stdout;
  assert.match(report, /alarm talk.*a1 set by agent work/);
  await bench.call(["cancel", "talk"]);
});

test("O4 a token speaks for its own attempt alone: none, another's, another run's and a stale one are refused, recorded in the journal of the run they were tried on, and change nothing", async (t) => {
  const bench = await atWork(t);
  const [first, second] = [attemptId("work", 1), attemptId("work", 2)];
  const door = openDoor(`${bench.store}-sessions`, `sqlite:${bench.store}`);
  assert.equal(statSync(door.file).mode & 0o777, 0o600);
  const journal = async (): Promise<string> => (await bench.call(["events", "talk", "--json"])).stdout;
  const before = await journal();
  assert.ok(!before.includes(door.tokenOf({ run: "talk", attempt: first })), "no journal holds a token");
  for (const [shown, words] of [
    [{ token: "" }, /without its token/],
    [{ token: "0".repeat(64) }, /is not that of work#1 of talk/],
    [{ token: door.tokenOf({ run: "talk", attempt: second }) }, /is not that of work#1 of talk/],
    [{ token: door.tokenOf({ run: "other", attempt: first }) }, /is not that of work#1 of talk/],
    [
      { run: "other", token: door.tokenOf({ run: "talk", attempt: first }) },
      /is not that of work#1 of other/,
    ],
    [{ run: "other" }, /no run "other"/],
  ] as const) {
    const { tool } = client(t, bench, first, shown);
    for (const name of ["read_task", "report_progress", "set_alarm", "save_checkpoint", "ask_person"]) {
      const given = { text: "x", in: "1m", note: "x", done: "x", question: "x", alarm: "talk.a1" };
      const { text, isError } = await tool(name, given);
      assert.ok(isError, name);
      assert.match(text, words);
    }
  }
  // Once for each server that was refused on this run, however often it called; nothing else is written.
  const after = (await bench.eventsOf("talk")).slice(before.split("\n").filter(Boolean).length);
  const received = after.filter(
    (event) => event.type === "RequestHeard" && event.data.by === "unproven agent",
  );
  const answers = after.filter(
    (event) => event.type === "RequestAnswered" && event.data.answer.kind === "refused",
  );
  assert.deepEqual([received.length, answers.length, after.length], [4, 4, 8]);
  const stale = client(t, bench, first);
  assert.ok(!(await stale.tool("read_task")).isError);
  await bench.call(["pause", "talk"]);
  await bench.reaches("talk", "paused");
  await bench.call(["resume", "talk"]);
  await bench.receives("talk", "begun again");
  const { text, isError } = await stale.tool("report_progress", { text: "mine" });
  assert.ok(isError);
  assert.match(text, /work#1 of talk is not at work any more/);
  assert.ok(!(await journal()).includes("mine"));
  assert.ok(!(await client(t, bench, second).tool("read_task")).isError);
  await bench.call(["cancel", "talk"]);
});
