import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Command } from "commander";
import { commandTree } from "../../../src/cli/shell/command-tree.ts";
import { runCommand } from "../../../src/cli/main.ts";
import { Output } from "../../../src/cli/print/output.ts";
import { ofTheDay, printSample } from "../../day-sample.ts";
import { CliBench } from "../cli-process.ts";

const CALLS_AT_ONCE = 4;
const noWriters = { out: () => undefined, err: () => undefined };
const tree = await commandTree(() => async () => undefined, noWriters);

/** Every command of the tree, by the words that call it. */
const walk = (command: Command, words: string[]): string[][] => [
  words,
  ...command.commands.flatMap((child) => walk(child, [...words, child.name()])),
];
const commands = walk(tree, []);

/** How each command is called so that it comes to an end by itself, in a store with the run `r1`. */
const CALLS: Record<string, string[]> = {
  run: ["run", "say hello", "--agent", "demo"],
  up: ["up", "--detach"],
  // Takes its time: with a word too many it does not begin. test/cli/work/demo.e2e.ts has the rest.
  demo: ["demo", "twice"],
  down: ["down"],
  // Refused, since the folder is there; test/cli/files/backup.e2e.ts has the rest.
  backup: ["backup", "."],
  gc: ["gc", "--dry-run"],
  // Without a value it does not begin; test/cli/files/scrub.e2e.ts has the rest.
  scrub: ["scrub", "r1", "--value-file", "missing"],
  "restore-store": ["restore-store", "."],
  // Lasts until it is interrupted; where it may not listen it does not begin. test/api has the rest.
  serve: ["serve", "--listen", "0.0.0.0:0"],
  // Without an address that it may listen on it starts nothing in the background.
  dashboard: ["dashboard", "--listen", "nowhere"],
  token: ["token"],
  "token create": ["token", "create", "wall"],
  "token list": ["token", "list"],
  "token revoke": ["token", "revoke", "nobody"],
  // Without its file it does not begin; test/cli/continuous has the rest.
  continuous: ["continuous", "missing.yaml"],
  "continuous list": ["continuous", "list"],
  "continuous status": ["continuous", "status", "night"],
  "continuous pause": ["continuous", "pause", "night"],
  "continuous resume": ["continuous", "resume", "night"],
  "continuous stop": ["continuous", "stop", "night"],
  "continuous skip": ["continuous", "skip", "night", "goal-1"],
  mission: ["mission"],
  // Without its file it does not begin; test/cli/mission has the rest.
  "mission start": ["mission", "start", "missing.yaml"],
  "mission replan": ["mission", "replan", "missing.yaml"],
  "mission push": ["mission", "push", "shop"],
  "mission status": ["mission", "status", "shop"],
  "mission list": ["mission", "list"],
  "mission diff": ["mission", "diff", "shop"],
  "mission launch": ["mission", "launch", "shop", "--workstream", "api"],
  "mission autopilot": ["mission", "autopilot", "shop"],
  "mission approve": ["mission", "approve", "shop"],
  "mission pause": ["mission", "pause", "shop"],
  "mission resume": ["mission", "resume", "shop"],
  "mission stop": ["mission", "stop", "shop"],
  "mission reconcile": ["mission", "reconcile", "shop"],
  "mission skip": ["mission", "skip", "docs"],
  "mission pass": ["mission", "pass", "designed"],
  stop: ["stop", "--all"],
  start: ["start"],
  watch: ["watch", "--once"],
  wait: ["wait", "r1"],
  status: ["status", "r1"],
  runs: ["runs"],
  events: ["events", "r1"],
  logs: ["logs", "r1"],
  why: ["why", "r1"],
  attach: ["attach", "r1"],
  investigate: ["investigate", "r1"],
  unlock: ["unlock"],
  unpause: ["unpause"],
  report: ["report", "r1"],
  resume: ["resume", "r1"],
  pause: ["pause", "r1"],
  cancel: ["cancel", "r1"],
  retry: ["retry", "r1"],
  reopen: ["reopen", "r1"],
  signal: ["signal", "r1", "approval", "true"],
  settle: ["settle", "r1", "step:pay", "--again"],
  set: ["set", "r1", "budget.usd=40"],
  inbox: ["inbox"],
  mcp: ["mcp"],
  approve: ["approve", "r1"],
  reject: ["reject", "r1", "--note", "again"],
  unblock: ["unblock", "r1.e1"],
  checkpoint: ["checkpoint", "r1"],
  checkpoints: ["checkpoints", "r1"],
  changes: ["changes", "r1"],
  proposals: ["proposals", "r1"],
  proposal: ["proposal"],
  "proposal show": ["proposal", "show", "r1.p1"],
  "proposal apply": ["proposal", "apply", "r1.p1"],
  "proposal reject": ["proposal", "reject", "r1.p1", "--note", "not yet"],
  handoff: ["handoff", "r1", "--to", "demo"],
  restore: ["restore", "r1"],
  reissue: ["reissue", "r1", "--reason", "drift"],
  reconcile: ["reconcile", "r1", "--accept-head"],
  accept: ["accept", "r1"],
  commit: ["commit", "r1"],
  trust: ["trust", "r1"],
  approver: ["approver"],
  // With a word too many it does not begin to read. test/attacks/gates/open-gates.e2e.ts has the rest.
  "approver add": ["approver", "add", "anna", "twice"],
  "approver list": ["approver", "list"],
  "approver remove": ["approver", "remove", "anna"],
  escalate: ["escalate", "r1", "--note", "look"],
  alarm: ["alarm", "r1", "--in", "20m", "--note", "look"],
  alarms: ["alarms"],
  tell: ["tell", "r1", "hello"],
  init: ["init", "--print"],
  validate: ["validate", "flow.yaml"],
  verify: ["verify", "r1"],
  salvage: ["salvage", "r1"],
  fork: ["fork", "r1", "--at", "1"],
  export: ["export", "r1"],
  replay: ["replay", "r1"],
  diff: ["diff", "r1", "r1"],
  archive: ["archive", "--older-than", "0d", "--dry-run"],
  assess: ["assess", "trace.jsonl"],
  // test/web/view.page.ts has the rest.
  view: ["view", "missing.jsonl"],
  agents: ["agents"],
  "agents try": ["agents", "try", "demo", "--offline"],
  doctor: ["doctor"],
  hosts: ["hosts"],
  drain: ["drain"],
  chaos: ["chaos"],
  // Lasts until it is interrupted; without its script it does not begin. test/chaos has the rest.
  "chaos model": ["chaos", "model", "--script", "missing.yaml"],
  config: ["config"],
  "config schema": ["config", "schema"],
  "config show": ["config", "show"],
  completion: ["completion", "bash"],
};

