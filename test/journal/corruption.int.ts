import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { seededChance } from "../../sim/world/seeded-chance.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { isFault, type FaultCode } from "../../src/model/fault.ts";
import { realWorld } from "../../src/real-world.ts";
import { DAY_SEED, PLAY_WHOLE, printSample } from "../day-sample.ts";
import { FAULT_ANSWER, readEverything, writeChapter, type Picture } from "./sample-journal.ts";
import {
  LOG_FRAME_BYTES,
  loggedBytes,
  makeFolder,
  putBytes,
  removeFolder,
  takeBytes,
  withByte,
  type StoreBytes,
  type StoreSuffix,
} from "./store-folder.ts";

const seed = Number(process.env["CORRUPTION_SEED"] ?? 20_260_101);
const samplesMax = Number(process.env["CORRUPTION_SAMPLES"] ?? 2_000);
/** Of the places that are chosen, each is judged on one of so many days. */
const DAYS = PLAY_WHOLE || process.env["CORRUPTION_SAMPLES"] !== undefined ? 1 : 8;
const PAGE_BYTES = 4_096;
const SLOW_MS = 5_000;

const world = realWorld();
const folder = makeFolder("quick");
const file = path.join(folder, "journal.db");
after(() => removeFolder(folder));

interface Original {
  readonly name: string;
  readonly bytes: StoreBytes;
  readonly picture: Picture;
  readonly runs: readonly number[];
}
const originals: Original[] = [];

const open = (): Promise<Journal> => openSqliteJournal({ file, world });

/** As after kill -9: the files are taken while the journal is still open. */
async function takeOriginal(name: string, journal: Journal, runs: readonly number[]): Promise<void> {
  originals.push({ name, bytes: takeBytes(file), picture: await readEverything(journal, runs), runs });
}

const checkpoint = (): void => {
  const db = new DatabaseSync(file);
  db.exec("PRAGMA wal_checkpoint(PASSIVE)");
  db.close();
};

before(async () => {
  const runs = [1, 2, 3, 4, 5];
  let journal = await open();
  await writeChapter(journal, { runs: [1, 2, 3], appendsPerRun: 6 });
  await takeOriginal("everything in the log", journal, runs);
  checkpoint();
  await writeChapter(journal, { runs: [2, 4], appendsPerRun: 3 });
  await takeOriginal("a log begun anew over an older one", journal, runs);
  await journal.close();
  journal = await open();
  await writeChapter(journal, { runs: [1, 3, 5], appendsPerRun: 5 });
  await takeOriginal("half in the database and half in the log", journal, runs);
  await journal.close();
  journal = await open();
  await takeOriginal("everything in the database", journal, runs);
  await journal.close();
  await takeRounds();
});

/** A store of its own: what many runs wrote at once is not in its places yet, once in the log and once in the database. */
async function takeRounds(): Promise<void> {
  const runs = Array.from({ length: 17 }, (_, index) => index + 1);
  removeFolder(folder);
  mkdirSync(folder);
  const journal = await open();
  await writeChapter(journal, { runs, appendsPerRun: 1 });
  await writeChapter(journal, { runs, appendsPerRun: 2, atOnce: true });
  await takeOriginal("rounds in the log", journal, runs);
  checkpoint();
  await takeOriginal("rounds in the database", journal, runs);
  const db = new DatabaseSync(file, { readOnly: true });
  assert.ok(db.prepare("SELECT 1 FROM rounds").get() !== undefined, "there are rounds to damage");
  db.close();
  await journal.close();
}

interface Place {
  readonly suffix: StoreSuffix;
  readonly offset: number;
  readonly xor: number;
}

/** Somewhere in a file: half the time anywhere, otherwise where its structure is. */
function drawPlace(original: Original, suffix: StoreSuffix, chance: () => number): Place {
  const size = suffix === "-wal" ? loggedBytes(original.bytes) : (original.bytes.get(suffix)?.length ?? 0);
  const below = (bound: number): number => Math.floor(chance() * bound);
  const unit = suffix === "-wal" ? LOG_FRAME_BYTES : suffix === "-ack" ? 512 : PAGE_BYTES;
  const first = suffix === "-wal" ? 32 : 0;
  const units = Math.floor((size - first) / unit);
  const structure = [
    () => below(Math.min(size, 100)),
    () => first + below(units) * unit + below(40),
    () => first + (units - 1) * unit + below(unit),
  ];
  const place = chance() < 0.5 ? below(size) : (structure[below(structure.length)]?.() ?? 0);
  return { suffix, offset: Math.min(place, size - 1), xor: 1 + below(255) };
}

const FITTING: readonly FaultCode[] = [
  "journal_damaged",
  "store_foreign",
  "store_truncated",
  "store_version",
];
const isFitting = (code: string): boolean => FITTING.some((fitting) => fitting === code);

type Finding = "at open" | "at read" | "by verify" | "harmless";

