import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { builtProgram } from "../../built-program.ts";
import { CliBench, type CliProcess } from "../../cli/cli-process.ts";
import { nastyTexts } from "../tmux/nasty-texts.ts";
import { asWord, nastyInputs, OPTION_LIKE } from "./nasty-sessions.ts";

const CALLS = builtProgram(path.join(import.meta.dirname, "command-calls.ts"));
const RECORDER = path.join(import.meta.dirname, "recorder.sh");
/** Asks for leave, and takes the answer with its next attempt. */
const ASKS = `
export async function asks({ emit, number }) {
  if (number > 1) return "with the answer";
  await emit({ kind: "blocked", reason: "approval_transition", text: "may I?" });
  await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
}
`;

/** Everything at once: what looks like an option in front, and every command that should never run. */
const allInOne = (canary: string): string =>
  [
    "--version",
    ...OPTION_LIKE,
    ...nastyTexts(43, canary).map((text) => asWord(text).slice(0, 200).toWellFormed()),
  ].join(" ");

/** Of many texts, every so manieth goes through processes of its own; the others share one. */
const OWN_PROCESSES_EACH = 30;
/** One process takes so many texts, and the next begins afresh. */
const TEXTS_PER_PROCESS = 25;

const FLOW = {
  name: "noted",
  steps: [{ name: "work", task: "{goal}", agent: "real", phase: "all" }],
  phases: [{ name: "all", gate: { name: "seen", kind: "approval" } }],
};

/** Each of these has a home of its own; most of the time a call waits for others. */
const LANES = 3;

/** So many nasty strings on the command line: as goal, agent, run, words to an agent, and note of an answer. */
export async function playCommands(
  count: number,
  report: (text: string) => void = () => undefined,
): Promise<void> {
  let done = 0;
  const played = (): void => {
    done += 1;
    if (done % 25 === 0) report(`${String(done)} of ${String(count)} on the command line`);
  };
  const lanes = Array.from({ length: Math.min(count, LANES) }, (_, lane) => playLane(count, lane, played));
  await Promise.all(lanes);
}

async function playLane(count: number, lane: number, played: () => void): Promise<void> {
  const bench = new CliBench({ "agents.mjs": ASKS, "noted.json": JSON.stringify(FLOW) }, CALLS);
  const canary = path.join(bench.cwd, "canary");
  let calls = new CommandCalls(bench);
  try {
    // What no command line can hold is left out, and others come for it.
    const words = [allInOne(canary), ...nastyInputs(2 * count, canary).map(asWord)];
    const texts = words.filter((text) => text !== "" && Buffer.byteLength(text) < 100_000).slice(0, count);
    assert.equal(texts.length, count);
    for (const [index, text] of texts.entries()) {
      if (index % LANES !== lane) continue;
      if (index % OWN_PROCESSES_EACH === 0) await playText(bench, text, index);
      await playShared(bench, calls, text, index);
      played();
      if (index % (TEXTS_PER_PROCESS * LANES) < LANES) {
        await calls.close();
        calls = new CommandCalls(bench);
      }
    }
    assert.equal(existsSync(canary), false, "a text was executed");
  } finally {
    await calls.close();
    await bench.close();
  }
}

/** The command line in one process that lives on; see command-calls.ts. */
class CommandCalls {
  readonly #process: CliProcess;
  #answers = 0;

  constructor(bench: CliBench) {
    this.#process = bench.start([], { stdin: "open", limitMs: 900_000 });
  }

  /** The exit code of a call. */
  async code(...args: string[]): Promise<number> {
    const nth = this.#answers;
    this.#process.child.stdin?.write(`${JSON.stringify(args)}\n`);
    const lines = (): string[] => this.#process.stdout().split("\n").slice(0, -1);
    for (const until = Date.now() + 120_000; lines().length <= nth; await delay(10))
      assert.ok(Date.now() < until && this.#process.child.exitCode === null, `no answer to ${args[0] ?? ""}`);
    this.#answers += 1;
    const { code, stderr } = JSON.parse(lines()[nth] ?? "") as { code: number; stderr: string };
    assert.doesNotMatch(stderr, STACK, "a stack trace was shown");
    return code;
  }

  async close(): Promise<void> {
    this.#process.child.stdin?.end();
    await this.#process.ended;
  }
}

const STACK = /^\s+at .*:\d+:\d+\)?$/m;

/** Writes a configuration by which the agent records what it is given; answers where. */
function configure(bench: CliBench, text: string, name: string, idleExitMs: number): string {
  const record = path.join(bench.cwd, `record-${name}`);
  mkdirSync(record);
  const real = { use: "claude", command: ["/bin/sh", RECORDER], env: { RECORD: record, NASTY: text } };
  const supervisor = { idleExitMs, scanMs: 100 };
  bench.write(
    "holdfast.json",
    JSON.stringify({ agents: { real }, supervisor, startup: { termGraceMs: 300 } }),
  );
  return record;
}

function assertRecorded(record: string, text: string): void {
  assert.equal(readFileSync(path.join(record, "input"), "utf8"), text);
  assert.equal(readFileSync(path.join(record, "value"), "utf8"), text);
}

async function playShared(bench: CliBench, calls: CommandCalls, text: string, index: number): Promise<void> {
  const run = `shared-${String(index)}`;
  const record = configure(bench, text, run, 20_000);
  assert.equal(await calls.code("run", "--flow", "noted.json", "--id", run, "--", text), 3);
  assertRecorded(record, text);
  assert.equal(await calls.code("run", `--agent=${text}`, "--id", `not-${run}`, "--", text), 2);
  const asRun = await calls.code("status", "--", text);
  assert.ok(asRun === 2 || asRun === 4, String(asRun));
  assert.equal(await calls.code("approve", run, `--note=${text}`), 0);
  await bench.reaches(run, "completed");
  await bench.receives(run, JSON.stringify(text).slice(1, -1).slice(0, 500));
  assert.equal(await calls.code("tell", "--", run, text), 5);
}

async function playText(bench: CliBench, text: string, index: number): Promise<void> {
  const record = configure(bench, text, String(index), 300);
  const [run, asked] = [`nasty-${String(index)}`, `asks-${String(index)}`];
  const codeOf = async (...args: string[]): Promise<number | null> => {
    const { code, stderr } = await bench.call(args);
    assert.doesNotMatch(stderr, STACK, "a stack trace was shown");
    return code;
  };
  assert.equal(await codeOf("run", "--agent", "real", "--id", run, "--", text), 0);
  assertRecorded(record, text);
  const [agent, asRun, reported] = await Promise.all([
    codeOf("run", `--agent=${text}`, "--id", `other-${String(index)}`, "--", text),
    codeOf("status", "--", text),
    codeOf("tell", "--", run, text),
  ]);
  assert.deepEqual([agent, asRun === 2 || asRun === 4, reported], [2, true, 5]);
  const asks = ["--agent", "function:agents.mjs#asks", "--id", asked, "--detach"];
  assert.equal(await codeOf("run", ...asks, "--", text), 0);
  await bench.reaches(asked, "awaiting_approval");
  assert.equal(await codeOf("reject", asked, `--note=${text}`), 0);
  await bench.reaches(asked, "completed");
  await bench.receives(asked, JSON.stringify(text).slice(1, -1).slice(0, 500));
}
