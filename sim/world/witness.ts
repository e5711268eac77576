import type { Head, Journal } from "../../src/journal/journal.ts";
import type { MemoryDisk } from "../../src/journal/memory/memory-disk.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import type { SimAgents, SimSession } from "../agents/sim-agents.ts";
import type { SimArtifacts } from "./sim-artifacts.ts";
import type { SimGuard } from "./sim-guard.ts";
import type { SimReceiver } from "./sim-notifier.ts";
import type { SimMachine } from "./sim-process.ts";
import type { SimWorkspace } from "./sim-workspace.ts";
import type { SimQuality } from "./sim-quality.ts";

interface Seen {
  readonly machine: SimMachine;
  readonly disk: MemoryDisk;
  readonly journal: Journal;
}

/** What was observed outside the journal, to hold the journal against; some of it is judged at the instant it happens. */
export class Witness {
  readonly journal: Journal;
  /** Of every append that some supervisor was told had happened: its last event and that one's hash, by run. */
  readonly acknowledged = new Map<string, [seq: number, hash: string][]>();
  /** Which run queued a notice of an incident, by the notice. */
  readonly told = new Map<string, string>();
  agents!: SimAgents;
  receiver!: SimReceiver;
  quality!: SimQuality;
  guard!: SimGuard;
  workspace!: SimWorkspace;
  artifacts!: SimArtifacts;
  readonly #machine: SimMachine;
  readonly #disk: MemoryDisk;
  readonly #live = new Map<string, SimSession>();

  constructor({ machine, disk, journal }: Seen) {
    this.#machine = machine;
    this.#disk = disk;
    this.journal = journal;
  }

  readonly isOver = (session: SimSession): boolean => session.isOver(this.#machine.time.now);

  noteAck(run: string, { seq, hash }: Head): void {
    const acks = this.acknowledged.get(run);
    if (acks === undefined) this.acknowledged.set(run, [[seq, hash]]);
    else acks.push([seq, hash]);
  }

  /** Written before done (I2): at the instant of a start or a sending its intent is on the disk. */
  noteIntent(run: string, key: string): void {
    const begins = JSON.stringify(key).slice(0, -1);
    const written = this.#disk.runs
      .get(run)
      ?.events.findLast(({ type, data }) => type === "EffectIntended" && data.includes(begins));
    if (written === undefined)
      this.#machine.violations.push(`${run}: ${key} was performed before its intent was on the disk`);
  }

  /** A notice that is written down as sent has arrived by then. */
  noteMarks(events: readonly RunEvent[]): void {
    for (const { type, data } of events) {
      if (type !== "EffectSettled" || data.outcome.kind !== "done") continue;
      const id = noticeOfKey(data.key);
      if (id !== null && !this.receiver.arrived.has(id))
        this.#machine.violations.push(`${id} is marked as sent and has not arrived`);
    }
  }

  /** Two agents at work on one step at one time, other than inside a process that no longer owns it. */
  noteStart(session: SimSession): void {
    const step = `${session.order.run}/${session.order.step}`;
    const before = this.#live.get(step);
    const outside = before?.inside === null && session.inside === null;
    if (before !== undefined && outside && !before.isOver(this.#machine.time.now))
      this.#machine.violations.push(
        `${session.order.session} was started while ${before.order.session} was still at work`,
      );
    this.#live.set(step, session);
  }
}

/** The notice that an effect's key is about; null for other effects. */
export const noticeOfKey = (key: string): string | null => /^(.+)\/Notify(?:\.\d+)?$/.exec(key)?.[1] ?? null;
