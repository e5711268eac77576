import type { Signal } from "../../model/agent/signals.ts";
import type { LineReader } from "../keeper/spool/read-spool.ts";
import type { SpoolLine } from "../keeper/spool/spool-lines.ts";
import { toSignal, unknownSignal } from "../to-signal.ts";
import type { Vocabulary } from "./headless-agent.ts";
import { parseJson } from "./json-fields.ts";

/** A stack trace of an agent is of little use to a journal; all of it stays in the spool. */
const STRAY_WORDS_MAX = 40;

/** Turns lines into signals by a vendor's vocabulary: cut to size, never a throw, nothing lost without a word. */
export function headlessReader(vocabulary: Vocabulary): LineReader {
  let strayWords = 0;
  let fromOut = false;
  const stray = (text: string): readonly Signal[] => {
    strayWords += 1;
    if (strayWords > STRAY_WORDS_MAX) return [];
    const last = strayWords === STRAY_WORDS_MAX ? " [more of this kind is left out]" : "";
    return [unknownSignal(`${text}${last}`)];
  };
  return {
    partial: () => fromOut && vocabulary.partial?.() === true,
    read(line, from) {
      fromOut = from === "out";
      if (line.text.trim() === "") return [];
      if (from === "err") return vocabulary.words(plain(line.text))?.map(toSignal) ?? stray(plain(line.text));
      return eventSignals(vocabulary, line);
    },
  };
}

function eventSignals(vocabulary: Vocabulary, { kind, text }: SpoolLine): readonly Signal[] {
  const event = kind === "whole" ? parseJson(text) : undefined;
  const said = event === undefined ? null : vocabulary.event(event);
  return said?.map(toSignal) ?? [unknownSignal(text)];
}

/** Some colour even what nobody sees. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const plain = (text: string): string => text.replaceAll(/\u001b\[[0-9;]*[A-Za-z]/g, "");
