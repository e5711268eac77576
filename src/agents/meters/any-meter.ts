import path from "node:path";
import { numberAt, parseJson, textAt } from "../headless/json-fields.ts";
import type { Meter } from "../keeper/spool/read-spool.ts";
import { claudeTranscripts } from "./claude-transcript.ts";
import { codexRollouts } from "./codex-rollout.ts";
import { fileMeter, type Tally, tallySignals } from "./file-meter.ts";
import { geminiChats } from "./gemini-chats.ts";
import { LEDGER_HOMES } from "./ledger-homes.ts";
import { openDatabase } from "../../files/open-database.ts";
import { lookAtPlain } from "../../files/plain-file.ts";
import type { Signal } from "../../model/agent/signals.ts";

/**
 * The folders of all agents that are known; which of them is at work is recognised by where its conversation is found.
 */
export type LedgerHomes = Readonly<Partial<Record<keyof typeof LEDGER_HOMES, string>>>;

export function ledgerHomes(env: Readonly<Record<string, string | undefined>>): LedgerHomes {
  const homes = Object.entries(LEDGER_HOMES).flatMap(([name, homeIn]) => {
    const home = homeIn(env);
    return home === undefined ? [] : [[name, home]];
  });
  return Object.fromEntries(homes) as LedgerHomes;
}

/** For agents of a protocol, which may be any. */
export function anyMeter(homes: LedgerHomes, startedAt: number, now: () => number): Meter {
  const { claude, codex, gemini, data } = homes;
  const ledgers = [
    ...(claude === undefined ? [] : [claudeTranscripts(claude)]),
    ...(codex === undefined ? [] : [codexRollouts(codex)]),
    ...(gemini === undefined ? [] : [geminiChats(gemini)]),
  ];
  const meters: Meter[] = [
    ...ledgers.map((ledger) => fileMeter({ ledger, startedAt, now })),
    ...(data === undefined ? [] : [databaseMeter({ data, startedAt, now })]),
  ];
  return {
    received: (signals) => {
      for (const meter of meters) meter.received(signals);
    },
    read: (end) => meters.flatMap((meter) => meter.read(end)),
  };
}

const READ_EVERY_MS = 1_000;
const SEARCH_EVERY_MS = 2_000;
/** opencode, and what is made of it: each in a folder of its own name. */
const DATABASES = ["opencode/opencode.db", "kilo/kilo.db"];

interface Row {
  readonly data: unknown;
  readonly created: unknown;
}

interface DatabaseMeterOptions {
  readonly data: string;
  readonly startedAt: number;
  readonly now: () => number;
}

/**
 * opencode and Kilo Code report over the protocol what the last request of a turn has used, and that at its end. In
 * their database stands every answer with its tokens. It is opened for reading alone, and closed again each time.
 */
function databaseMeter({ data, startedAt, now }: DatabaseMeterOptions): Meter {
  let conversation: string | undefined;
  let notBefore = 0;
  let said = "";
  return {
    received: (signals) => {
      for (const signal of signals) if (signal.kind === "conversation") conversation = signal.id;
    },
    read: (end) => {
      if (conversation === undefined || !/^ses_\w{8,80}$/.test(conversation)) return [];
      if (!end && now() < notBefore) return [];
      const tally = DATABASES.map((name) =>
        tallyIn(path.join(data, name), conversation ?? "", startedAt),
      ).find((one) => one !== undefined);
      notBefore = now() + (tally === undefined ? SEARCH_EVERY_MS : READ_EVERY_MS);
      return news(tally);
    },
  };

  function news(tally: Tally | undefined): readonly Signal[] {
    const shown = JSON.stringify(tally);
    if (tally === undefined || tally.requests === 0 || shown === said) return [];
    said = shown;
    return tallySignals(tally);
  }
}

const ANSWERS =
  "SELECT data, time_created AS created FROM message WHERE session_id = ? ORDER BY time_created LIMIT 100000";

function tallyIn(file: string, session: string, startedAt: number): Tally | undefined {
  if (lookAtPlain(file) !== null) return undefined;
  try {
    const database = openDatabase(file, { readOnly: true });
    try {
      return sumOf(database.prepare(ANSWERS).all(session) as unknown as Row[], startedAt);
    } finally {
      database.close();
    }
  } catch {
    // Busy, of another shape, or none at all: it is not countable, and asked again later.
    return undefined;
  }
}

function sumOf(rows: readonly Row[], startedAt: number): Tally {
  const tally = { tokensIn: 0, cachedIn: 0, tokensOut: 0, requests: 0, usd: 0 };
  let model: string | undefined;
  for (const { data, created } of rows) {
    const answer = parseJson(typeof data === "string" ? data : "");
    const count = (...names: string[]): number => numberAt(answer, "tokens", ...names) ?? 0;
    const read = count("input") + count("cache", "read") + count("cache", "write");
    if (textAt(answer, "role") !== "assistant" || read === 0 || Number(created) < startedAt) continue;
    tally.tokensIn += read;
    tally.cachedIn += count("cache", "read");
    tally.tokensOut += count("output") + count("reasoning");
    tally.usd += numberAt(answer, "cost") ?? 0;
    tally.requests += 1;
    model = textAt(answer, "modelID") ?? model;
  }
  return { ...tally, model };
}
