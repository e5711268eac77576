import type { Screen } from "./look-at-panes.ts";

/**
 * Recognises from a screen of a program that nobody knows that it asks for a choice: a menu, a question for yes or no,
 * a password, a pager, a key to go on. It errs on the side of asking a person: text that is typed into a choice makes
 * it. What stands above what is asked now is not looked at.
 */
export function genericDialog(screen: Screen, isPrompt: boolean): string | undefined {
  const rows = shownRows(screen);
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  const foot = rows.slice(-FOOT_ROWS);
  const now = nowRows(screen, rows);
  const asks =
    hasMenu(foot, promptRow(screen, last)) ||
    hasHighlight(screen, rows) ||
    foot.some(({ text }) => KEYS_HINT.test(text)) ||
    foot.slice(-BUTTON_ROWS).some(({ text }) => BUTTONS.test(text)) ||
    now.some(({ text }) => YES_NO.test(text) || SECRET.test(text) || ANY_KEY.test(text)) ||
    now.some(({ text }) => PAGER.test(text) && !isPrompt) ||
    (!isPrompt && now.some(({ text }) => QUESTION.test(text)));
  return asks ? textOf(rows) : undefined;
}

interface Row {
  readonly at: number;
  readonly text: string;
}

const FOOT_ROWS = 14;
const BUTTON_ROWS = 4;
const TEXT_ROWS = 20;
const ROW_CHARS_MAX = 400;
/** A longer stretch is a bar across the screen. */
const LIT_CHARS_MAX = 100;

const shownRows = ({ lines }: Screen): Row[] =>
  lines
    .map((text, at) => ({ at, text: text.slice(0, ROW_CHARS_MAX) }))
    .filter(({ text }) => text.trim() !== "");

/** Where something is asked now: the row of the cursor and, where that is at the end, the last row. */
function nowRows({ cursor }: Screen, rows: readonly Row[]): readonly Row[] {
  const last = rows.slice(-1);
  if (cursor === undefined) return last;
  const here = rows.filter(({ at }) => at === cursor.y);
  // A question may stand above an empty row in which the answer is typed.
  return here.length > 0
    ? cursor.shown
      ? here
      : [...here, ...last]
    : rows.filter(({ at }) => at < cursor.y).slice(-1);
}

const YES_NO =
  /[([<]\s?y(?:es)?\s?[/|,]\s?n(?:o)?(?:\s?[/|,]\s?[\w? ]{1,20}){0,4}\s?[)\]>]|\b(?:yes\/no|y\/n|ja\/nein|oui\/non)\b|\b(?:yes or no|y or n)\b[^\n]{0,20}$|\((?:[a-z]\)\w{1,20}[ ,/]{1,3}\(?){2,6}/i;
const SECRET =
  /(?:password|passphrase|passcode|\bpin\b|one-time code|verification code|\botp\b|api[- ]key|access token|secret)[^\n]{0,60}[:?>]\s{0,3}$/i;
const ANY_KEY =
  /\b(?:press|hit|strike)\b[^\n]{0,30}\b(?:key|enter|return|space|q)\b|\b(?:enter|return) to continue\b|^\s{0,8}\(?(?:continue|proceed|overwrite|are you sure|ok to)\b[^\n]{0,80}\?/i;
const PAGER =
  /^\s{0,4}(?:--\s?more\s?--|:|\(end\)|end of file|lines \d{1,9}[-/]\d|~)\s{0,4}(?:\(\d{1,3}%\))?\s{0,4}$|^--more--|\(end\)\s{0,4}$|\(press h for help|\bline \d{1,9}(?:\/\d{1,9})? (?:\(end\)|\d{1,3}%)|^-- ?(?:insert|visual|replace) ?--/i;
const QUESTION = /\?\s{0,3}(?:\[[^\]]{0,40}\]|\([^)]{0,40}\))?\s{0,3}[:>]?\s{0,3}$/;
const KEYS_HINT =
  /(?:enter|return|⏎|↵)\]? (?:to )?(?:select|confirm|choose|accept|allow|approve|submit)|(?:↑|▲)\s?[/,]?\s?(?:↓|▼)[^\n]{0,20}(?:move|select|choose|navigate|scroll)|\barrows?(?: keys?)? (?:to )?(?:move|select|choose|navigate)|\buse (?:the )?arrow|space(?:bar)? to (?:select|toggle)|\bj\/k to (?:move|select)/i;
