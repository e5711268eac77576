import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { StartOrder } from "../../../../src/agents/agent-driver.ts";
import { findProgram, KNOWN_PROGRAMS } from "../../../../src/agents/tmux/find-program.ts";
import { followTurn, newText, type Seen } from "../../../../src/agents/tmux/follow-turn.ts";
import { lookAtPanes } from "../../../../src/agents/tmux/screen/look-at-panes.ts";
import { NOTHING_RECEIVED } from "../../../../src/agents/tmux/type/delivery-log.ts";
import { conversationAtEnd, nameConversation } from "../../../../src/agents/tmux/name-conversation.ts";
import { drawnText, plainLine, typeable } from "../../../../src/agents/tmux/screen/plain-text.ts";
import { plainProgram, readPrompt } from "../../../../src/agents/tmux/programs/program.ts";
import { normalised, recognise, type Look } from "../../../../src/agents/tmux/screen/recognise.ts";
import { CONVERSATION_MISSING } from "../../../../src/model/agent/signals.ts";
import type { SaidRecord } from "../../../../src/agents/tmux/type/said-record.ts";
import { recordedScreens } from "../recorded-screens.ts";

const program = (name: string) => KNOWN_PROGRAMS.find((one) => one.name === name) ?? assert.fail(name);

for (const name of ["claude", "gemini", "opencode"])
  test(`A4 A8 recorded screens of the real ${name} are recognised: idle, at work, asking`, () => {
    const screens = recordedScreens(name);
    assert.ok(screens.length >= 2);
    for (const screen of screens) {
      const look = recognise(program(name), screen);
      const expected = screen.state === "permission" ? "dialog" : screen.state;
      // What was recorded just after an answer may be at rest already.
      if (screen.state === "busy") assert.match(look.state, /^(busy|idle)$/);
      else assert.equal(look.state, expected, screen.lines.join("\n"));
      if (screen.state === "permission") {
        assert.equal(look.dialog?.kind, "permission");
        assert.match(look.dialog.text, /hello\.txt/);
      }
    }
  });

/** Screens that were collected beside this repository; the states that each must be seen as. */
const CAPTURES = path.resolve(import.meta.dirname, "../../../../../../shared/facts/captures");
const COLLECTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  claude: {
    idle: "idle",
    "idle-after": "idle",
    working: "busy",
    permission: "permission",
    interrupted: "idle",
    "hang-20s": "busy",
    "429-forever-20s": "busy",
    "limit-20s": "idle limit",
    "sub-limit-20s": "limit limit",
    "nudged-while-working": "busy",
    "firstrun-1": "question",
  },
  codex: {
    idle: "idle",
    "idle-after": "idle",
    permission: "permission",
    "limit-20s": "limit limit",
    "limit-modal-limit-20s": "limit limit",
    "startup-modal": "question",
    interrupted: "idle",
  },
  gemini: {
    idle: "idle",
    // It asks whether it may go on detecting loops.
    "idle-after": "question",
    working: "busy",
    permission: "permission",
    interrupted: "idle",
  },
  opencode: {
    idle: "idle",
    "idle-after": "idle",
    working: "busy",
    permission: "permission",
    "limit-20s": "busy limit",
  },
};

for (const [name, screens] of Object.entries(COLLECTED))
  test(
    `A4 A8 collected screens of ${name} are recognised`,
    { skip: !existsSync(CAPTURES) && "the collected screens are not beside this repository" },
    () => {
      const seen = Object.keys(screens).map((screen) => {
        const lines = readFileSync(path.join(CAPTURES, name, `tui-${screen}.txt`), "utf8").split("\n");
        const look = recognise(program(name), { title: "", lines });
        return [screen, `${look.dialog?.kind ?? look.state}${look.limit === undefined ? "" : " limit"}`];
      });
      assert.deepEqual(Object.fromEntries(seen), screens);
    },
  );

test("A8 a title shows what a screen does not", () => {
  const lines = ["› Ask Codex to do anything", "  ? for shortcuts"];
  assert.equal(recognise(program("codex"), { title: "⠹ repo", lines }).state, "busy");
  assert.equal(recognise(program("codex"), { title: "[ ! ] Action Required", lines }).state, "unknown");
  assert.equal(recognise(program("codex"), { title: "repo", lines }).state, "idle");
});

