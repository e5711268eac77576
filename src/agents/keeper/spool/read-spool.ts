import type { ExitSignal, Signal } from "../../../model/agent/signals.ts";
import { elapsedMs, type World } from "../../../model/world.ts";
import type { SignalBatch } from "../../agent-driver.ts";
import type { Listening } from "../../listening.ts";
import { pause } from "../../pause.ts";
import { exitWatch } from "../exit-watch.ts";
import { readingShare, type ReadingShare } from "./reading-share.ts";
import { copierWatch } from "./sifting.ts";
import type { SessionFolder } from "../session-folder.ts";
import { OUTPUT_BYTES_MAX, quotaReached } from "./spool-quota.ts";
import { spoolTail, type Spool, type SpoolTail, type TailLine } from "./spool-tail.ts";
import type { SpoolLine } from "./spool-lines.ts";
import { StrayFold } from "../stray-fold.ts";

/** A witness beside the spools: it learns from what is received, and is asked for more now and then, and at the end. */
export interface Meter {
  received(signals: readonly Signal[]): void;
  read(end: boolean): readonly Signal[];
}

/** What the lines of a session mean. */
export interface LineReader {
  /** None for a line without meaning, such as an empty one. */
  read(line: SpoolLine, from: Spool): readonly Signal[];
  /** Whether the last line was a piece of an answer, which is reported when it is whole. */
  partial?(): boolean;
  /** What is left to say when no more will come, the exit last; `heardBefore`: all but the exit was said already. */
  last?(exit: ExitSignal, receivedBefore: boolean): readonly Signal[];
}

export interface SpoolReading {
  readonly world: World;
  readonly session: SessionFolder;
  /** Which spools are read; the first has the last word before the exit. */
  readonly spools: readonly [Spool, ...Spool[]];
  /**
   * A reader for one listening. One that `remembers` is given the lines before the cursor again, and what it says to
   * them is dropped: what it says to the lines of one spool must not depend on those of another.
   */
  readonly reader: () => LineReader;
  readonly remembers: boolean;
  /** What the agent writes down elsewhere of its usage. It says totals, which may be received more than once. */
  readonly meter?: Meter;
  /** False while the spools may grow although the agent is over, since somebody still writes down what it said. */
  readonly settled?: () => boolean;
  /** Up to here all of a spool is read; the default quota where left out. */
  readonly quotaBytes?: number | undefined;
}

const POLL_MS = 50;
const POLL_MS_MAX = 500;
const POLL_PART = 10;
/** While an answer comes in pieces that is said so often, and no more: each time is an event of the journal. */
export const SPEAKING_APART_MS = 5_000;
const BATCH_SIGNALS_MAX = 200;
const LINE_SIGNALS_MAX = 50;
/** Ends the cursor of who has received the exit. */
const END_RECEIVED = "!";

/**
 * Reads what an agent wrote from where somebody stopped reading, no matter who, until the agent's exit.
 *
 * 1. Whether the agent is over is looked up before its spools are read, so that its last word is never missed.
 * 2. The cursor is the offset after the last line handed over: what follows it was never received, what precedes it
 *    was.
 * 3. The exit is the last signal: what a process it left behind writes after it is not waited for.
 *    Listened to again from the end, a session that is over yields its exit again.
 */
export async function readSpool(reading: SpoolReading, cursor: string, listening: Listening): Promise<void> {
  const { world, session, spools } = reading;
  const reader = reading.reader();
  const offsets = cursor.endsWith(END_RECEIVED) ? cursor.slice(0, -END_RECEIVED.length) : cursor;
  const { quotaBytes = OUTPUT_BYTES_MAX, remembers } = reading;
  const tail = spoolTail(session, spools, { cursor: offsets, fromStart: remembers, quotaBytes });
  let isQuotaReported = false;
  const rest = restUntilClosed(world, listening);
  const watch = exitWatch(reading);
  const keepCopied = copierWatch(session);
  const voice: Voice = { now: () => world.now(), reportedAt: -Infinity, strays: new StrayFold() };
  const share = readingShare(world);
  let readAt = elapsedMs(world);
  while (!listening.closed()) {
    const over = watch();
    share.begin();
    const lines = tail.next(over?.sizes);
    const skipped = tail.skipped();
    if (skipped !== undefined && !isQuotaReported) {
      isQuotaReported = true;
      const reached = quotaReached(skipped, quotaBytes);
      const signals = voice.strays.rest();
      if (!(await listening.receive({ signals, cursor: tail.cursor(), reached }))) return;
    }
    const beside = [...(reading.meter?.read(false) ?? []), ...voice.strays.due(world.now())];
    if (!(await receiveBeside(beside, { tail, listening, voice }))) return;
    if (lines === "failed") await rest(POLL_MS);
    else if (lines !== "nothing") {
      if (!(await handOver(reader, tail, { lines, listening, voice, meter: reading.meter, share }))) return;
      // There may be much to read, and others want to go on meanwhile: one piece, then their turn.
      share.leave();
      await (share.isOver() ? share.turn() : pause(world, 0));
      readAt = elapsedMs(world);
    } else if (over === undefined) {
      keepCopied();
      share.rested();
      await rest(pollMs(elapsedMs(world) - readAt));
    } else {
      const receivedBefore = cursor.endsWith(END_RECEIVED);
      const signals = lastSignals(reader, tail, { exit: over.exit, receivedBefore });
      const used = receivedBefore ? [] : (reading.meter?.read(true) ?? []);
      await listening.receive({
        signals: voice.strays.take([...used, ...signals], world.now()),
        cursor: `${tail.readTo()}${END_RECEIVED}`,
      });
      return;
    }
  }
}

