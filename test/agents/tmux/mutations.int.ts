import assert from "node:assert/strict";
import { test } from "node:test";
import { toSignal } from "../../../src/agents/to-signal.ts";
import { seededChance } from "../../../sim/world/seeded-chance.ts";
import { namedWait, providerError } from "../../../src/agents/headless/provider-error.ts";
import { KNOWN_PROGRAMS } from "../../../src/agents/tmux/find-program.ts";
import { followTurn, newText } from "../../../src/agents/tmux/follow-turn.ts";
import { receiptReader, NOTHING_RECEIVED } from "../../../src/agents/tmux/type/delivery-log.ts";
import { lineSignal } from "../../../src/agents/tmux/screen/printed-memory.ts";
import { drawnText, typeable } from "../../../src/agents/tmux/screen/plain-text.ts";
import { plainProgram, type Program } from "../../../src/agents/tmux/programs/program.ts";
import { recognise } from "../../../src/agents/tmux/screen/recognise.ts";
import type { Screen } from "../../../src/agents/tmux/screen/look-at-panes.ts";
import { signalSchema, type Signal } from "../../../src/model/agent/signals.ts";
import { recordedScreens } from "./recorded-screens.ts";

const MUTATIONS = 10_000;
const SIGNALS_CHARS_MAX = 60_000;
const SCREENS: readonly Screen[] = ["claude", "gemini", "opencode"].flatMap(recordedScreens);
const PROGRAMS = [...KNOWN_PROGRAMS, plainProgram(/^> $/u), plainProgram(undefined)];

/** What has confused readers of screens: escapes, long lines, much of one thing, words of dialogs and limits. */
const ODD = [
  "\u001b[31m\u001b]0;title",
  "x".repeat(4_000),
  " ".repeat(3_000),
  "❯ 1. Yes 2. No ".repeat(100),
  "─".repeat(2_000),
  "Do you want to proceed?",
  "You've hit your limit · resets 7pm",
  "API Error: Request rejected (429) rate limit",
  "retry in 99999999999999999999h 1m",
  "\ud800\u0000\b\b\b",
  "1".repeat(1_000),
  "",
];

const labelOf = ({ name, input }: Program): string =>
  name !== "plain" ? name : `a program ${input.source === "(?!)" ? "without" : "with"} a described prompt`;

class Dice {
  readonly #chance: () => number;
  constructor(seed: number) {
    this.#chance = seededChance(seed);
  }
  below(limit: number): number {
    return Math.floor(this.#chance() * limit);
  }
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}

function mutateText(text: string, dice: Dice): string {
  const at = dice.below(text.length + 1);
  switch (dice.below(4)) {
    case 0:
      return text.slice(0, at) + dice.pick(ODD) + text.slice(at);
    case 1:
      return text.slice(at);
    case 2:
      return text.slice(0, at) + String.fromCharCode(dice.below(65_536)) + text.slice(at + 1);
    default:
      return dice.pick(ODD);
  }
}

function mutateScreen({ title, lines }: Screen, dice: Dice): Screen {
  const changed = [...lines];
  for (let times = 1 + dice.below(4); times > 0; times -= 1) {
    const at = dice.below(changed.length + 1);
    const other = dice.pick(dice.pick(SCREENS).lines) ?? "";
    changed.splice(at, dice.below(3), dice.below(2) === 0 ? other : mutateText(changed[at] ?? "", dice));
  }
  return { title: dice.below(3) === 0 ? mutateText(title, dice) : title, lines: changed };
}

function assertSound(signals: readonly (Signal | undefined)[], what: string): void {
  for (const signal of signals)
    if (signal !== undefined) assert.ok(signalSchema.safeParse(signal).success, what);
  assert.ok(JSON.stringify(signals).length < SIGNALS_CHARS_MAX, what);
}

for (const program of PROGRAMS)
  test(`A4 A7 10,000 screens that are almost those of ${labelOf(program)} are recognised without a throw, and what is reported is bounded`, () => {
    const dice = new Dice(7);
    let progress = NOTHING_RECEIVED;
    let before: Screen = { title: "", lines: [] };
    for (let count = 0; count < MUTATIONS; count += 1) {
      const screen = mutateScreen(dice.pick(SCREENS), dice);
      const look = recognise(program, screen);
      const seen = {
        now: 0,
        look,
        lines: screen.lines,
        quietMs: dice.below(20_000),
        promptedMs: dice.below(20_000),
      };
      const followed = followTurn(program, progress, { ...seen, workSeen: true, conversation: "c" });
      const what = JSON.stringify(screen).slice(0, 500);
      assertSound(
        followed.entries.map(({ signal }) => signal),
        what,
      );
      progress = dice.below(50) === 0 ? NOTHING_RECEIVED : followed.progress;
      assert.ok((newText(before.lines, screen.lines) ?? "").length <= 1_000);
      assertSound([lineSignal(program, "the task", dice.pick(screen.lines) ?? "")], what);
      before = screen;
    }
  });

test("A7 10,000 mutated lines of what was received, and texts of terminals and of errors, are read without a throw", () => {
  const dice = new Dice(11);
  const good = JSON.stringify({ s: { kind: "progress", text: "x" }, p: NOTHING_RECEIVED });
  const reader = receiptReader();
  for (let count = 0; count < MUTATIONS; count += 1) {
    const text = mutateText(good, dice);
    assertSound(reader.read({ text, kind: "whole", end: count }, "out"), text);
    const line = mutateText(dice.pick(dice.pick(SCREENS).lines) ?? "", dice);
    assert.ok(drawnText(line).length <= line.length * 2);
    assert.ok(typeable(line).text.isWellFormed());
    assert.ok(namedWait(line, 0) !== undefined);
    assertSound(providerError(line, {}, 0).map(toSignal), line);
  }
});
