import { knownForms, utf8, type KnownSecret } from "./redact.ts";
import { SECRET_PATTERNS } from "./secret-patterns.ts";

/** An environment has room for 128 KB in one variable. */
const TABLE_CHARS_MAX = 120_000;

/**
 * What a copier looks for, as lines with tabs between: `k NAME VALUE` for a known value, `p NAME REGEX NEEDS` for a
 * shape, `b` for one that begins a word; values and expressions in hexadecimal, since they may hold anything. The shortest values come first: a flood of
 * long ones leaves out the longest.
 */
export function siftTable(known: readonly KnownSecret[]): string {
  const shapes = SECRET_PATTERNS.map(({ name, needs, looks: { source } }) => {
    const kind = source.startsWith(BOUNDARY) ? "b" : "p";
    const rest = kind === "b" ? source.slice(BOUNDARY.length) : source;
    return [kind, name, hex(rest), needs.map(hex).join(",")].join("\t");
  });
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

const BOUNDARY = String.raw`\b`;

const hex = (text: string): string =>
  utf8(text)
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
