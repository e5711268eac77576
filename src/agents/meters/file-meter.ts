import type { Signal } from "../../model/agent/signals.ts";
import { parseJson, type Json } from "../headless/json-fields.ts";
import type { Meter } from "../keeper/spool/read-spool.ts";
import { followFile } from "./follow-file.ts";
import { tallySignals, type Tally } from "./tally.ts";

/** Reads the lines of one conversation; those of before the session only tell it where the session began. */
export interface LedgerReader {
  read(line: Json): void;
  readonly tally: Tally;
}

/** How one agent keeps its conversations as files of JSON Lines. */
export interface Ledger {
  /** The file of a conversation, undefined while there is none. */
  find(conversation: string): string | undefined;
  reader(startedAt: number): LedgerReader;
}

export interface MeterOptions {
  readonly ledger: Ledger;
  readonly startedAt: number;
  readonly now: () => number;
}

export interface FileMeter extends Meter {
  readonly tally: Tally;
}

const READ_EVERY_MS = 250;
const SEARCH_EVERY_MS = 1_000;
/** Each reads some megabytes. */
const LAST_READS_MAX = 50;

/**
 * Follows the file in which an agent keeps its conversation, so that what it uses is known while it works. Where there
 * is none it says nothing, and what the agent prints at its end is all that is known.
 */
export function fileMeter({ ledger, startedAt, now }: MeterOptions): FileMeter {
  const reader = ledger.reader(startedAt);
  let conversation: string | undefined;
  let follow: (() => readonly string[]) | undefined;
  let notBefore = 0;
  let said = "";
  const search = (): void => {
    const file = conversation === undefined ? undefined : ledger.find(conversation);
    follow = file === undefined ? undefined : followFile(file);
  };
  return {
    heard: (signals) => {
      for (const signal of signals) if (signal.kind === "conversation") conversation = signal.id;
    },
    read: (end) => {
      if (!end && now() < notBefore) return [];
      if (follow === undefined) search();
      notBefore = now() + (follow === undefined ? SEARCH_EVERY_MS : READ_EVERY_MS);
      for (let left = end ? LAST_READS_MAX : 1; left > 0 && readOn() > 0; left -= 1);
      return news();
    },
    get tally() {
      return reader.tally;
    },
  };

  function readOn(): number {
    const lines = follow?.() ?? [];
    for (const line of lines) {
      const event = parseJson(line);
      if (event !== undefined) reader.read(event);
    }
    return lines.length;
  }

  function news(): readonly Signal[] {
    const { tally } = reader;
    const shown = JSON.stringify(tally);
    if (tally.requests === 0 || shown === said) return [];
    said = shown;
    return tallySignals(tally);
  }
}

/** When a line was written; undefined where it does not say. */
export function writtenAt(line: Json): number | undefined {
  const { timestamp } = line;
  const at = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** What a whole conversation has used up so far; undefined where that is not written down. */
export function totalInLedger(ledger: Ledger, conversation: string): Tally | undefined {
  const meter = fileMeter({ ledger, startedAt: 0, now: () => 0 });
  meter.heard([{ kind: "conversation", id: conversation }]);
  meter.read(true);
  return meter.tally.requests === 0 ? undefined : meter.tally;
}
