import type { Journal } from "../../src/journal/journal.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import type { RunStatus } from "../../src/model/state/run-status.ts";
import { benchWorld } from "../harness/bench-world.ts";
import type { Side } from "../harness/rounds.ts";
import { FIRST_EVENTS, heardEvent, SAMPLE_GOAL } from "./sample-events.ts";

const OWNER = { id: "own_bench", process: benchWorld.self };

/** The owner of one run, who appends to it as the runtime does: at the position it knows, under its epoch. */
export class RunWriter {
  readonly #journal: Journal;
  readonly #run: string;
  readonly #epoch: number;
  #seq = 0;
  #hash = "";

  private constructor(journal: Journal, run: string, epoch: number) {
    this.#journal = journal;
    this.#run = run;
    this.#epoch = epoch;
  }

  static async create(journal: Journal, run: string): Promise<RunWriter> {
    const claimed = await journal.claim(run, OWNER);
    if (claimed.kind !== "claimed") throw new Error(`${run} is held by somebody else`);
    const writer = new RunWriter(journal, run, claimed.epoch);
    await writer.append(FIRST_EVENTS);
    return writer;
  }

  get run(): string {
    return this.#run;
  }

  /** Where the run ends. */
  get end(): { readonly seq: number; readonly hash: string } {
    return { seq: this.#seq, hash: this.#hash };
  }

  async append(events: readonly RunEvent[], status: RunStatus = "running"): Promise<void> {
    const outcome = await this.#journal.append({
      run: this.#run,
      expected: this.#seq,
      epoch: this.#epoch,
      at: Date.now(),
      events,
      listing: { status, goal: SAMPLE_GOAL, wakeAt: null },
    });
    if (outcome.kind !== "appended") throw new Error(`${this.#run}: ${outcome.kind}`);
    this.#seq = outcome.head.seq;
    this.#hash = outcome.head.hash;
  }

  /** One event per append, each on disk before the next. */
  async appendOneByOne(times: number): Promise<void> {
    for (let done = 0; done < times; done += 1) await this.append([heardEvent(this.#seq)]);
  }

  /** Many events per append: the quick way to a long run. */
  async growTo(events: number, perAppend: number): Promise<void> {
    while (this.#seq < events) {
      const length = Math.min(perAppend, events - this.#seq);
      await this.append(Array.from({ length }, (_, index) => heardEvent(this.#seq + index)));
    }
  }
}

/** Appends to one run, one after the other. */
export function appendAlone(journal: Journal, writer: RunWriter): Side {
  return { more: (times) => writer.appendOneByOne(times), close: () => journal.close() };
}

/** So often each of many runs has its turn when a lone one has its own so many times: they are that much quicker. */
const LONE_PER_CONCURRENT = 4;

/** Appends to many runs at once, to each one after the other. */
export async function appendTogether(journal: Journal, runs: number): Promise<Side> {
  const writers = await createRuns(journal, "run_side", runs);
  return {
    each: runs / LONE_PER_CONCURRENT,
    async more(times) {
      await Promise.all(writers.map((writer) => writer.appendOneByOne(times / LONE_PER_CONCURRENT)));
    },
    close: () => journal.close(),
  };
}

export const createRuns = (journal: Journal, prefix: string, runs: number): Promise<RunWriter[]> =>
  Promise.all(Array.from({ length: runs }, (_, n) => RunWriter.create(journal, `${prefix}_${String(n)}`)));
