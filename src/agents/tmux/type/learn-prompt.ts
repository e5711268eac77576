import { plainText, RECORD_BYTES_MAX } from "../../../files/plain-file.ts";
import { writeWhole } from "../../keeper/session-folder.ts";
import { pause } from "../../pause.ts";
import { genericDialog } from "../screen/generic-dialog.ts";
import { lookAtOne, type Screen } from "../screen/look-at-panes.ts";
import { pressKeys } from "./speak.ts";
import type { Speaking } from "./speaking.ts";
import { sizeOf, type TerminalFolder } from "../terminal-folder.ts";

/**
 * Learns the prompt of a program that nobody described, before it gets its task: one character that means nothing is
 * typed, must be seen at the cursor, and is erased again. What stands before it is the prompt.
 *
 * 1. Nothing is typed while a choice is on the screen, while the screen moves, or where nothing stands before the cursor:
 *    a terminal shows what is typed although no program reads it yet.
 * 2. On disk: `probing` before the character is typed, `learned` with the prompt after it was seen and erased. Who finds
 *    `probing` after a death, and the character before the cursor, erases it first.
 */
export type Learned =
  | { readonly kind: "learned"; readonly prompt: string }
  | {
      readonly kind: "unknown";
      readonly why: string;
      readonly screen: string;
      /** Nothing was typed, and the same screen may be looked at once more. */
      readonly again?: true;
    };

/** Neither a letter, a digit, a space nor a key that chooses anything. */
const PROBE = ",";
const SEEN_WAIT_MS = 2_500;
const POLL_MS = 60;
const STILL_MS = 400;
const PREFIX_CHARS_MAX = 120;
/** How a line ends in which text is awaited; a line that only shows something ends otherwise. */
const PROMPT_END = /[>$#%:»❯›➜→λ»▶▸┃│|\])}~?!-]$/u;

interface PromptRecord {
  readonly state: "probing" | "learned";
  readonly prompt: string;
}

export function readLearned({ prompt }: TerminalFolder): PromptRecord | undefined {
  const text = plainText(prompt, { bytesMax: RECORD_BYTES_MAX });
  return text === undefined ? undefined : (JSON.parse(text) as PromptRecord);
}

export async function learnPrompt(speaking: Speaking): Promise<Learned> {
  const { terminal } = speaking;
  const before = readLearned(terminal);
  if (before?.state === "learned") return { kind: "learned", prompt: before.prompt };
  let screen = await stillScreen(speaking);
  if (screen?.cursor === undefined) return restless(screen);
  if (before?.state === "probing" && charBefore(screen) === PROBE) {
    await pressKeys(speaking, ["BSpace"]);
    screen = await stillScreen(speaking);
  }
  if (screen?.cursor === undefined) return restless(screen);
  const prefix = (screen.lines[screen.cursor.y] ?? "").slice(0, screen.cursor.x).trimEnd();
  if (genericDialog(screen, false) !== undefined) return unknown("it asks for a choice", screen);
  if (prefix === "") return unknown("nothing stands before its cursor", screen);
  if (!PROMPT_END.test(prefix))
    return unknown("what stands before its cursor does not look like a prompt", screen);
  if (prefix.length > PREFIX_CHARS_MAX)
    return unknown("the line of its cursor is too long for a prompt", screen);
  return probe(speaking, screen, prefix);
}

async function probe(speaking: Speaking, before: Screen, prefix: string): Promise<Learned> {
  const { world, terminal } = speaking;
  const { x, y } = before.cursor ?? { x: 0, y: 0 };
  keep(speaking, { state: "probing", prompt: "" });
  world.crashPoint("tmux.learn.before");
  if (!(await pressKeys(speaking, ["-l", PROBE]))) return unknown("tmux did not take the key", before);
  world.crashPoint("tmux.learn.after");
  const isThere = ({ lines, cursor }: Screen): boolean =>
    cursor?.x === x + 1 && cursor.y === y && lines[y]?.[x] === PROBE && lines[y].startsWith(prefix);
  const seen = await awaitScreen(speaking, isThere);
  if (seen === undefined) {
    const after = await lookAtOne(speaking.tmux, terminal.session);
    // Where it went is not the line of input; it is taken back where it can be seen.
    if (after !== undefined && countOf(after) > countOf(before)) await pressKeys(speaking, ["BSpace"]);
    return unknown("a character that was typed did not appear at its cursor", before);
  }
  await pressKeys(speaking, ["BSpace"]);
  const isGone = ({ lines, cursor }: Screen): boolean =>
    cursor?.x === x && cursor.y === y && lines[y]?.[x] !== PROBE;
  if ((await awaitScreen(speaking, isGone)) === undefined)
    return unknown("a character that was typed could not be erased", before);
  keep(speaking, { state: "learned", prompt: promptOf(prefix) });
  return { kind: "learned", prompt: promptOf(prefix) };
}

/** Numbers in it may count something. */
const promptOf = (prefix: string): string =>
  `^${prefix.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`).replaceAll(/\d{1,9}/g, String.raw`\d+`)}\\s*$`;

const restless = (screen: Screen | undefined): Learned => ({
  ...unknown("its terminal does not stand still", screen),
  again: true,
});

const countOf = ({ lines }: Screen): number => lines.join("").split(PROBE).length;
const charBefore = ({ lines, cursor }: Screen): string | undefined =>
  cursor === undefined ? undefined : lines[cursor.y]?.[cursor.x - 1];

function keep({ world, terminal }: Speaking, record: PromptRecord): void {
  writeWhole(terminal.prompt, JSON.stringify(record), world.id("draft"));
}

const unknown = (why: string, screen: Screen | undefined): Learned & { kind: "unknown" } => ({
  kind: "unknown",
  why,
  screen: (screen?.lines ?? [])
    .filter((line) => line.trim() !== "")
    .slice(-20)
    .join("\n"),
});

async function stillScreen({ world, tmux, terminal }: Speaking): Promise<Screen | undefined> {
  const size = sizeOf(terminal.raw);
  await pause(world, STILL_MS);
  return sizeOf(terminal.raw) === size ? lookAtOne(tmux, terminal.session) : undefined;
}

async function awaitScreen(
  { world, tmux, terminal }: Speaking,
  wanted: (screen: Screen) => boolean,
): Promise<Screen | undefined> {
  const untilMs = world.now() + SEEN_WAIT_MS;
  for (;;) {
    const screen = await lookAtOne(tmux, terminal.session);
    if (screen !== undefined && wanted(screen)) return screen;
    if (world.now() >= untilMs) return undefined;
    await pause(world, POLL_MS);
  }
}