/** What is printed as JSON Lines. */
const STREAMS = ["events", "export", "logs", "watch"];

const bench = new CliBench({ "trace.jsonl": '{"t_ms":0,"kind":"user","result":"hello"}\n' });
before(async () => {
  const done = await bench.call(["run", "say hello", "--agent", "demo", "--id", "r1"]);
  assert.equal(done.code, 0, done.stderr);
});
after(() => bench.close());

/** Several processes at once, as many as the machine bears. */
async function each<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await check(item);
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, worker));
}

/** In this process: what ends before it begins needs none of its own. The test after these starts one for each. */
async function here(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const sink = () => ({ text: "", isTTY: false, write: (_: string): boolean => true });
  const [stdout, stderr] = [sink(), sink()];
  for (const one of [stdout, stderr])
    one.write = (text) => {
      one.text += text;
      return true;
    };
  const code = await runCommand(args, new Output({ json: false, stdout, stderr }));
  return { code, stdout: stdout.text, stderr: stderr.text };
}

describe("the whole command tree", () => {
  test("O1 every command has a row in this table", () => {
    assert.deepEqual(
      Object.keys(CALLS).sort(),
      commands
        .slice(1)
        .map((words) => words.join(" "))
        .sort(),
    );
  });

  test("O1 every command answers --help with at least two examples, and exits 0", async () => {
    await each(commands, async (words) => {
      const { code, stdout, stderr } = await here([...words, "--help"]);
      assert.deepEqual([code, stderr], [0, ""], words.join(" "));
      const examples = stdout.slice(stdout.indexOf("\nExamples:\n")).match(/^ {2}holdfast \S/gm) ?? [];
      assert.ok(examples.length >= 2, `${words.join(" ")} shows ${String(examples.length)} examples`);
      assert.match(stdout, /--json/);
    });
  });

  test("P4 every command refuses an unknown option with exit 2 and names the nearest", async () => {
    await each(commands, async (words) => {
      const { code, stdout, stderr } = await here([...words, "--jsom"]);
      assert.deepEqual([code, stdout], [2, ""], `${words.join(" ")}: ${stderr}`);
      assert.match(stderr, /unknown option '--jsom' \(Did you mean --json\?\)/, words.join(" "));
    });
  });

  test("O1 every command with --json prints JSON on stdout and nothing else, and waits for no input", async (t) => {
    // One after another: they ask something of the same run.
    const calls = ofTheDay(Object.entries(CALLS), 4);
    printSample(t, `${String(calls.length)} of ${String(Object.keys(CALLS).length)} commands`);
    for (const [name, args] of calls) {
      const { code, stdout, stderr } = await bench.call([...args, "--json"], { stdin: "open" });
      assert.ok([0, 2, 4, 5].includes(code ?? -1), `${name} ended with ${String(code)}: ${stderr}`);
      const documents = STREAMS.includes(name) ? stdout.trimEnd().split("\n") : [stdout];
      for (const text of documents) {
        const value = JSON.parse(text) as { error?: { code: string; message: string; details: unknown } };
        assert.equal(typeof value, "object", name);
        assert.equal(value.error !== undefined, code !== 0, name);
        if (value.error !== undefined)
          assert.deepEqual(Object.keys(value.error), ["code", "message", "details"]);
      }
      if (code === 0) assert.equal(stderr, "", name);
      else assert.match(stderr, /^holdfast: |^Usage: /, name);
    }
  });
});

