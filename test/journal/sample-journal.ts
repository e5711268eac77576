import { isFault } from "../../src/model/fault.ts";
import type { Recorded, RunEvent } from "../../src/model/events/events.ts";
import type { InboxRow, Journal, Owner, Snapshot } from "../../src/journal/journal.ts";

/** A journal in which every table and every kind of page is used, the same every time it is written. */

const START = 1_700_000_000_000;
const owner: Owner = { id: "own_sample", process: { host: "here", pid: 4_711, startedAt: "100 boot" } };

export interface Chapter {
  /** Runs are named by number, so that chapters may go on with the runs of earlier ones. */
  readonly runs: readonly number[];
  readonly appendsPerRun: number;
  /** All runs of a turn append together, and so in one commit. */
  readonly atOnce?: boolean;
}

export const sampleRun = (number: number): string => `run_sample${String(number).padStart(3, "0")}`;

/** Writes one chapter: every run is claimed, written to by turns, and asked something; some are let go again. */
export async function writeChapter(journal: Journal, chapter: Chapter): Promise<void> {
  const epochs = new Map<number, number>();
  for (const number of chapter.runs) {
    const claim = await journal.claim(sampleRun(number), owner);
    epochs.set(number, claim.kind === "claimed" ? claim.epoch : claim.lease.epoch);
  }
  for (let turn = 0; turn < chapter.appendsPerRun; turn++) {
    const append = (number: number): Promise<void> =>
      appendOnce(journal, { number, turn, epoch: epochs.get(number) ?? 0 });
    if (chapter.atOnce === true) await Promise.all(chapter.runs.map(append));
    else for (const number of chapter.runs) await append(number);
    await journal.beat(owner.id);
  }
  for (const number of chapter.runs) {
    await saveSnapshot(journal, number);
    await journal.ask(mail(number, `chapter of ${String(chapter.appendsPerRun)}`));
    if (number % 3 === 0) await journal.release(sampleRun(number), epochs.get(number) ?? 0);
  }
}

async function appendOnce(
  journal: Journal,
  { number, turn, epoch }: { number: number; turn: number; epoch: number },
): Promise<void> {
  const run = sampleRun(number);
  const expected = (await journal.head(run))?.seq ?? 0;
  const asked = mail(number, `turn ${String(expected)}`);
  const hears = turn % 4 === 2;
  if (hears) await journal.ask(asked);
  const outcome = await journal.append({
    run,
    expected,
    epoch,
    at: START + expected,
    events: eventsFor(number, turn, asked.id),
    ...(hears ? { consumed: [asked.id] } : {}),
    listing: { status: "running", goal: `goal ${String(number)} …`, wakeAt: turn % 2 === 0 ? null : START },
  });
  if (outcome.kind !== "appended") throw new Error(`the sample was refused: ${outcome.kind}`);
}

/** From a few bytes to several pages. */
function eventsFor(number: number, turn: number, requestId: string): RunEvent[] {
  const long = `${String(number)}:${String(turn)} `.repeat([1, 40, 400, 2_000][(number + turn) % 4] ?? 1);
  return [
    { type: "RequestHeard", data: { requestId, request: { kind: "pause" }, by: "sample" } },
    { type: "StepSucceeded", data: { step: "work", attempt: `work#${String(turn)}`, result: long } },
    { type: "RunStarted", data: {} },
  ];
}

const mail = (number: number, about: string): InboxRow => ({
  id: `req_${String(number)}_${about.replaceAll(" ", "_")}`,
  address: sampleRun(number),
  request: { kind: "retry", step: about },
  by: "sample",
  at: START,
});

async function saveSnapshot(journal: Journal, number: number): Promise<void> {
  const head = await journal.head(sampleRun(number));
  if (head === null) throw new Error("the sample has a run without a head");
  const snapshot: Snapshot = {
    seq: head.seq,
    hash: head.hash,
    fold: "sample-1",
    state: JSON.stringify({ filler: "s".repeat(number * 700) }),
  };
  await journal.saveSnapshot(sampleRun(number), snapshot);
}

/** Everything a journal tells through its port, by the name of the question; a fault is an answer too. */
export type Picture = ReadonlyMap<string, string>;
export const FAULT_ANSWER = "fault ";

export async function readEverything(journal: Journal, runs: readonly number[]): Promise<Picture> {
  const picture = new Map<string, string>();
  const look = async (question: string, answer: () => Promise<unknown>): Promise<void> => {
    picture.set(question, await answerText(answer));
  };
  await look("runs", () => journal.runs());
  await look("running", () => journal.runs({ statuses: ["running"] }));
  await look("mail", () => journal.addressesWithMail());
  for (const number of runs) {
    const run = sampleRun(number);
    await look(`events ${run}`, () => readRun(journal, run));
    await look(`head ${run}`, () => journal.head(run));
    await look(`inbox ${run}`, () => journal.inbox(run));
    await look(`lease ${run}`, () => journal.lease(run));
    await look(`snapshot ${run}`, () => journal.loadSnapshot(run));
  }
  return picture;
}

async function answerText(answer: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await answer());
  } catch (error) {
    if (!isFault(error)) throw error;
    return `${FAULT_ANSWER}${error.code}`;
  }
}

async function readRun(journal: Journal, run: string): Promise<Recorded[]> {
  const events: Recorded[] = [];
  for (;;) {
    const page = await journal.read(run, { after: events.length, limit: 20 });
    if (page.length === 0) return events;
    events.push(...page);
  }
}
