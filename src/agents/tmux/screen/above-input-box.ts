/** Rules that a program draws around its line of input: as wide as a good part of the screen, and of one sign. */
const RULE = /^[╭╰┌└]?[─━═]{20,400}[╮╯┐┘]?$/u;
/** What stands in an empty line of input. */
const EMPTY_INPUT = /^[\s>›❯│┃|]{0,400}$/u;
/** Rows between the two rules, and rows of a status below them. */
const BOX_ROWS_MAX = 4;
const FOOT_ROWS_MAX = 6;

/**
 * What a program shows above its line of input, where it draws one between two rules. The box and the status below it
 * are no part of what it said: otherwise a status line would always be its last word.
 */
export function aboveInputBox(lines: readonly string[]): readonly string[] {
  const shown = lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1);
  const lower = shown.findLastIndex((line) => RULE.test(line.trim()));
  if (lower === -1 || shown.length - 1 - lower > FOOT_ROWS_MAX) return lines;
  const upper = shown.slice(0, lower).findLastIndex((line) => RULE.test(line.trim()));
  const isBox =
    upper !== -1 &&
    lower - upper > 1 &&
    lower - upper - 1 <= BOX_ROWS_MAX &&
    shown.slice(upper + 1, lower).every((line) => EMPTY_INPUT.test(line));
  return isBox ? lines.slice(0, upper) : lines;
}