test("A1 a program is known by its name, by what an interpreter runs, or by the prompt that is described", () => {
  const nameOf = (command: string[], prompt?: string) => {
    const found = findProgram({ use: "tmux", command, ...(prompt === undefined ? {} : { prompt }) });
    return "problem" in found ? found.problem : found.name;
  };
  assert.equal(nameOf(["/opt/x/claude", "--model", "opus"]), "claude");
  assert.equal(nameOf(["node", "/opt/x/codex.js"]), "codex");
  assert.equal(nameOf(["bash"]), "plain");
  assert.equal(nameOf(["claude"], "^> $"), "plain");
  assert.match(nameOf(["bash"], "(a+)+$"), /repeats a group; expected a simple regular expression/);
});

test("A1 prompts that could take for ever are refused, and what is refused is named", () => {
  for (const pattern of [
    "^> $",
    "^\\s*\\$ $",
    "^[\\w.-]+@.*[$#] $",
    "^(?:>>>|\\.\\.\\.) $",
    ">",
    "^In \\[\\d+\\]: $",
  ])
    assert.ok(readPrompt(pattern) instanceof RegExp, pattern);
  for (const pattern of [
    "(a+)+$",
    "(a|a)*b",
    "a*a*a*a*b",
    "(x)\\1",
    "(?=a)b",
    "(",
    "x".repeat(300),
    "a?a?a?a?a?aaaaa",
  ]) {
    const read = readPrompt(pattern);
    assert.ok("problem" in read && read.problem.includes("expected"), pattern);
  }
});

test("A8 a prompt that ends in a space is seen although a screen does not show the space", () => {
  const known = plainProgram(/^> $/);
  const stateOf = (...lines: string[]): string => recognise(known, { title: "", lines }).state;
  assert.equal(stateOf("hello", ">", "", ""), "idle");
  assert.equal(stateOf(">", "working"), "unknown");
  assert.equal(stateOf("", ""), "starting");
});

test("A7 what is sent to a terminal in escapes is text to a reader, no matter what is cut or wrong in it", () => {
  assert.equal(plainLine("\u001b[31mred\u001b[0m\r"), "red");
  assert.equal(plainLine("10%\r50%\r100%\r"), "100%");
  assert.equal(plainLine("ab\b\bcd"), "cd");
  assert.equal(plainLine("\u001b]0;a title\u0007text\u001b]8;;http://x\u001b\\link"), "textlink");
  assert.equal(plainLine("cut \u001b[3"), "cut");
  assert.equal(plainLine("\u001b]0;never ends"), "");
  assert.equal(plainLine("\u0000a\u202eb\u009b31mc"), "abc");
  assert.match(drawnText("\u001b[3AWrite\u001b[9Ghello.txt\r"), /Write hello\.txt/);
});

test("A8 escapes and control characters are taken out of what is typed, and counted", () => {
  assert.deepEqual(typeable("a\tb\nc"), { text: "a\tb\nc", removed: 0 });
  assert.deepEqual(typeable("x\u001b[201~\u0003y\r\nz\r"), { text: "x[201~y\nz\n", removed: 2 });
  assert.deepEqual(typeable("👍🏽 ü"), { text: "👍🏽 ü", removed: 0 });
});

test("A4 a spinner, seconds and counts do not make another screen", () => {
  const [one, other] = ["✢ Elucidating… (9s · ↓ 85 tokens)", "✻ Elucidating… (12s · ↓ 124 tokens)"] as const;
  assert.equal(normalised(one), normalised(other));
  assert.equal(newText([one, "text"], [other, "text", "", "─────"]), undefined);
  assert.equal(newText([one], [other, "  new words"]), "new words");
});

test("A4 one look at any number of terminals fits into what tmux takes as one command", async () => {
  const asked: (readonly string[])[] = [];
  const tmux = {
    socket: "s",
    run: async (args: readonly string[]) => (asked.push(args), { kind: "done", out: "" } as const),
  };
  const many = Array.from({ length: 1_000 }, (_, index) => `run.step.${String(index)}`);
  await lookAtPanes(tmux, many, "cut_01m7fqv54c6pqgrv573m");
  assert.equal(asked.length, 1);
  assert.ok(Buffer.byteLength(asked[0]?.join("\0") ?? "") < 15_000);
});

