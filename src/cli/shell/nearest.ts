/** Edits between two words, where a swap of neighbours is one edit. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const cell = (i: number, j: number): number => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const change = cell(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? cell(i - 2, j - 2) + 1 : Infinity;
      row.push(Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, change, swapped));
    }
  }
  return cell(a.length, b.length);
}

const WORD_CHARS_MAX = 200;

/** The candidates closest to a word, best first, of those close enough to be meant. */
export function nearest(word: string, candidates: Iterable<string>, countMax = 1): string[] {
  const wanted = word.slice(0, WORD_CHARS_MAX).toLowerCase();
  const rated = [...new Set(candidates)].map((candidate) => {
    const known = candidate.toLowerCase();
    const partOf = wanted.length >= 3 && (known.startsWith(wanted) || known.endsWith(wanted));
    return { candidate, edits: partOf ? 0 : distance(wanted, known) };
  });
  const close = rated.filter(
    ({ candidate, edits }) =>
      edits <= Math.max(1, Math.floor(Math.max(wanted.length, candidate.length) * 0.4)),
  );
  return close
    .sort((a, b) => a.edits - b.edits)
    .slice(0, countMax)
    .map(({ candidate }) => candidate);
}

/** `; did you mean "x"?`, or nothing where nothing is close. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const [best] = nearest(word, candidates);
  return best === undefined ? "" : `; did you mean "${best}"?`;
}
