import { knownForms, utf8, type KnownSecret } from "./redact.ts";
import { SECRET_PATTERNS } from "./secret-patterns.ts";

/** An environment has room for 128 KB in one variable. */
const TABLE_CHARS_MAX = 120_000;

/**
 * What a copier looks for, as lines with tabs between: `k NAME VALUE` for a known value, `p NAME REGEX NEEDS` for a
 * shape; values and expressions in hexadecimal, since they may hold anything. The shortest values come first: a flood of
 * long ones leaves out the longest.
 */
export function siftTable(known: readonly KnownSecret[]): string {
  const shapes = SECRET_PATTERNS.map(({ name, needs, looks }) =>
    ["p", name, hex(inRawJson(looks.source)), needs.map(hex).join(",")].join("\t"),
  );
  const values = [...knownForms(known)]
    .sort(([one], [other]) => one.length - other.length)
    .map(([form, name]) => ["k", name.replaceAll(/[^\w.-]/g, "_"), hex(form)].join("\t"));
  const lines = [...shapes];
  let room = TABLE_CHARS_MAX - shapes.join("\n").length;
  for (const value of values) {
    room -= value.length + 1;
    if (room < 0) break;
    lines.push(value);
  }
  return lines.join("\n");
}

/** In JSON that is not decoded the letter of an escape stands before what begins a line. */
const inRawJson = (source: string): string =>
  source.replace(/^\\b/, String.raw`(?:\b|(?<=\\[bfnrt])|(?<=\\u[0-9a-fA-F]{4}))`);

const hex = (text: string): string =>
  utf8(text)
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