const IDLE: Look = { state: "idle", input: "" };
const seen = (more: Partial<Seen>): Seen => ({
  look: IDLE,
  lines: ["● Done.", "❯ "],
  now: Date.UTC(2026, 0, 1),
  quietMs: 10_000,
  promptedMs: null,
  workSeen: false,
  conversation: undefined,
  ...more,
});
const kindsAfter = (more: Partial<Seen>, before = NOTHING_RECEIVED): string[] =>
  followTurn(program("claude"), before, seen(more)).entries.flatMap(({ signal }) => signal?.kind ?? "none");

test("A7 a turn is over when the program waits for its user again, and not before it received its task and was seen at work", () => {
  const ready = { ...NOTHING_RECEIVED, ready: true };
  assert.deepEqual(kindsAfter({}), ["ready"]);
  assert.deepEqual(kindsAfter({}, ready), []);
  assert.deepEqual(kindsAfter({ promptedMs: 3_000 }, ready), []);
  assert.deepEqual(kindsAfter({ promptedMs: 3_000, workSeen: true }, ready), ["result"]);
  assert.deepEqual(kindsAfter({ promptedMs: 3_000, workSeen: true, quietMs: 100 }, ready), []);
  assert.deepEqual(
    kindsAfter({ promptedMs: 3_000, workSeen: true, look: { state: "busy", input: "" } }, ready),
    [],
  );
  assert.deepEqual(kindsAfter({ promptedMs: 3_000, workSeen: true }, { ...ready, done: true }), []);
});

test("A6 A8 a program that still loads the conversation it goes on with is not ready for text", () => {
  const foot = [
    "─────",
    " YOLO Ctrl+Y",
    " *   Type your message or @path/to/file",
    " workspace (/directory)",
  ];
  const kindsOf = (lines: readonly string[], more: Partial<Seen> = {}): unknown[] => {
    const look = recognise(program("gemini"), { title: "", lines });
    assert.equal(look.state, "idle");
    const given = seen({ look, lines, goesOn: true, ...more });
    return followTurn(program("gemini"), NOTHING_RECEIVED, given).entries.map(({ signal }) => signal?.kind);
  };
  const loading = ["⚠  Warning: True color (24-bit) support not detected.", ...foot];
  assert.deepEqual(kindsOf(loading), []);
  assert.deepEqual(kindsOf(loading, { goesOn: false }), ["ready"]);
  assert.deepEqual(kindsOf([" > Do all parts", "✦ Part 98.", ...foot]), ["ready"]);
  assert.deepEqual(kindsOf(loading, { quietMs: 60_000 }), ["ready"]);
});

test("L2 A7 each new try of a program whose provider fails is reported as an error, once", () => {
  const screen = (nth: number) => ({
    title: "⠂ Write hello.txt",
    lines: ["● Bash(true)", `✻ API error · Retrying in 15s · attempt ${String(nth)}/10`, "❯ "],
  });
  let progress = { ...NOTHING_RECEIVED, ready: true };
  const reported = [2, 2, 3, 3, 4].flatMap((nth) => {
    const look = recognise(program("claude"), screen(nth));
    const followed = followTurn(program("claude"), progress, seen({ look, promptedMs: 10, workSeen: true }));
    progress = { ...progress, ...followed.progress };
    return followed.entries.flatMap(({ signal }) => (signal?.kind === "error" ? [signal.text] : []));
  });
  assert.deepEqual(reported, Array(3).fill("API error, tried again"));
});

