/**
 * Whether a text is what a pattern describes: `*` stands for any characters, `?` for one, everything else for itself.
 * Where `barred` is given, no wildcard stands for a character that it matches.
 *
 * The time is bounded by the length of the text times that of the longest part between two stars, regardless of the
 * pattern: only the last star ever takes more than it did. With `barred` that may miss a text that could be matched
 * with more trouble, and never matches one that could not.
 */
export function matchesPattern(pattern: string, text: string, barred: RegExp | null = null): boolean {
  const mayStand = (char: string): boolean => barred === null || !barred.test(char);
  let [at, here] = [0, 0];
  let star: { readonly after: number; taken: number } | null = null;
  while (here < text.length) {
    const want = pattern[at];
    const char = text[here] ?? "";
    if (want === "*") {
      star = { after: at + 1, taken: here };
      at += 1;
    } else if (want === char || (want === "?" && mayStand(char))) {
      at += 1;
      here += 1;
    } else if (star !== null && mayStand(text[star.taken] ?? "")) {
      star.taken += 1;
      [at, here] = [star.after, star.taken];
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}
