import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { CliBench } from "../../cli/cli-process.ts";
import { nastyTexts } from "../tmux/nasty-texts.ts";
import { asWord, nastyInputs, OPTION_LIKE } from "./nasty-sessions.ts";

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

/** So many nasty strings on the command line: as goal, agent, run, words to an agent, and note of an answer. */
export async function playCommands(
  count: number,
  tell: (text: string) => void = () => undefined,
): Promise<void> {
  const bench = new CliBench({ "agents.mjs": ASKS });
  const canary = path.join(bench.root, "canary");
  try {
    // What no command line can hold is left out, and others come for it.
    const words = [allInOne(canary), ...nastyInputs(2 * count, canary).map(asWord)];
    const texts = words.filter((text) => text !== "" && Buffer.byteLength(text) < 100_000).slice(0, count);
    assert.equal(texts.length, count);
    for (const [index, text] of texts.entries()) {
      await playText(bench, text, index);
      if ((index + 1) % 25 === 0) tell(`${String(index + 1)} of ${String(texts.length)} on the command line`);
    }
    assert.equal(existsSync(canary), false, "a text was executed");
  } finally {
    await bench.close();
  }
}

async function playText(bench: CliBench, text: string, index: number): Promise<void> {
  const record = path.join(bench.root, `record-${String(index)}`);
  mkdirSync(record);
  const real = { use: "claude", command: ["/bin/sh", RECORDER], env: { RECORD: record, NASTY: text } };
  const config = {
    agents: { real },
    supervisor: { idleExitMs: 300, scanMs: 100 },
    startup: { termGraceMs: 300 },
  };
  bench.write("holdfast.json", JSON.stringify(config));
  const [run, asked] = [`nasty-${String(index)}`, `asks-${String(index)}`];
  const codeOf = async (...args: string[]): Promise<number | null> => {
    const { code, stderr } = await bench.call(args);
    assert.doesNotMatch(stderr, /^\s+at .*:\d+:\d+\)?$/m, "a stack trace was shown");
    return code;
  };
  assert.equal(await codeOf("run", "--agent", "real", "--id", run, "--", text), 0);
  assert.equal(readFileSync(path.join(record, "input"), "utf8"), text);
  assert.equal(readFileSync(path.join(record, "value"), "utf8"), text);
  const [agent, asRun, told] = await Promise.all([
    codeOf("run", `--agent=${text}`, "--id", `other-${String(index)}`, "--", text),
    codeOf("status", "--", text),
    codeOf("tell", "--", run, text),
  ]);
  assert.deepEqual([agent, asRun === 2 || asRun === 4, told], [2, true, 5]);
  const asks = ["--agent", "function:agents.mjs#asks", "--id", asked, "--detach"];
  assert.equal(await codeOf("run", ...asks, "--", text), 0);
  await bench.reaches(asked, "awaiting_approval");
  assert.equal(await codeOf("reject", asked, `--note=${text}`), 0);
  await bench.reaches(asked, "completed");
  await bench.hears(asked, JSON.stringify(text).slice(1, -1).slice(0, 500));
}
