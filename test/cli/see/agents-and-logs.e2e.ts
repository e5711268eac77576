import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(1);

function benchFor(t: TestContext, files: Record<string, string> = {}): CliBench {
  const bench = new CliBench(files);
  t.after(() => bench.close());
  return bench;
}

/** A folder of programs that say nothing but their version. */
function programsIn(bench: CliBench, versions: Readonly<Record<string, string>>): string {
  const folder = path.join(bench.root, "bin");
  mkdirSync(folder);
  for (const [name, words] of Object.entries(versions)) {
    const file = path.join(folder, name);
    writeFileSync(file, `#!/bin/sh\necho '${words}'\n`);
    chmodSync(file, 0o755);
  }
  return folder;
}

interface Report {
  readonly kind: string;
  readonly state: string;
  readonly version: string | null;
  readonly known: boolean | null;
  readonly configured: readonly string[];
  readonly capabilities: { readonly resume: boolean };
  readonly remedy: string | null;
}

test("A1 O1 agents shows what is installed, in which version, whether that is known, and how to get the rest", async (t) => {
  const bench = benchFor(t, { "holdfast.json": JSON.stringify({ agents: { coder: { use: "codex" } } }) });
  const versions = { claude: "2.1.197 (Claude Code)", codex: "codex-cli 99.0.1", opencode: "no number" };
  const env = { PATH: programsIn(bench, versions) };
  const ended = await bench.call(["agents", "--json"], { env });
  assert.equal(ended.code, 0, ended.stderr);
  const { agents } = JSON.parse(ended.stdout) as { agents: Report[] };
  const reported = Object.fromEntries(agents.map((report) => [report.kind, report]));
  assert.deepEqual(
    [reported["claude"]?.state, reported["claude"]?.version, reported["claude"]?.known],
    ["ready", "2.1.197", true],
  );
  assert.equal(reported["claude"]?.remedy, null);
  assert.equal(reported["claude"]?.capabilities.resume, true);
  assert.deepEqual(
    [reported["codex"]?.version, reported["codex"]?.known, reported["codex"]?.configured],
    ["99.0.1", false, ["coder"]],
  );
  assert.match(reported["codex"]?.remedy ?? "", /99\.0\.1 .*not tested against/);
  assert.deepEqual(
    [reported["opencode"]?.state, reported["opencode"]?.version, reported["opencode"]?.known],
    ["ready", null, false],
  );
  assert.equal(reported["gemini"]?.state, "missing");
  assert.match(reported["gemini"]?.remedy ?? "", /npm install -g @google\/gemini-cli/);
  assert.equal(reported["demo"]?.state, "ready");
  const text = await bench.call(["agents"], { env });
  assert.match(text.stdout, /^codex +ready +99\.0\.1 \(unknown to us\)/m);
});

test("A1 A11 an agent that is configured with a program of its own is not called missing", async (t) => {
  const bench = benchFor(t);
  const bin = programsIn(bench, { "my-claude": "2.1.197" });
  const agents = {
    coder: { use: "claude", command: [path.join(bin, "my-claude")] },
    other: { use: "gemini" },
    own: { use: "command", command: ["no-such-program", "{task}"] },
  };
  bench.write("holdfast.json", JSON.stringify({ agents }));
  const ended = await bench.call(["agents", "--json"], { env: { PATH: bin } });
  assert.equal(ended.code, 0, ended.stderr);
  const reported = JSON.parse(ended.stdout) as {
    agents: Report[];
    configured: { name: string; state: string }[];
  };
  assert.deepEqual(
    reported.agents.flatMap(({ kind, state }) => (kind === "claude" || kind === "gemini" ? [state] : [])),
    ["ready", "missing"],
  );
  assert.deepEqual(
    reported.configured.map(({ name, state }) => `${name} ${state}`),
    ["coder ready", "other missing", "own missing"],
  );
  const text = await bench.call(["agents"], { env: { PATH: bin } });
  assert.doesNotMatch(text.stdout, /→ claude|"coder"/);
  assert.match(text.stdout, /→ agent "own": the program "no-such-program" was not found on PATH/);
});

test("A1 P4 an agent whose program is not installed is refused with what to install", async (t) => {
  const bench = benchFor(t);
  const env = { PATH: programsIn(bench, {}) };
  const { code, stderr } = await bench.call(["run", "hello", "--agent", "claude", "--id", "r1"], { env });
  assert.equal(code, 2);
  assert.match(
    stderr,
    /agent "claude": the program "claude" was not found on .*npm install -g @anthropic-ai\/claude-code/,
  );
});

test("O1 logs prints what the agents of a run printed, each line once, and makes control characters harmless", async (t) => {
  const acts = [
    { do: "garbage", text: "\u001b[31mred\u0007 and plain" },
    { do: "half", text: "the last words" },
    { do: "exit", code: 1 },
  ];
  const done = [{ do: "claim", ok: true, text: "done" }];
  const bench = benchFor(t, { "twice.json": JSON.stringify({ attempts: [acts, done] }) });
  const ran = await bench.call(["run", "talk", "--agent", "demo:./twice.json", "--id", "talk"]);
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  const { stdout, stderr, code } = await bench.call(["logs", "talk"]);
  assert.equal(code, 0);
  assert.ok(stdout.includes("␛[31mred␇ and plain\nthe last words\n"), stdout);
  assert.ok(!stdout.includes("\u001b"));
  assert.equal(stdout.match(/red/g)?.length, 1);
  assert.deepEqual(stderr.match(/── work#\d/g), ["── work#1", "── work#2"]);
  const lines = (await bench.call(["logs", "talk", "--follow", "--json"])).stdout.trimEnd().split("\n");
  const records = lines.map((line) => JSON.parse(line) as Record<string, string>);
  assert.deepEqual(Object.keys(records[0] ?? {}), [
    "run",
    "step",
    "attempt",
    "agent",
    "stream",
    "text",
    "cursor",
  ]);
  assert.ok(records.some(({ text }) => text === "\u001b[31mred\u0007 and plain"));
  const wrong = await bench.call(["logs", "talk", "--step", "wrok"]);
  assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /--step is "wrok".*work/);
});

test("A7 O1 run and logs show what was used as it comes; with --json nothing of it is on stdout", async (t) => {
  const script = {
    attempts: [
      [
        { do: "tool", name: "edit", result: "ok" },
        { do: "usage", tokensIn: 12_000, tokensOut: 400, usd: 0.25 },
        { do: "claim", ok: true, text: "done" },
      ],
    ],
  };
  const bench = benchFor(t, { "uses.json": JSON.stringify(script) });
  const run = await bench.call(["run", "it", "--agent", "demo:uses.json", "--id", "uses"]);
  assert.match(run.stdout, /so far: 1 call · 12\.4k tokens · \$0\.25\n/);
  const logs = await bench.call(["logs", "uses", "--follow"]);
  assert.match(logs.stderr, /── 1 call · 12\.4k tokens · \$0\.25\n/);
  const json = await bench.call(["logs", "uses", "--json"]);
  assert.doesNotMatch(json.stdout + json.stderr, /12\.4k/);
  for (const line of json.stdout.trim().split("\n")) JSON.parse(line);
});