/** When the agent was last reported. */
interface Voice {
  readonly now: () => number;
  reportedAt: number;
  readonly strays: StrayFold;
}

interface HandOver {
  readonly lines: readonly TailLine[];
  readonly listening: Listening;
  readonly voice: Voice;
  readonly meter: Meter | undefined;
  readonly share: ReadingShare;
}

/** Totals are of no line: they are received at the place that was reached before them. */
async function receiveBeside(
  beside: readonly Signal[],
  { tail, listening, voice }: Pick<HandOver, "listening" | "voice"> & { readonly tail: SpoolTail },
): Promise<boolean> {
  if (beside.length === 0) return true;
  return listening.receive({ signals: [...voice.strays.rest(), ...beside], cursor: tail.cursor() });
}

/** Hands lines over in batches that end where a line ends. */
async function handOver(
  reader: LineReader,
  tail: SpoolTail,
  { lines, listening, voice, meter, share }: HandOver,
): Promise<boolean> {
  let signals: Signal[] = [];
  let speaks = false;
  const receive = async (): Promise<boolean> => {
    if (signals.length === 0) return true;
    const batch = { signals: [...signals, ...voice.strays.rest()], cursor: tail.cursor() };
    signals = [];
    voice.reportedAt = voice.now();
    return receiveInShare(share, listening, batch);
  };
  for (const line of lines) {
    if (share.isOver()) await share.turn();
    if (listening.closed()) return false;
    const said = meaning(reader, line);
    meter?.received(said);
    tail.passed(line);
    if (line.past) continue;
    signals.push(...voice.strays.take(said, voice.now()));
    speaks ||= reader.partial?.() === true;
    if (signals.length > BATCH_SIGNALS_MAX - LINE_SIGNALS_MAX && !(await receive())) return false;
  }
  if (signals.length === 0 && speaks && voice.now() - voice.reportedAt >= SPEAKING_APART_MS)
    signals.push({ kind: "speaking" });
  return (await receive()) && !listening.closed();
}

/** What a large batch costs the one that receives it counts as reading; a small one is no flood. */
async function receiveInShare(
  share: ReadingShare,
  listening: Listening,
  batch: SignalBatch,
): Promise<boolean> {
  share.leave();
  const isOpen = await listening.receive(batch);
  if (batch.signals.length < BATCH_SIGNALS_MAX / 2) share.begin();
  else share.leave();
  return isOpen;
}

/** However much one line says, it fits into a batch. */
function meaning(reader: LineReader, { line, spool }: TailLine): readonly Signal[] {
  const said = reader.read(line, spool);
  if (said.length <= LINE_SIGNALS_MAX) return said;
  const kept = said.slice(0, LINE_SIGNALS_MAX - 1);
  const text = `the line reports ${String(said.length - kept.length)} more things`;
  return [...kept, { kind: "unknown", text }];
}

function lastSignals(
  reader: LineReader,
  tail: SpoolTail,
  { exit, receivedBefore }: { readonly exit: ExitSignal; readonly receivedBefore: boolean },
): readonly Signal[] {
  const halves = tail.halves().flatMap((half) => meaning(reader, half));
  return [...halves, ...(reader.last?.(exit, receivedBefore) ?? [exit])];
}

/** An agent that was silent for long is looked at more rarely: what it says then is received a tenth of that later. */
export const pollMs = (silentMs: number): number =>
  Math.min(Math.max(silentMs / POLL_PART, POLL_MS), POLL_MS_MAX);

function restUntilClosed(world: World, listening: Listening): (ms: number) => Promise<void> {
  let wake: () => void = () => undefined;
  listening.onClose(() => {
    wake();
  });
  return (ms) =>
    new Promise((resolve) => {
      const cancel = world.timer(ms, resolve);
      wake = () => {
        cancel();
        resolve();
      };
    });
}
