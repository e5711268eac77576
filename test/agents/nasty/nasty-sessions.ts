import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { AgentDriver, StartOrder } from "../../../src/agents/agent-driver.ts";
import { isConversationId } from "../../../src/agents/conversation-id.ts";
import { headlessDriver } from "../../../src/agents/headless/headless-driver.ts";
import type { HeadlessAgent } from "../../../src/agents/headless/headless-agent.ts";
import { endSession } from "../../../src/agents/keeper/end-session.ts";
import { launchSession } from "../../../src/agents/keeper/launch-session.ts";
import { endWords, postWords } from "../../../src/agents/keeper/post-words.ts";
import { readExitStatus, sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { realWorld } from "../../../src/real-world.ts";
import { waitFor } from "../contract/scene.ts";
import { nastyTexts } from "../tmux/nasty-texts.ts";

const RECORDER = path.join(import.meta.dirname, "recorder.sh");
const ECHO = path.join(import.meta.dirname, "..", "keeper", "echo-agent.mjs");
const LIMIT_MS = 60_000;
const world = realWorld();

/** A folder of one's own, in which a file named `canary` appears if any text of these was executed. */
export async function withCanary(play: (folder: string, canary: string) => Promise<void>): Promise<void> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-nasty-")));
  const canary = path.join(folder, "canary");
  try {
    await play(folder, canary);
    assert.equal(existsSync(canary), false, "a text was executed");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Texts that begin like an option come first: of them every driver must make a prompt. */
export const nastyInputs = (count: number, canary: string): string[] =>
  [...OPTION_LIKE, ...nastyTexts(Math.max(0, count - OPTION_LIKE.length), canary)].slice(0, count);

export const OPTION_LIKE = [
  "-",
  "--",
  "-p",
  "--version",
  "--help",
  "--dangerously-skip-permissions",
  "-rf /",
  "--model=x; touch y",
  "-\n-",
];

/** As a program can be given it: whole characters, and nothing that would end it early. */
export const asWord = (text: string): string => text.replaceAll("\0", "").toWellFormed();

/** As a folder can be named; a system takes 255 bytes. */
export const asFolder = (text: string, index: number): string => {
  const name = asWord(text).replaceAll("/", "_").slice(0, 60).toWellFormed();
  return `${String(index)} ${name}`;
};

const CONTINUES = new Set(["--resume", "resume", "--session"]);

/** Starts one session with a text as task, folder, name, model, conversation and environment; answers what the program was given. */
export async function playSession(
  agent: HeadlessAgent,
  folder: string,
  text: string,
  index: number,
): Promise<{
  readonly words: string[];
  readonly input: string;
  readonly folder: string;
  readonly value: string;
  readonly cwd: string;
}> {
  const driver = headlessDriver(agent, { world, folder: path.join(folder, "sessions") });
  const cwd = path.join(folder, `${agent.use} ${asFolder(text, index)}`);
  const record = path.join(folder, `record-${agent.use}-${String(index)}`);
  mkdirSync(cwd);
  mkdirSync(record);
  const value = asWord(text).slice(0, 50_000).toWellFormed();
  const model = value === "" || value.startsWith("-") ? undefined : value.slice(0, 500).toWellFormed();
  const order: StartOrder = {
    session: `${text.slice(0, 500)} ${agent.use} ${String(index)}`,
    spec: {
      use: agent.use,
      command: ["/bin/sh", RECORDER],
      env: { RECORD: record, NASTY: value },
      ...(model && { model }),
    },
    ...{ run: text, step: text, attempt: text, number: 1, task: text, cwd, resume: value },
  };
  const started = await driver.start(order);
  assert.equal(started.kind, "started", JSON.stringify(started).slice(0, 300));
  await exitOf(driver, order);
  await driver.end(order, 200);
  await driver.close();
  const read = (name: string): string => readFileSync(path.join(record, name), "utf8");
  const words = read("words").split("\0").slice(0, -1);
  if (model !== undefined) assert.equal(words[words.indexOf("--model") + 1], model);
  const goesOn = words.some((word, at) => CONTINUES.has(word) && words[at + 1] === value);
  assert.equal(goesOn, isConversationId(value), "what cannot name a conversation is no argument");
  return { words, input: read("input"), folder: read("folder"), value: read("value"), cwd };
}

const exitOf = (driver: AgentDriver, order: StartOrder): Promise<void> =>
  new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error("no exit was heard")), LIMIT_MS);
    driver.listen(order, "", async ({ signals }) => {
      if (signals.at(-1)?.kind !== "exit") return;
      clearTimeout(limit);
      resolve();
    });
  });

/** Through one keeper, to the stdin of one agent, as the Agent Client Protocol speaks: one line of JSON each. */
export async function playTalk(folder: string, texts: readonly string[]): Promise<string[]> {
  const session = sessionFolder(path.join(folder, "talk"), texts[0] ?? "");
  const command = [process.execPath, ECHO] as const;
  const launch = { session, command, cwd: folder, order: {}, spokenTo: true };
  assert.equal((await launchSession(world, launch)).kind, "started");
  try {
    for (const [index, text] of texts.entries()) {
      const post = { world, session, key: `${text.slice(0, 200)}${String(index)}`, closed: () => false };
      const posted = await postWords({ ...post, text: `${JSON.stringify(text)}\n`, limitMs: LIMIT_MS });
      assert.deepEqual(posted, { kind: "delivered" });
    }
    assert.equal(endWords(world, session), true);
    assert.equal(await waitFor(() => readExitStatus(session), LIMIT_MS), 0);
    const lines = readFileSync(session.out, "utf8").trimEnd().split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as string);
  } finally {
    await endSession(world, session, 200);
  }
}