test("L4 A7 a dialog about a limit is reported once, with the time at which the limit ends", () => {
  const lines = [
    "│ Usage limit reached for gemini-2.5-flash.  │",
    "│ Access resets at 10:47 PM UTC.             │",
    "│ ● 1. Keep trying                           │",
    "│   2. Stop                                  │",
  ];
  const look = recognise(program("gemini"), { title: "✦  Working… (repo)", lines });
  const ready = { ...NOTHING_RECEIVED, ready: true };
  const { entries, progress } = followTurn(program("gemini"), ready, seen({ look, lines, promptedMs: 10 }));
  const limits = entries.flatMap(({ signal }) => (signal?.kind === "rate_limit" ? [signal.resetsAt] : []));
  assert.deepEqual(limits, [Date.UTC(2026, 0, 1, 22, 47)]);
  const again = followTurn(program("gemini"), progress, seen({ look, lines, promptedMs: 20 }));
  assert.deepEqual(again.entries, []);
});

test("A6 the conversation is reported once, and only when the program has its task", () => {
  const ready = { ...NOTHING_RECEIVED, ready: true };
  const conversation = "c";
  assert.deepEqual(kindsAfter({ conversation }, ready), []);
  assert.deepEqual(kindsAfter({ conversation, promptedMs: 10 }, ready), ["conversation"]);
  assert.deepEqual(kindsAfter({ conversation, promptedMs: 10 }, { ...ready, named: true }), []);
});

test("A6 a program that ended before anybody could look has a conversation once its task may have been sent off", () => {
  const said = (state: SaidRecord["state"]): SaidRecord => ({ state, raw: 0, at: 0, detail: "" });
  const reported = (task: SaidRecord | undefined, progress = NOTHING_RECEIVED) =>
    conversationAtEnd({ conversation: "c" }, progress, task);
  assert.equal(reported(undefined), undefined);
  assert.equal(reported(said("typing")), undefined);
  assert.deepEqual(reported(said("typed")), { kind: "conversation", id: "c" });
  assert.equal(reported(said("sent"), { ...NOTHING_RECEIVED, named: true }), undefined);
  const lost = conversationAtEnd({ conversation: "c", goesOn: true }, NOTHING_RECEIVED, undefined);
  assert.ok(lost?.kind === "error" && lost.code === "conversation_missing");
  const found = { ...NOTHING_RECEIVED, ready: true, named: true };
  assert.equal(conversationAtEnd({ conversation: "c", goesOn: true }, found, said("sent")), undefined);
  assert.equal(conversationAtEnd(undefined, NOTHING_RECEIVED, said("sent")), undefined);
});

test("A6 a conversation is named before the start, gone on with, and left alone where a person named it", () => {
  const order = (...words: string[]): StartOrder => ({
    ...{ session: "s", run: "r", step: "s", attempt: "a", number: 1, task: "t", cwd: "/" },
    spec: { use: "tmux", command: ["claude", ...words] },
  });
  const claude = program("claude");
  const begun = nameConversation(claude, order(), "mark");
  assert.deepEqual(begun.words, ["--session-id", begun.id]);
  assert.deepEqual(nameConversation(claude, order("--model", "m"), "mark"), begun);
  const resumed = nameConversation(claude, { ...order(), resume: "old" }, "mark");
  assert.deepEqual(resumed, { id: "old", goesOn: true, words: ["--resume", "old"] });
  for (const own of ["--continue", "--resume=x", "-c", "--session-id", "--"])
    assert.deepEqual(nameConversation(claude, { ...order(own), resume: "old" }, "mark").words, []);
  assert.equal(nameConversation(program("codex"), order(), "mark").id, undefined);
});

test("A5 a turn that ends in a failure or a limit is no success", () => {
  const ready = { ...NOTHING_RECEIVED, ready: true };
  const over = { promptedMs: 3_000, workSeen: true };
  for (const line of [
    "  ⎿  User rejected write to hello.txt",
    "  ⎿  Credit balance too low · Add funds: …",
  ]) {
    const { entries } = followTurn(program("claude"), ready, seen({ ...over, lines: [line, "❯ "] }));
    assert.deepEqual(
      entries.map(({ signal }) => (signal?.kind === "result" ? signal.ok : signal?.kind)),
      ["error", false],
      line,
    );
  }
  assert.deepEqual(kindsAfter({ ...over, look: { ...IDLE, limit: "You've hit your limit" } }, ready), [
    "rate_limit",
    "error",
    "result",
  ]);
});

