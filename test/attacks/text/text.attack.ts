import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { channelSpecSchema } from "../../../src/model/settings/notice.ts";
import { channelNotifier } from "../../../src/notify/channel-notifier.ts";
import { realWorld } from "../../../src/real-world.ts";
import { playBranches } from "../../agents/nasty/nasty-branches.ts";
import { playCommands } from "../../agents/nasty/nasty-commands.ts";
import { asWord, nastyInputs } from "../../agents/nasty/nasty-sessions.ts";
import { playSessions, playTalks } from "../../agents/nasty/play-inputs.ts";
import { builtProgram } from "../../built-program.ts";
import { HEADLESS_AGENTS } from "../../agents/headless/headless-agents.ts";
import { sampleNotice } from "../../notify/sample-notice.ts";
import { tried, type Attack, type Outcome, type Stage, type Tried } from "../attack.ts";

/** The plays below assert that a canary never appears; where it does, that is the attack's success. */
const played = async (count: number, play: () => Promise<unknown>): Promise<Tried> => {
  try {
    await play();
    return tried(count);
  } catch (error) {
    if (!(error instanceof assert.AssertionError)) throw error;
    return tried(count, [error.message.slice(0, 400)]);
  }
};

/** Every field of a notice, to a program that people are notified by. */
async function notices({ folder, count, seed }: Stage): Promise<Tried> {
  const canary = path.join(folder, "canary");
  const program = path.join(folder, "tell");
  writeFileSync(
    program,
    `#!/bin/sh\ncat >/dev/null\nprintf '%s\\0' "$@" >> ${path.join(folder, "arguments")}\n`,
  );
  chmodSync(program, 0o755);
  const spec = channelSpecSchema.parse({ use: "command", command: [program, "fixed"] });
  for (const text of nastyInputs(count + seed, canary).slice(seed)) {
    const notice = { ...sampleNotice, title: text, text, command: text, run: text, owner: text };
    const outcome = await channelNotifier({ world: realWorld(), env: process.env }).deliver(
      notice,
      spec,
      folder,
    );
    assert.equal(outcome.kind, "delivered", JSON.stringify(outcome));
  }
  const words = readFileSync(path.join(folder, "arguments"), "utf8").split("\0").slice(0, -1);
  const strange = words.filter((word) => word !== "fixed");
  return tried(count, [
    ...(existsSync(canary) ? ["a field of a notice was executed"] : []),
    ...strange.map((word) => `${JSON.stringify(word)} became an argument`),
  ]);
}

const CLI = builtProgram(path.join(import.meta.dirname, "..", "..", "cli", "run-cli.ts"));
const MARK = "zqxjkvmark";

/** Under strace: no shell that Holdfast starts is handed a command line with words of the task in it. */
async function shells({ folder, count, seed }: Stage): Promise<Outcome> {
  if (spawnSync("strace", ["-V"]).error !== undefined)
    return { kind: "skipped", reason: "strace is not installed" };
  const probe = spawnSync("strace", ["-f", "-o", path.join(folder, "probe"), "true"], { encoding: "utf8" });
  if (probe.status !== 0)
    return { kind: "skipped", reason: `strace may not trace here: ${probe.stderr.slice(0, 200)}` };
  const work = path.join(folder, "work");
  mkdirSync(work);
  const done = {
    attempts: [
      [
        { do: "say", text: `$(touch ${MARK})` },
        { do: "claim", ok: true, text: MARK },
      ],
    ],
  };
  writeFileSync(path.join(work, "done.json"), JSON.stringify(done));
  const succeeded: string[] = [];
  const texts = nastyInputs(count + seed, path.join(folder, "canary")).slice(seed);
  for (const [at, text] of texts.entries()) {
    const trace = path.join(folder, `trace-${String(at)}`);
    const goal = `${asWord(text).slice(0, 5_000).toWellFormed()} ${MARK}`;
    const run = ["run", "--agent", "demo:done.json", "--id", `r${String(at)}`, "--check", "true", "--", goal];
    const env = { ...process.env, HOLDFAST_HOME: path.join(folder, "home"), HOLDFAST_WATCHDOG: "off" };
    const words = [
      "-f",
      "-qq",
      "-s",
      "100000",
      "-e",
      "trace=execve",
      "-o",
      trace,
      process.execPath,
      CLI,
      ...run,
    ];
    const { status, stderr } = spawnSync("strace", words, {
      cwd: work,
      env,
      encoding: "utf8",
      timeout: 120_000,
    });
    assert.equal(status, 0, stderr.slice(-500));
    const calls = readFileSync(trace, "utf8").split("\n");
    assert.ok(
      calls.some((line) => line.includes('"-c", "true"')),
      "the check's shell is seen",
    );
    const bad = calls.filter(
      (line) => /execve\("[^"]*\/(sh|bash|dash)", \["[^"]*", "-c", /.test(line) && line.includes(MARK),
    );
    succeeded.push(...bad.map((line) => line.slice(0, 300)));
  }
  if (existsSync(path.join(folder, "canary"))) succeeded.push("a goal was executed");
  return tried(texts.length, succeeded);
}

const TEXT = { threat: "T7", level: "any", promised: "prevented" } as const;

// A few of each are in test/agents/nasty/ in `npm test`.
export const attacks: readonly Attack[] = [
  {
    ...{ ...TEXT, count: { full: 300, short: 0 } },
    title:
      "nasty strings as task, folder, session, model, conversation and environment of every headless agent",
    run: ({ count }) => played(count * HEADLESS_AGENTS.length, () => playSessions(count)),
  },
  {
    ...{ ...TEXT, count: { full: 300, short: 0 } },
    title: "nasty strings sent to an agent through its keeper",
    run: ({ count }) => played(count, () => playTalks(count)),
  },
  {
    ...{ ...TEXT, count: { full: 300, short: 0 } },
    title: "nasty strings as branch, folder, file and message of a worktree",
    run: ({ count }) => played(count, () => playBranches(count)),
  },
  {
    ...{ ...TEXT, count: { full: 300, short: 0 } },
    title: "nasty strings as goal, agent, run, note and words to an agent on the command line",
    run: ({ count }) => played(count * 5, () => playCommands(count)),
  },
  {
    ...{ ...TEXT, count: { full: 300, short: 10 } },
    title: "nasty strings in every field of a notice to a program",
    run: notices,
  },
  {
    ...{ ...TEXT, count: { full: 20, short: 1 } },
    title: "words of a goal, an agent and its claim reach the command line of a shell, as strace sees it",
    run: shells,
  },
];
