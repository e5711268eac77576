/** Values that a document may have, each alias counted as what it stands for, because a walk through it meets them all. */
const VALUES_MAX = 200_000;
const LEVELS_MAX = 100;
/** Every value follows one of these, and prose has few of them. */
const BEFORE_VALUES = new Set([",", "\n", "[", "{"]);
const MARKS_MAX = 500_000;

interface Met {
  readonly value: unknown;
  readonly level: number;
}

/** What a text is refused for before it is parsed, which takes a hundred times its room; null where it is not. */
export function tooManyMarks(text: string): string | null {
  let marks = 0;
  for (let at = 0; at < text.length; at += 1) if (BEFORE_VALUES.has(text.charAt(at))) marks += 1;
  return marks <= MARKS_MAX ? null : TOO_MANY;
}

/** What a document that takes a few bytes and is endless, or nearly so, is refused for; null where it is neither. */
export function beyondBounds(document: unknown): string | null {
  const open: Met[] = [{ value: document, level: 1 }];
  let met = 1;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== "object" || next.value === null) continue;
    if (next.level > LEVELS_MAX) return TOO_DEEP;
    const parts: readonly unknown[] = Array.isArray(next.value) ? next.value : Object.values(next.value);
    met += parts.length;
    if (met > VALUES_MAX) return TOO_MANY;
    for (const value of parts) open.push({ value, level: next.level + 1 });
  }
  return null;
}

const TOO_DEEP = `is nested deeper than ${String(LEVELS_MAX)} levels, or has an alias of what it stands in; expected fewer levels`;
const TOO_MANY = `has too many values; expected at most ${String(VALUES_MAX)}, where each alias counts as all that it stands for`;
