/**
 * A text without the given characters at its end. An expression such as `/\r+$/` tries again from each of them where
 * something else follows, which takes minutes for some hundred thousand; this looks at each once.
 */
export function trimmedEnd(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text[end - 1] ?? "")) end -= 1;
  return text.slice(0, end);
}
