import assert from "node:assert/strict";
import { test } from "node:test";
import { drawnAnswer } from "../../../../src/agents/tmux/screen/drawn-answer.ts";
import { KNOWN_PROGRAMS } from "../../../../src/agents/tmux/find-program.ts";
import { followTurn } from "../../../../src/agents/tmux/follow-turn.ts";
import { NOTHING_RECEIVED } from "../../../../src/agents/tmux/type/delivery-log.ts";
import { recognise } from "../../../../src/agents/tmux/screen/recognise.ts";
import type { Signal } from "../../../../src/model/agent/signals.ts";

/** How each program shows a conversation: what it was told, a tool that it used, its words, and its line of input. */
interface Drawing {
  readonly told: string;
  readonly call: string;
  readonly words: (text: string) => string;
  readonly foot: string;
}

const RULE = "─".repeat(80);
const DRAWINGS: Readonly<Record<string, Drawing>> = {
  claude: {
    told: "▝▜█████▛▘  Opus 4.8 (1M context)\n\n❯ Write hello.txt\n",
    call: "● Write(hello.txt)\n  ⎿  Wrote 1 line to hello.txt\n",
    words: (text) => `● ${text}\n\n✻ Crunched for 0s\n`,
    foot: `${RULE}\n❯ \n${RULE}\n  ? for shortcuts                                        ● high · /effort`,
  },
  gemini: {
    told: `${"▄".repeat(80)}\n > Write hello.txt\n${"▀".repeat(80)}`,
    call: `╭${"─".repeat(60)}╮\n│ ✓  WriteFile Writing to hello.txt\n╰${"─".repeat(60)}╯\n`,
    words: (text) => `✦ ${text}\n\n`,
    foot: `${" ".repeat(60)}? for shortcuts\n${RULE}\n Shift+Tab to accept edits\n >   Type your message or @path/to/file\n /repo       no sandbox`,
  },
  codex: {
    told: "› Write hello.txt\n",
    call: "• Ran touch hello.txt\n  └ (no output)\n",
    words: (text) => `• ${text}\n\n  └ Tip: Use ^x p\n  Worked for 10s • 07:57\n`,
    foot: "› Ask Codex to do anything\n\n  fake-model default · /repo",
  },
  opencode: {
    told: "  ┃\n  ┃  Write hello.txt\n  ┃\n",
    call: "  ┃\n  ┃  $ touch hello.txt\n  ┃\n  ┃  (no output)\n  ┃\n",
    words: (text) => (text === "" ? "" : `     ${text.replaceAll("\n  ", "\n     ")}\n`),
    foot: `\n     ▣  Build · scripted · 10.8s\n\n  ┃\n  ┃\n  ┃\n  ┃  Build · scripted scripted\n  ╹${"▀".repeat(60)}`,
  },
};
const program = (name: string) => KNOWN_PROGRAMS.find((one) => one.name === name) ?? assert.fail(name);

/** What is told of a screen once the program waits again. */
function reported(name: string, text: string): readonly Signal[] {
  const lines = text.split("\n");
  const look = recognise(program(name), { title: "", lines });
  assert.equal(look.state, "idle", text);
  const seen = { now: 0, quietMs: 5_000, promptedMs: 9_000, workSeen: true, conversation: undefined };
  const { entries } = followTurn(
    program(name),
    { ...NOTHING_RECEIVED, ready: true },
    { ...seen, look, lines },
  );
  return entries.flatMap(({ signal }) => signal ?? []);
}

for (const [name, { told: asked, call, words, foot }] of Object.entries(DRAWINGS)) {
  const screen = (...parts: readonly string[]): string => [asked, ...parts, foot].join("\n");

  test(`B4 what ${name} says last in a terminal is its claim, without what else its screen shows`, () => {
    for (const [text, said] of [
      ["Done. hello.txt is in place.", "Done. hello.txt is in place."],
      [`${"Long words ".repeat(7).trim()}\n  go on.`, `${"Long words ".repeat(7)}go on.`],
    ] as const)
      assert.deepEqual(reported(name, screen(words("I will write it."), call, words(text))), [
        { kind: "result", ok: true, text: said },
      ]);
  });

  test(`B4 an error, a limit and a refusal that ${name} says in prose in a terminal are no claim`, () => {
    for (const [text, kinds] of [
      ["Ran into this error: connection refused by the server.", ["error", "result"]],
      ["Error: the tool could not be started.", ["error", "result"]],
      [
        "Ran into this error: Rate limit exceeded. Please try again later.",
        ["rate_limit", "error", "result"],
      ],
      ["I'm sorry, but I can't help with that request.", ["error", "result"]],
    ] as const) {
      const signals = reported(name, screen(words(text)));
      assert.deepEqual(
        signals.map(({ kind }) => kind),
        kinds,
        text,
      );
      assert.equal(
        signals.some((signal) => signal.kind === "result" && signal.ok),
        false,
      );
    }
  });

  test(`B4 ${name} in a terminal claims nothing with an empty answer, or with a tool as its last word`, () => {
    assert.deepEqual(reported(name, screen()), []);
    assert.deepEqual(reported(name, screen(words("I will write it."), call)), []);
  });
}

test("B4 an answer that is longer than the screen is what the screen shows of it", () => {
  const lines = ["  and the third part,", "  which ends here.", "", RULE, "❯ ", RULE];
  assert.match(drawnAnswer(program("claude"), lines) ?? "", /^and the third part,\nwhich ends here\./);
});
