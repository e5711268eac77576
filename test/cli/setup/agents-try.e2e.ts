import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { noTmux } from "../../agents/contract/tmux-subject.ts";
import { CliBench } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(2);

interface Reported {
  readonly ok: boolean;
  readonly recognised: readonly { readonly what: string; readonly seen: boolean; readonly detail: string }[];
  readonly proposed: { readonly agents: Readonly<Record<string, Record<string, unknown>>> } | null;
}

const LINES = `
for (const line of [
  { type: "start", session_id: "c-1" },
  { type: "tool", id: "1", name: "look", input: {} },
  { type: "say", text: "All is there.", usage: { input: 1200, output: 30 } },
  { type: "end", status: "success" },
]) console.log(JSON.stringify(line));
`;
const TALKER = `
while printf 'talker> ' && read -r task; do sleep 1; echo "I have done it."; done
`;
const MENU = `
printf 'Trust this folder?\\n> 1. Yes\\n  2. No\\n'
read -r answer; echo "$answer" > "$CANARY"
`;

async function tried(
  t: TestContext,
  spec: object,
  files: Readonly<Record<string, string>>,
  code = 0,
): Promise<{ readonly told: Reported; readonly bench: CliBench; readonly tmp: string }> {
  const bench = new CliBench(files);
  t.after(() => bench.close());
  bench.write("holdfast.json", JSON.stringify({ agents: { mine: spec } }));
  const tmp = path.join(bench.root, "tmp");
  mkdirSync(tmp);
  const words = ["agents", "try", "mine", "--offline", "--json", "--trust"];
  const ended = await bench.call(words, { env: { TMPDIR: tmp } });
  assert.equal(ended.code, code, ended.stdout + ended.stderr);
  return { told: JSON.parse(ended.stdout) as Reported, bench, tmp };
}

const seen = ({ recognised }: Reported): string[] =>
  recognised.flatMap((one) => (one.seen ? [one.what] : []));

test("A11 agents try recognises a program that prints text, and leaves nothing behind", async (t) => {
  const writer = 'read -r task; echo "I was asked: $task"; echo hello > hello.txt; echo "It is written."';
  const {
    told: reported,
    bench,
    tmp,
  } = await tried(t, { use: "command", command: ["sh", "writer"] }, { writer });
  assert.ok(reported.ok);
  assert.deepEqual(seen(reported), ["start", "prompt", "busy", "end"]);
  assert.equal(reported.proposed, null);
  assert.deepEqual(readdirSync(tmp), []);
  assert.ok(!readdirSync(bench.cwd).includes("hello.txt"), "it works in a folder of its own");
});

test("A11 agents try proposes rules for JSON Lines, and with them the lines are recognised", async (t) => {
  const spec = { use: "command", command: ["node", "lines.mjs", "{task}"] };
  const first = await tried(t, spec, { "lines.mjs": LINES });
  const proposed = first.told.proposed?.agents["mine"];
  assert.ok(proposed !== undefined);
  const second = await tried(t, { ...proposed, resume: ["--continue", "{session}"] }, { "lines.mjs": LINES });
  assert.deepEqual(seen(second.told), ["start", "prompt", "busy", "calls", "usage", "session", "end"]);
  assert.equal(second.told.proposed, null);
});

test("A11 A8 agents try learns a terminal program's prompt", { skip: noTmux }, async (t) => {
  const { told: reported } = await tried(t, { use: "tmux", command: ["sh", "talker"] }, { talker: TALKER });
  assert.ok(reported.ok);
  assert.equal(reported.proposed?.agents["mine"]?.["prompt"], "^talker>\\s*$");
});

test("A11 A9 agents try shows a dialog and answers none", { skip: noTmux }, async (t) => {
  const bench = new CliBench();
  t.after(() => bench.close());
  const canary = path.join(bench.root, "canary");
  const spec = { use: "tmux", command: ["sh", "menu"], env: { CANARY: canary } };
  const { told: reported } = await tried(t, spec, { menu: MENU }, 1);
  assert.match(
    reported.recognised.find(({ what }) => what === "dialog")?.detail ?? "",
    /Trust this folder\?/,
  );
  assert.ok(!readdirSync(bench.root).includes("canary"), "nothing was typed");
});

test("A11 B4 agents try calls no error a success, and names what cannot be started", async (t) => {
  const failing = { use: "command", command: ["sh", "failing"] };
  const limit = await tried(t, failing, { failing: 'echo "Error: no API key was found"' }, 1);
  assert.equal(limit.told.ok, false);
  const missing = await tried(t, { use: "command", command: ["no-such-agent"] }, {}, 1);
  assert.match(missing.told.recognised[0]?.detail ?? "", /"no-such-agent" was not found/);
});

test("A11 agents try starts nothing of a repository that is not trusted", async (t) => {
  const bench = new CliBench({ writer: "echo x > started" });
  t.after(() => bench.close());
  bench.write(
    "holdfast.json",
    JSON.stringify({ agents: { mine: { use: "command", command: ["sh", "writer"] } } }),
  );
  const ended = await bench.call(["agents", "try", "mine", "--offline"], { env: { HOLDFAST_TRUST: "" } });
  assert.equal(ended.code, 3, ended.stdout + ended.stderr);
  assert.ok(!readdirSync(bench.cwd).includes("started"));
});
