import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import type { Recorded } from "../../src/model/events/events.ts";
import { isFault } from "../../src/model/fault.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { openHoldfast, type HoldfastOptions } from "../../src/open-holdfast.ts";
import { realWorld } from "../../src/real-world.ts";
import { openRun } from "../../src/runtime/load-run.ts";
import type { Holdfast } from "../../src/loop/holdfast.ts";

export interface LoopBench {
  readonly store: string;
  readonly open: (limits?: HoldfastOptions["limits"]) => Promise<Holdfast>;
  /** What the journal holds of a run, read by another connection. */
  readonly read: (run: string) => Promise<{ events: Recorded[]; state: RunState }>;
}

/** A store of its own, whose programs come and go. */
export async function withStore(work: (bench: LoopBench) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-loop-"));
  const file = join(folder, "agents.db");
  const opened: Holdfast[] = [];
  const bench: LoopBench = {
    store: `sqlite:${file}`,
    async open(limits) {
      const hf = await openHoldfast({ store: `sqlite:${file}`, ...(limits === undefined ? {} : { limits }) });
      opened.push(hf);
      return hf;
    },
    async read(run) {
      const journal = await openSqliteJournal({ file, world: realWorld() });
      try {
        const events = await journal.read(run, { after: 0, limit: 100_000 });
        const state = (await openRun(journal, run))?.state;
        if (state === undefined) throw new Error(`there is no run ${run}`);
        return { events, state };
      } finally {
        await journal.close();
      }
    },
  };
  try {
    await work(bench);
  } finally {
    for (const hf of opened) await hf.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits for what is going to be: no test counts on how quick a machine is. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 2));
}

export const never = <Value>(): Promise<Value> => new Promise(() => undefined);

export const usage =
  (part: RegExp) =>
  (error: unknown): boolean =>
    isFault(error, "usage") && part.test(error.message);
