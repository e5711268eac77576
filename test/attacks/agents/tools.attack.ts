import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { openDoor } from "../../../src/agents/mcp-door.ts";
import { attemptId } from "../../../src/model/ids.ts";
import { builtProgram } from "../../built-program.ts";
import { CliBench } from "../../cli/cli-process.ts";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";

const CLI = builtProgram(path.join(import.meta.dirname, "..", "..", "cli", "run-cli.ts"));
const TOOLS = ["read_task", "report_progress", "set_alarm", "save_checkpoint", "cancel_alarm"];
const GIVEN = { text: "intruded", in: "1m", note: "intruded", done: "intruded", alarm: "b.a1" };

/** One server of tools, as an agent starts it; what it answered to a call of each tool. */
function callTools(env: Record<string, string>): { readonly isError: boolean; readonly text: string }[] {
  const calls = TOOLS.map((name, id) => ({
    ...{ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: GIVEN } },
  }));
  const input = calls.map((call) => `${JSON.stringify(call)}\n`).join("");
  const { stdout } = spawnSync(process.execPath, [CLI, "mcp"], {
    ...{ input, encoding: "utf8", timeout: 120_000, env: { ...process.env, ...env } },
  });
  const replies = stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Reply);
  assert.equal(replies.length, TOOLS.length, stdout);
  return replies.map(({ result }) => ({ isError: result.isError, text: result.content[0]?.text ?? "" }));
}

interface Reply {
  readonly result: { readonly isError: boolean; readonly content: readonly { readonly text: string }[] };
}

/** Two runs at work; the agent of one calls the tools of the other, with whatever token it has. */
async function cross({ count }: Stage): Promise<Tried> {
  const hangs = JSON.stringify({ attempts: [[{ do: "say", text: "begun" }, { do: "hang" }]] });
  const bench = new CliBench({ "hangs.json": hangs });
  try {
    for (const run of ["a", "b"]) {
      const begun = await bench.call(["run", "x", "--agent", "demo:hangs.json", "--detach", "--id", run]);
      assert.equal(begun.code, 0, begun.stderr);
      await bench.receives(run, "begun");
    }
    const door = openDoor(`${bench.store}-sessions`, `sqlite:${bench.store}`);
    const attempt = attemptId("work", 1);
    const own = door.tokenOf({ run: "a", attempt });
    const envOf = (run: string, token: string) => ({
      HOLDFAST_MCP_DOOR: door.file,
      HOLDFAST_MCP_RUN: run,
      HOLDFAST_MCP_ATTEMPT: attempt,
      HOLDFAST_MCP_TOKEN: token,
    });
    assert.equal(callTools(envOf("a", own))[0]?.isError, false, "an agent's own tools work");
    const tokens = [own, "", "0".repeat(64), own.slice(0, 63), door.tokenOf({ run: "b", attempt: "work#2" })];
    const succeeded: string[] = [];
    for (const token of tokens.slice(0, count))
      for (const { isError, text } of callTools(envOf("b", token)))
        if (!isError) succeeded.push(`a token of another attempt was taken: ${text}`);
    const events = await bench.eventsOf("b");
    const received = events.filter(
      (event) => event.type === "RequestHeard" && event.data.by === "unproven agent",
    );
    const tries = Math.min(tokens.length, count);
    if (received.length < tries)
      succeeded.push(`${String(tries - received.length)} servers were refused without a record`);
    const signals = events.filter((event) => event.type === "SignalsHeard");
    if (JSON.stringify(signals).includes("intruded"))
      succeeded.push("words of another agent are in the journal");
    return tried(tries * TOOLS.length, succeeded);
  } finally {
    await bench.close();
  }
}

export const attacks: readonly Attack[] = [
  {
    // The short form is test/cli/setup/mcp.e2e.ts.
    ...{ threat: "T31", level: "no sandbox", promised: "prevented", count: { full: 5, short: 0 } },
    title:
      "the agent of one run calls the tools of another with the tokens it has, and each is refused and recorded",
    run: cross,
  },
];
