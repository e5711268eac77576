import { readdirSync } from "node:fs";
import { type Json, parseJson } from "../headless/json-fields.ts";
import type { Meter } from "../keeper/spool/read-spool.ts";
import { lineScanner } from "../keeper/spool/spool-lines.ts";
import { readPlainAt } from "../../files/plain-file.ts";
import type { Signal } from "../../model/agent/signals.ts";

/** Reads the lines of one conversation; those of before the session only show where the session began. */
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
    received: (signals) => {
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
  meter.received([{ kind: "conversation", id: conversation }]);
  meter.read(true);
  return meter.tally.requests === 0 ? undefined : meter.tally;
}

const CHUNK_BYTES = 1024 * 1024;
/** So much is read at once; the rest when it is asked again. */
const CHUNKS_AT_ONCE = 8;
const FILE_BYTES_MAX = 2 ** 31;
const NAMES_MAX = 5_000;

/**
 * Reads the lines that were added to somebody else's file since the last time. No matter what is wrong with it, there
 * are none.
 */
function followFile(file: string): () => readonly string[] {
  const scanner = lineScanner(0);
  return () => {
    const lines: string[] = [];
    for (let chunk = 0; chunk < CHUNKS_AT_ONCE; chunk += 1) {
      const read = readPlainAt(file, { from: scanner.readTo(), bytesMax: CHUNK_BYTES });
      if (read.kind !== "read" || read.bytes.length === 0 || read.stats.size > FILE_BYTES_MAX) break;
      for (const { text, kind } of scanner.push(read.bytes)) if (kind === "whole") lines.push(text);
    }
    return lines;
  };
}

/** Names in a folder, none where it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, NAMES_MAX);
  } catch {
    return [];
  }
}

/** The first line of a file, as far as it is short. */
export const firstLine = (file: string): string | undefined => followFile(file)()[0];

/** What a session has used so far, as its agent has written it down. */
export interface Tally {
  readonly tokensIn: number;
  readonly cachedIn: number;
  readonly tokensOut: number;
  readonly requests: number;
  readonly model?: string | undefined;
  /** How full its context was at the last request. */
  readonly usedPct?: number | undefined;
  readonly usd?: number | undefined;
}

export function tallySignals(tally: Tally): readonly Signal[] {
  const { tokensIn, cachedIn, tokensOut, requests, model, usedPct, usd } = tally;
  return [
    {
      kind: "usage",
      tokensInTotal: tokensIn,
      cachedInTotal: cachedIn,
      tokensOutTotal: tokensOut,
      requestsTotal: requests,
      ...(model === undefined ? {} : { model: model.slice(0, 200) }),
      ...(usd === undefined || usd === 0 ? {} : { usdTotal: usd }),
    },
    ...(usedPct === undefined
      ? []
      : [{ kind: "context" as const, usedPct: Math.min(100, Math.round(usedPct * 10) / 10) }]),
  ];
}
