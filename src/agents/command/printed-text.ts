import type { ExitSignal, Signal } from "../../model/agent/signals.ts";
import type { LineReader } from "../keeper/spool/read-spool.ts";
import { toSignal, unknownSignal } from "../to-signal.ts";

/** Of its answer, what is kept to be read as its last word. */
const ANSWER_CHARS_MAX = 8_000;
const STRAY_WORDS_MAX = 40;

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const ESCAPES = /\u001b\[[0-9;?]{0,20}[A-Za-z]/g;

/**
 * What a program says that prints text: each line is progress, and all of them are its answer once it has ended well.
 * One that is `mute` carries out its input and claims nothing by its output.
 */
export function printedText({ mute }: { readonly mute: boolean }): LineReader {
  let answer = "";
  let isBegun = false;
  let strayWords = 0;
  const out = (text: string): readonly Signal[] => {
    const first: Signal[] = isBegun ? [] : [{ kind: "ready" }];
    isBegun = true;
    answer = `${answer}${text}\n`.slice(-ANSWER_CHARS_MAX);
    return text === "" ? first : [...first, toSignal({ kind: "progress", text })];
  };
  const err = (text: string): readonly Signal[] => {
    strayWords += 1;
    return text === "" || strayWords > STRAY_WORDS_MAX ? [] : [unknownSignal(text)];
  };
  return {
    read: ({ text }, from) => {
      const words = text.replaceAll(ESCAPES, "").trimEnd();
      return from === "out" ? out(words) : err(words);
    },
    last: (exit, receivedBefore) => (receivedBefore || mute ? [exit] : [...claimAtEnd(answer, exit), exit]),
  };
}

/** A program that ends with 0 says that all went well; what it printed is read for errors where claims are read. */
export const claimAtEnd = (answer: string, { how, code }: ExitSignal): readonly Signal[] =>
  how !== "code" || code !== 0 || answer.trim() === ""
    ? []
    : [toSignal({ kind: "result", ok: true, text: answer.trim().slice(-ANSWER_CHARS_MAX / 2) })];
