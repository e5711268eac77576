import { printable } from "../../../src/model/text/printable.ts";

// ANSI and OSC sequences of terminals: what they would do is nothing that a page shows.
const SEQUENCE =
  // eslint-disable-next-line no-control-regex -- such characters are what this is about
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;

// More marks on one letter than any language writes: they are drawn over the lines above it.
const MARKS = /(\p{M}{4})\p{M}+/gu;

/** Text from agents, repositories and goals: sequences are removed, and what nobody would see is made visible. */
export const visibleText = (text: string): string =>
  printable(text.replaceAll(SEQUENCE, "").replaceAll(MARKS, "$1"));

/** The same as one line, cut to a length. */
export function visibleLine(text: string, charsMax = 300): string {
  // What is cut away is not looked at: a line may have a megabyte.
  const head = text.length > charsMax * 4 ? text.slice(0, charsMax * 4) : text;
  const line = visibleText(head.replaceAll(/\s+/g, " ").trim());
  const isCut = line.length > charsMax || head.length < text.length;
  return isCut ? `${line.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, "")}…` : line;
}
