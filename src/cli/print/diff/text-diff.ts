/**
 * Beyond this, lines between the common beginning and end are reported as replaced: the cost grows with the product.
 */
const CELLS_MAX = 1_000_000;

/** The lines that were taken out (`-`) and put in (`+`), in order; nothing for equal texts. */
export const textDiff = (before: string, after: string): string[] =>
  wholeDiff(before.split("\n"), after.split("\n")).filter((line) => !line.startsWith(" "));

/** All lines of both texts in order, each after its sign: a space for those that stayed. */
export function wholeDiff(a: readonly string[], b: readonly string[]): string[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [out, put] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const between =
    out.length * put.length > CELLS_MAX
      ? [...out.map((line) => `-${line}`), ...put.map((line) => `+${line}`)]
      : fewest(out, put);
  const stayed = (lines: readonly string[]): string[] => lines.map((line) => ` ${line}`);
  return [...stayed(a.slice(0, start)), ...between, ...stayed(a.slice(a.length - end))];
}

/** The standard table of longest common subsequences, read from its beginning. */
function fewest(a: readonly string[], b: readonly string[]): string[] {
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: string[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(` ${a[i] ?? ""}`);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push(`-${a[i] ?? ""}`);
      i += 1;
    } else {
      lines.push(`+${b[j] ?? ""}`);
      j += 1;
    }
  }
  return lines;
}
