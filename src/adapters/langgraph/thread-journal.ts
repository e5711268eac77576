import { createHash } from "node:crypto";
import type { Journal } from "../../journal/journal.ts";
import { keyOf, recordName } from "../../model/values/program-key.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { Fault } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import type { Leases } from "../../runtime/leases.ts";
import { ThreadIndex, type ThreadRecord } from "./thread-index.ts";

export interface ThreadPorts {
  readonly journal: Journal;
  readonly world: World;
  readonly leases: Leases;
}

interface Waiting {
  /** Made when it is its turn: what is stored of a value depends on what is stored already. */
  readonly make: (index: ThreadIndex) => ThreadRecord;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const PAGE_EVENTS = 1_000;
const PREFIX = "langgraph/";
/** A thread that nobody writes to for this long may be taken by another process. */
const IDLE_MS = 1_000;
const BODY = "langgraph";

/**
 * One LangGraph thread as a run of the journal: every `put` and `putWrites` is one record, in the order they came.
 *
 * States: idle (anybody may take the thread), owned (under a lease, from the first write until a while after the
 * last), gone. 1. A write answers after it is on disk. 2. What waits while an append is under way goes into the next
 * one together. 3. Reading needs no lease: it folds in what was appended since, no matter who it was.
 */
export class ThreadJournal {
  readonly thread: string;
  readonly #ports: ThreadPorts;
  readonly #run: string;
  #index = new ThreadIndex();
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | null = null;
  #epoch: number | null = null;
  #cancelIdle: () => void = () => undefined;

  constructor(ports: ThreadPorts, thread: string) {
    this.#ports = ports;
    this.thread = thread;
    this.#run = runOf(thread);
  }

  /** Everything that is on disk now. */
  async read(): Promise<ThreadIndex> {
    const { journal } = this.#ports;
    const head = await journal.head(this.#run);
    if ((head?.seq ?? 0) < this.#index.seq) this.#index = new ThreadIndex();
    while (this.#index.seq < (head?.seq ?? 0)) {
      const events = await journal.read(this.#run, { after: this.#index.seq, limit: PAGE_EVENTS });
      if (events.length === 0) break;
      for (const event of events) if (event.seq > this.#index.seq) this.#fold(event, event.seq);
    }
    return this.#index;
  }

  write(make: (index: ThreadIndex) => ThreadRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ make, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  /** Removes the thread with everything that hangs on it. */
  async remove(): Promise<void> {
    const { journal } = this.#ports;
    await this.#flushing;
    const head = await journal.head(this.#run);
    if (head === null) return;
    const epoch = await this.#own();
    const outcome = await journal.remove({ run: this.#run, seq: head.seq, hash: head.hash, epoch });
    this.#cancelIdle();
    this.#epoch = null;
    this.#index = new ThreadIndex();
    if (outcome.kind !== "removed")
      throw new Fault("refused", `the thread "${this.thread}" was written to meanwhile; delete it again`);
  }

  /** Lets go of the thread once what waits is written. */
  async release(): Promise<void> {
    await this.#flushing;
    this.#cancelIdle();
    const epoch = this.#epoch;
    this.#epoch = null;
    if (epoch !== null) await this.#ports.leases.release(this.#run, epoch);
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#append(batch);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    // In the same breath as the last look at what waits: the one that comes later starts over.
    this.#flushing = null;
  }

  async #append(batch: readonly Waiting[]): Promise<void> {
    const { journal, world } = this.#ports;
    const epoch = await this.#own();
    const index = await this.read();
    const expected = index.seq;
    const events: RunEvent[] = expected === 0 ? this.#beginning(epoch) : [];
    for (const { make } of batch) {
      const record = make(index);
      // Folded at once: the next of the batch may build upon it. Should the append fail, it is all read again.
      index.apply(record);
      const name = `${record.kind}/${String(expected + events.length + 1)}`;
      const key = keyOf([], recordName("step", name));
      events.push({ type: "BodyStepEnded", data: { key, ended: { kind: "value", value: record } } });
    }
    const listing = { status: "running", goal: `LangGraph thread ${this.thread}`, wakeAt: null } as const;
    const order = { run: this.#run, expected, epoch, at: world.now(), events, listing };
    try {
      const outcome = await journal.append(order);
      if (outcome.kind !== "appended") throw this.#taken();
      index.seq = outcome.head.seq;
    } catch (error) {
      this.#index = new ThreadIndex();
      this.#epoch = null;
      throw error;
    }
  }

  #beginning(epoch: number): RunEvent[] {
    const owner = this.#ports.leases.owner.id;
    const created = { body: BODY, input: { thread: this.thread }, budget: {}, by: BODY };
    return [
      { type: "BodyCreated", data: created },
      { type: "RunClaimed", data: { owner, epoch, from: "nobody" } },
      { type: "RunStarted", data: {} },
    ];
  }

  async #own(): Promise<number> {
    const { leases, world } = this.#ports;
    if (this.#epoch === null) {
      const taken = await leases.take(this.#run);
      if (taken.kind === "held") throw this.#taken(taken.lease.owner?.process.pid);
      this.#epoch = taken.epoch;
    }
    this.#cancelIdle();
    this.#cancelIdle = world.timer(IDLE_MS, () => {
      this.release().catch(() => undefined);
    });
    return this.#epoch;
  }

  #taken(pid?: number): Fault {
    const by = pid === undefined ? "another process" : `process ${String(pid)}`;
    return new Fault(
      "refused",
      `the thread "${this.thread}" is being written by ${by}; one process works a thread at a time: wait for it or end it first`,
      { retry: "later" },
    );
  }

  #fold(event: RunEvent, seq: number): void {
    this.#index.seq = seq;
    if (event.type !== "BodyStepEnded" || event.data.ended.kind !== "value") return;
    this.#index.apply(event.data.ended.value as ThreadRecord);
  }
}

/** A thread's run. Names that a run cannot have are stood for by their digest. */
export function runOf(thread: string): string {
  const plain = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/.test(thread) && !thread.startsWith("x-");
  return `${PREFIX}${plain ? thread : `x-${createHash("sha256").update(thread).digest("hex")}`}`;
}

/** All threads of a store. */
export async function threadsOf(journal: Journal): Promise<string[]> {
  const threads: string[] = [];
  for (const { run } of await journal.runs()) {
    if (!run.startsWith(PREFIX)) continue;
    const [first] = await journal.read(run, { after: 0, limit: 1 });
    if (first?.type !== "BodyCreated" || first.data.body !== BODY) continue;
    threads.push((first.data.input as { thread: string }).thread);
  }
  return threads;
}
