import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { escapeInJson, printable } from "../../../src/model/text/printable.ts";
import { builtProgram } from "../../built-program.ts";
import path from "node:path";
import { CliBench } from "../../cli/cli-process.ts";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";
import { marked, SEQUENCES } from "./terminal-sequences.ts";

const CLI = builtProgram(path.join(import.meta.dirname, "..", "..", "cli", "run-cli.ts"));
/** Nothing of these may reach a reader; line ends and tabs are ours. */
const HARMFUL =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class -- such characters are what this is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9\u{e0000}-\u{e0fff}]/u;

/** Commands that print what agents and people have said, most telling first. */
const COMMANDS: readonly (readonly string[])[] = [
  ["status", "t"],
  ["logs", "t"],
  ["inbox"],
  ["events", "t"],
  ["why", "t"],
  ["report", "t"],
  ["runs"],
  ["status"],
  ["export", "t"],
  ["status", "t", "--json"],
  ["events", "t", "--json"],
  ["inbox", "--json"],
  ["runs", "--json"],
  ["doctor"],
];

/** Half of each sequence at the end of one message, the rest at the beginning of the next. */
const halves = marked(SEQUENCES.filter((sequence) => sequence.length > 1)).flatMap((text) => [
  { do: "say", text: text.slice(0, 2) },
  { do: "say", text: text.slice(2) },
]);

async function print({ count }: Stage): Promise<Tried> {
  const all = marked(SEQUENCES).join(" ");
  const attempts = [
    [
      { do: "say", text: all },
      ...halves.slice(0, 100),
      { do: "progress", text: all },
      { do: "blocked", reason: "needs_human", text: all },
    ],
  ];
  const bench = new CliBench({ "s.json": JSON.stringify({ attempts }) });
  try {
    const goal = all.replaceAll("\0", "");
    const begun = await bench.call(["run", "--agent", "demo:s.json", "--id", "t", "--detach", "--", goal]);
    assert.equal(begun.code, 0, begun.stderr.slice(0, 500));
    assert.doesNotMatch(begun.stdout + begun.stderr, HARMFUL);
    await bench.reaches("t", "blocked");
    await bench.call(["tell", "t", "--", goal]);
    const succeeded: string[] = [];
    for (const command of COMMANDS.slice(0, count)) {
      const { stdout, stderr } = await bench.call(command);
      const found = HARMFUL.exec(stdout + stderr);
      // An export is a file whose hashes cover its text: only a terminal is shown it otherwise.
      if (found !== null && command[0] !== "export")
        succeeded.push(`${command.join(" ")} prints ${escapeInJson(JSON.stringify(found[0]))}`);
      succeeded.push(...onTerminal(bench, command));
    }
    return tried(SEQUENCES.length * Math.min(count, COMMANDS.length), succeeded);
  } finally {
    await bench.close();
  }
}

/** The same with a terminal, whose own codes are ours; a sequence is known by the mark that follows it. */
function onTerminal(bench: CliBench, command: readonly string[]): string[] {
  if (spawnSync("script", ["--version"]).error !== undefined) return [];
  const line = [process.execPath, CLI, ...command].map((word) => `'${word}'`).join(" ");
  const env = { ...process.env, HOLDFAST_HOME: bench.home, HOLDFAST_WATCHDOG: "off", TERM: "xterm" };
  const { stdout } = spawnSync("script", ["-qec", line, "/dev/null"], {
    ...{ cwd: bench.cwd, env, encoding: "utf8", timeout: 60_000, input: "" },
  });
  assert.ok(stdout.length > 0, `${command.join(" ")} prints nothing on a terminal`);
  return marked(SEQUENCES)
    .filter((text) => stdout.includes(text))
    .map((text) => `${command.join(" ")} on a terminal prints ${escapeInJson(JSON.stringify(text))}`);
}

/** Every sequence alone, cut anywhere, and joined again: what is printed holds nothing of it. */
async function render(): Promise<Tried> {
  const succeeded: string[] = [];
  let tries = 0;
  for (const sequence of SEQUENCES)
    for (let at = 0; at <= sequence.length; at += 1) {
      const printed = printable(sequence.slice(0, at)) + printable(sequence.slice(at));
      tries += 1;
      if (HARMFUL.test(printed)) succeeded.push(escapeInJson(JSON.stringify(sequence)));
    }
  return tried(tries, succeeded);
}

export const attacks: readonly Attack[] = [
  {
    ...{ threat: "T10", level: "any", promised: "prevented", count: { full: COMMANDS.length, short: 2 } },
    title:
      "escape sequences in a goal, an agent's words, progress, questions and messages are printed by commands",
    run: print,
  },
  {
    ...{ threat: "T10", level: "any", promised: "prevented", count: { full: 1, short: 1 } },
    title: "escape sequences come in pieces",
    run: render,
  },
];