const BUTTONS =
  /[<[(]\s{0,3}(?:yes|ok|allow|accept|continue|agree)\s{0,3}[>\])]\s{1,20}[<[(]?\s{0,3}(?:no|cancel|deny|reject|quit|abort)\b/i;

/** A pointer before one of several rows that begin at the same column, or marks of which one is set. */
const POINTED = /^(\s{0,30}(?:[│┃|]\s{0,6})?)([❯›▸▶➤►→»>*●◉☞]|\(\*\)|\([xX•●]\)|\[[xX]\])\s{1,4}(?=\S)/u;
const OTHER = /^(\s{0,30}(?:[│┃|]\s{0,6})?)(?:[○◯◌]|\( ?\)|\[ ?\]|\s)\s{1,4}(?=\S)/u;
const NUMBERED =
  /^\s{0,30}(?:[│┃|]\s{0,6})?(?:[❯›▸▶➤►→»>*●]\s{0,4})?[([]?(?:\d{1,2}|[a-z])[.):\]]\s{1,4}\S/iu;

/** The row below which nothing is chosen: the cursor's, where it looks like a prompt. */
function promptRow({ lines, cursor }: Screen, last: Row): number {
  const at = cursor?.y ?? last.at;
  const text = (lines[at] ?? "").slice(0, cursor?.x ?? ROW_CHARS_MAX);
  return /^.{0,80}[>$#%❯›➜λ»]\s{0,3}$/u.test(text) ? at : Infinity;
}

function hasMenu(foot: readonly Row[], prompt: number): boolean {
  const at = foot.findLastIndex(({ text }) => POINTED.test(text));
  const pointed = foot[at];
  // What was chosen or said above a prompt is over.
  const isOver = pointed !== undefined && prompt !== Infinity && pointed.at < prompt;
  const beside = [foot[at - 1], foot[at + 1]].filter((row) => row !== undefined && row.at !== prompt);
  if (!isOver && beside.some((row) => row !== undefined && isBeside(pointed, row))) return true;
  // Numbered choices that something is asked of right below.
  const numbered = foot.filter(({ text }) => NUMBERED.test(text));
  const tail = foot.slice(-3).map(({ text }) => text);
  return (
    numbered.length >= 2 &&
    NUMBERED.test(foot.at(-2)?.text ?? "") &&
    tail
      .slice(-1)
      .some((text) => /(?:choice|choose|select|option|pick|which|number|\[\d-\d\]|\(\d-\d\))/i.test(text))
  );
}

/** The other row is a choice of the same list: its text begins where that of the pointed one does. */
function isBeside(pointed: Row | undefined, other: Row): boolean {
  if (pointed === undefined || Math.abs(pointed.at - other.at) > 2) return false;
  if (!OTHER.test(other.text) || /^\s{0,30}[$#>❯›]\s/.test(other.text)) return false;
  return Math.abs(columnOf(pointed.text, POINTED) - columnOf(other.text, OTHER)) <= 1;
}
const columnOf = (text: string, look: RegExp): number => look.exec(text)?.[0].length ?? -9;

/** A row that is drawn in reverse, in part and more than a cursor, beside one like it that is not. */
function hasHighlight({ lit = [] }: Screen, rows: readonly Row[]): boolean {
  return lit.some(({ at, from, to }) => {
    if (to - from < 2 || to - from > LIT_CHARS_MAX) return false;
    const begins = (row: Row): number => row.text.length - row.text.trimStart().length;
    const own = rows.find((row) => row.at === at);
    if (own === undefined) return false;
    const isSame = (row: Row): boolean => Math.abs(begins(row) - begins(own)) <= 2;
    return rows.some(
      (row) => Math.abs(row.at - at) === 1 && isSame(row) && !lit.some((one) => one.at === row.at),
    );
  });
}

const textOf = (rows: readonly Row[]): string =>
  rows
    .slice(-TEXT_ROWS)
    .map(({ text }) => text.replaceAll(/[\u2500-\u257f]/gu, " ").trim())
    .filter((text) => text !== "")
    .join("\n");
