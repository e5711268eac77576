/**
 * What a viewer is shown of a program's bytes: everything that draws, and nothing that a terminal would answer or act on.
 * A query answered by the viewer's terminal would reach the program as if a person had typed it; others write to the
 * clipboard, move windows or report where the mouse is (T11).
 */
export interface QueryFilter {
  /** Takes bytes as Latin-1 text, and answers those to show; a sequence that is not whole yet is kept for the next call. */
  take(bytes: string): string;
}

/** A sequence longer than this is no sequence of a program that means well: it is dropped as it comes. */
const KEPT_MAX = 4_096;
const ESCAPE = "\u001b";
const SHOWN_OSC = /^(?:0|1|2);|^8;[^;]*;(?:https?:\/\/|$)/;
/** Reports of the mouse and of focus, which a viewer's terminal would type. */
const REPORTING = new Set(["9", "1000", "1001", "1002", "1003", "1004", "1005", "1006", "1015", "1016"]);

export function queryFilter(): QueryFilter {
  let kept = "";
  let dropsUntilEnd = false;
  return {
    take(bytes) {
      let text = kept + bytes;
      kept = "";
      if (dropsUntilEnd) {
        const end = endOfString(text, 0);
        if (end === null) return "";
        dropsUntilEnd = false;
        text = text.slice(end.after);
      }
      const { shown, rest } = filtered(text);
      if (rest.length <= KEPT_MAX) kept = rest;
      else dropsUntilEnd = true;
      return shown;
    },
  };
}

function filtered(text: string): { readonly shown: string; readonly rest: string } {
  let shown = "";
  let at = 0;
  while (at < text.length) {
    const next = nextSpecial(text, at);
    shown += text.slice(at, next);
    if (next >= text.length) break;
    const found = sequenceAt(text, next);
    if (found === null) return { shown, rest: text.slice(next) };
    if (found.isShown) shown += text.slice(next, found.after);
    at = found.after;
  }
  return { shown, rest: "" };
}

/** An escape, an enquiry, or the first byte of a control character of eight bits. */
function nextSpecial(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (char === ESCAPE || char === "\u0005" || char === "\u00c2") return at;
  }
  return text.length;
}

interface Sequence {
  readonly after: number;
  readonly isShown: boolean;
}

/** Null where it is not whole. */
function sequenceAt(text: string, at: number): Sequence | null {
  if (text[at] === "\u0005") return { after: at + 1, isShown: false };
  const next = text[at + 1];
  if (next === undefined) return null;
  if (text[at] === "\u00c2") {
    const isControl = next >= "\u0080" && next <= "\u009f";
    return isControl ? { after: at + 2, isShown: false } : { after: at + 1, isShown: true };
  }
  if (next === "[") return controlSequence(text, at);
  if (next === "]") {
    const end = endOfString(text, at + 2);
    return end && { after: end.after, isShown: SHOWN_OSC.test(text.slice(at + 2, end.at)) };
  }
  if ("PX^_".includes(next)) {
    const end = endOfString(text, at + 2);
    return end && { after: end.after, isShown: false };
  }
  return { after: at + 2, isShown: next !== "Z" };
}

function controlSequence(text: string, at: number): Sequence | null {
  for (let end = at + 2; end < text.length; end += 1) {
    const char = text[end] ?? "";
    if (char >= "@" && char <= "~") {
      const isShown = !isQuery(text.slice(at + 2, end), char);
      return { after: end + 1, isShown };
    }
    // What is no part of one ends it; a terminal ignores it too.
    if (char < " " || char > "?") return { after: end, isShown: false };
  }
  return null;
}

function isQuery(query: string, final: string): boolean {
  const isPrivate = /^[<=>?]/.test(query);
  switch (final) {
    case "c":
    case "n":
    case "t":
    case "x":
      return true;
    case "p":
      return query.endsWith("$");
    case "q":
    case "u":
      return isPrivate;
    case "h":
    case "l":
      return (
        isPrivate &&
        query
          .slice(1)
          .split(";")
          .some((mode) => REPORTING.has(mode))
      );
    default:
      return false;
  }
}

/** Where a string sequence ends: by BEL or by ESC \. An escape that begins something else ends it as well. */
function endOfString(text: string, from: number): { readonly at: number; readonly after: number } | null {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\u0007") return { at, after: at + 1 };
    if (text[at] !== ESCAPE) continue;
    if (text[at + 1] === undefined) return null;
    return { at, after: text[at + 1] === "\\" ? at + 2 : at };
  }
  return null;
}