test("A6 a provider's word that the history is broken is known over the lines of a screen: the next attempt begins again", () => {
  const lines = [
    '✕ [API Error: {"error":{"code":400,"message":"Please ensure that the number of function',
    "  response parts is equal to the number of function call parts of the function call",
    '  turn.","status":"INVALID_ARGUMENT"}}]',
    " > ",
  ];
  const ready = { ...NOTHING_RECEIVED, ready: true };
  const { entries } = followTurn(
    program("gemini"),
    ready,
    seen({ promptedMs: 3_000, workSeen: true, lines }),
  );
  const [error, result] = entries.map(({ signal }) => signal);
  assert.ok(error?.kind === "error" && error.code === CONVERSATION_MISSING && !error.terminal);
  assert.ok(result?.kind === "result" && !result.ok);
});

test("A8 B3 a program is known by the foot of its screen where its prompt is described so, and not by what stands above the cursor", () => {
  const known = plainProgram(/[0-9.?]+%\/[0-9]+k/);
  const screen = (lines: readonly string[], y: number) =>
    recognise(known, { title: "", lines, cursor: { x: 0, y, shown: true } }).state;
  const foot = "0.0%/128k (auto)        scripted-model";
  assert.equal(screen(["\u2500\u2500", "", "\u2500\u2500", "repo (main)", foot], 1), "idle");
  assert.equal(screen([foot, "", "working on it"], 2), "unknown");
});

test("B4 a plain program whose screen still shows a spinner has not ended its turn and claims nothing", () => {
  const plain = plainProgram(/^> $/);
  const ready = { ...NOTHING_RECEIVED, ready: true };
  const at = (quietMs: number, lines: readonly string[]) =>
    followTurn(plain, ready, seen({ lines, quietMs, promptedMs: 20_000, workSeen: true, task: "do it" }));
  const spinning = ["> do it", "\u280b Working...", "\u2500\u2500\u2500", "repo (main)", "> "];
  assert.equal(at(2_000, spinning).progress.done, false);
  const still = at(20_000, spinning);
  assert.equal(still.progress.done, true);
  assert.deepEqual(
    still.entries.flatMap(({ signal }) => signal ?? []),
    [],
  );
  const answered = at(2_000, ["> do it", "Written.", "repo (main)", "> "]);
  assert.deepEqual(
    answered.entries.flatMap(({ signal }) => signal?.kind ?? []),
    ["result"],
  );
});

test("A9 a dialog is reported once while it is open, and again when it was closed between", () => {
  const dialog = { kind: "permission", askId: "a1", text: "Run x?" } as const;
  const open = seen({ look: { state: "dialog", dialog, input: undefined } });
  const first = followTurn(program("claude"), NOTHING_RECEIVED, open);
  assert.deepEqual(first.entries[0]?.signal, { kind: "permission", askId: "a1", what: "Run x?" });
  assert.deepEqual(followTurn(program("claude"), first.progress, open).entries, []);
  const closed = followTurn(program("claude"), first.progress, seen({ look: { state: "busy", input: "" } }));
  assert.equal(followTurn(program("claude"), closed.progress, open).entries.length, 1);
});

test("B4 Gemini CLI that still loads and has queued its task is at work, and what its screen shows is no answer", () => {
  const lines = [
    " ▝▜▄     Gemini CLI v0.61.0",
    "   ▝▜▄",
    " Tips for getting started:",
    " 1. Create GEMINI.md files to customize your interactions",
    "  Queued (press ↑ to edit):",
    "    Write hello.txt",
    `${" ".repeat(60)}? for shortcuts`,
    "─".repeat(80),
    " Shift+Tab to accept edits",
    " >   Type your message or @path/to/file",
    " workspace (/directory)      sandbox      /model",
  ];
  const look = recognise(program("gemini"), { title: "", lines });
  assert.deepEqual([look.state, look.input], ["busy", ""]);
  const seen = { now: 0, quietMs: 60_000, promptedMs: 60_000, workSeen: true, conversation: undefined };
  const { entries } = followTurn(
    program("gemini"),
    { ...NOTHING_RECEIVED, ready: true },
    { ...seen, look, lines },
  );
  assert.deepEqual(entries, []);
});
