import type { Meter } from "../keeper/spool/read-spool.ts";
import { claudeTranscripts } from "./claude-transcript.ts";
import { codexRollouts } from "./codex-rollout.ts";
import { databaseMeter } from "./database-meter.ts";
import { fileMeter } from "./file-meter.ts";
import { geminiChats } from "./gemini-chats.ts";
import { LEDGER_HOMES } from "./ledger-homes.ts";

/** The folders of all agents that are known; which of them is at work is told by where its conversation is found. */
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
    heard: (signals) => {
      for (const meter of meters) meter.heard(signals);
    },
    read: (end) => meters.flatMap((meter) => meter.read(end)),
  };
}