/** Opens a damaged copy and judges what it says; throws if it lies. */
async function assess(original: Original, place: Place): Promise<Finding> {
  putBytes(file, withByte(original.bytes, place));
  let journal: Journal;
  try {
    journal = await open();
  } catch (error) {
    assert.ok(isFault(error) && isFitting(error.code), `opening threw ${String(error)}`);
    return "at open";
  }
  try {
    const picture = await readEverything(journal, original.runs);
    const damages = await journal.verify();
    return compare(original, picture, damages.length);
  } finally {
    await journal.close();
  }
}

function compare(original: Original, picture: Picture, damages: number): Finding {
  let faults = 0;
  const differing: string[] = [];
  for (const [question, answer] of picture) {
    if (answer.startsWith(FAULT_ANSWER)) {
      faults++;
      assert.ok(isFitting(answer.slice(FAULT_ANSWER.length)), `${question} failed with ${answer}`);
    } else if (answer !== original.picture.get(question)) {
      differing.push(question);
    }
  }
  const events = differing.filter((question) => question.startsWith("events") || question.startsWith("head"));
  assert.deepEqual(events, [], "events were read differently and nobody said so");
  if (faults > 0) return "at read";
  if (damages > 0) return "by verify";
  assert.deepEqual(differing, [], "something was read differently and nothing found it");
  return "harmless";
}

const shares: readonly { name: RegExp; suffix: StoreSuffix; share: number }[] = [
  { name: /everything in the database/, suffix: "", share: 0.3 },
  { name: /half/, suffix: "", share: 0.13 },
  { name: /half/, suffix: "-wal", share: 0.17 },
  { name: /everything in the log/, suffix: "-wal", share: 0.1 },
  { name: /begun anew/, suffix: "-wal", share: 0.1 },
  { name: /rounds in the log/, suffix: "-wal", share: 0.06 },
  { name: /rounds in the database/, suffix: "", share: 0.08 },
  { name: /half/, suffix: "-ack", share: 0.04 },
  { name: /everything in the database/, suffix: "-ack", share: 0.02 },
];

test("J2 each of many changed bytes in database, log and mark is found, or changes nothing that is read", async (t) => {
  const chance = seededChance(seed);
  t.diagnostic(`seed ${String(seed)} (CORRUPTION_SEED), ${String(samplesMax)} samples (CORRUPTION_SAMPLES)`);
  const failures: string[] = [];
  let assessed = 0;
  for (const { name, suffix, share } of shares) {
    const original = originals.find((candidate) => name.test(candidate.name));
    assert.ok(original !== undefined && original.bytes.has(suffix));
    const counts = new Map<Finding, number>();
    for (let sample = Math.round(samplesMax * share); sample > 0; sample--, assessed++) {
      const place = drawPlace(original, suffix, chance);
      if (assessed % DAYS !== DAY_SEED % DAYS) continue;
      const began = performance.now();
      const finding = await assess(original, place).catch((error: unknown) => String(error));
      const tookMs = performance.now() - began;
      if (isFinding(finding) && tookMs < SLOW_MS) counts.set(finding, (counts.get(finding) ?? 0) + 1);
      else failures.push(`${original.name}: ${JSON.stringify(place)} in ${tookMs.toFixed(0)} ms: ${finding}`);
    }
    printCounts(t, `${original.name}, file journal.db${suffix}`, counts);
  }
  printSample(t, `1 in ${String(DAYS)} of ${String(samplesMax)} changed bytes`);
  assert.equal(assessed, samplesMax);
  assert.equal(failures.length, 0, failures.slice(0, 5).join("\n"));
});

const isFinding = (text: string): text is Finding =>
  ["at open", "at read", "by verify", "harmless"].includes(text);

function printCounts(t: TestContext, what: string, counts: ReadonlyMap<Finding, number>): void {
  const words = [...counts].map(([finding, count]) => `${String(count)} ${finding}`);
  t.diagnostic(`${what}: ${words.sort().join(", ")}`);
}

test("J2 every byte of the headers of database and log is found when changed, or changes nothing that is read", async () => {
  const headers = [
    { name: /everything in the database/, suffix: "", bytes: 120 },
    { name: /half/, suffix: "-wal", bytes: 32 + 24 },
  ] as const;
  for (const { name, suffix, bytes } of headers) {
    const original = originals.find((candidate) => name.test(candidate.name));
    assert.ok(original !== undefined);
    for (let offset = 0; offset < bytes; offset++) {
      for (const xor of [0x01, 0xff]) await assess(original, { suffix, offset, xor });
    }
  }
});

test("J2 the undamaged copies of the same stores are read as they were written", async () => {
  for (const original of originals) {
    putBytes(file, original.bytes);
    const journal = await open();
    assert.deepEqual(await readEverything(journal, original.runs), original.picture, original.name);
    assert.deepEqual(await journal.verify(), [], original.name);
    await journal.close();
  }
});
