import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { attemptId } from "../../src/model/ids.ts";
import { CliBench } from "./cli-process.ts";

const CLI = fileURLToPath(new URL("./run-cli.ts", import.meta.url));
const HANGS = JSON.stringify({ attempts: [[{ do: "say", text: "begun" }, { do: "hang" }]] });

interface Reply {
  readonly id: number;
  readonly result?: { readonly content?: readonly { readonly text: string }[]; readonly isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string };
}

/** A client of `holdfast mcp`, as an agent has one. */
function client(t: TestContext, bench: CliBench, attempt: string) {
  const env = { ...process.env, HOLDFAST_MCP_RUN: "talk", HOLDFAST_MCP_ATTEMPT: attempt };
  const child = spawn(process.execPath, [CLI, "mcp", "--store", `sqlite:${bench.store}`], {
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
  await bench.json(["run", "paint it", "--agent", "dev", "--detach", "--id", "talk", "--budget", "5"]);
  await bench.hears("talk", "begun");
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
  await bench.hears("talk", "half of it");
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

test("O4 one attempt cannot speak for another, nor after its end; bad calls are told apart from it", async (t) => {
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