test("P4 a misspelt command exits 2 and names the nearest; none at all shows the help on stderr", async () => {
  const wrong = await bench.call(["stauts"]);
  assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /unknown command 'stauts' \(Did you mean status\?\)/);
  const none = await bench.call([]);
  assert.deepEqual([none.code, none.stdout], [2, ""]);
  assert.match(none.stderr, /Usage: holdfast/);
  const json = await bench.call(["stauts", "--json"]);
  assert.equal((JSON.parse(json.stdout) as { error: { code: string } }).error.code, "usage");
});

test("O1 global options are good before and after the command", async () => {
  const before = await bench.call(["--json", "--store", `sqlite:${bench.store}`, "status", "r1"]);
  const after = await bench.call(["status", "r1", "--store", `sqlite:${bench.store}`, "--json"]);
  assert.equal(before.stdout, after.stdout);
  assert.equal((JSON.parse(after.stdout) as { run: string }).run, "r1");
});

test("P4 words that were not quoted are reported as such", async () => {
  const { code, stderr } = await bench.call(["run", "say", "hello", "--agent", "demo"]);
  assert.equal(code, 2);
  assert.match(stderr, /quote the goal/);
});

test("O1 completion scripts know every command and every option of the tree", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout } = await bench.call(["completion", shell]);
    assert.equal(code, 0);
    for (const words of commands.slice(1))
      assert.ok(stdout.includes(words.at(-1) ?? ""), `${shell}: ${words.join(" ")}`);
    for (const option of ["json", "store", "follow", "stop-agents", "detach"])
      assert.ok(stdout.includes(option), `${shell}: ${option}`);
    assert.ok(!stdout.includes("in-background"), "what is hidden is not completed");
  }
});
