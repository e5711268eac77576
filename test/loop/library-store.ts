import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Holdfast } from "../../src/loop/holdfast.ts";
import { openHoldfast, type HoldfastOptions } from "../../src/open-holdfast.ts";

export type OpenAgain = (options?: Omit<HoldfastOptions, "store">) => Promise<Holdfast>;

/** A store in a folder of its own, opened as often as a test wants processes; all is gone afterwards. */
export async function withLibraryStore(
  work: (open: OpenAgain, store: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-library-"));
  const store = `sqlite:${join(folder, "agents.db")}`;
  const opened: Holdfast[] = [];
  try {
    await work(async (options = {}) => {
      const hf = await openHoldfast({ ...options, store });
      opened.push(hf);
      return hf;
    }, store);
  } finally {
    for (const hf of opened) await hf.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits for something to hold: no test counts on how quick a machine is. */
export async function untilHolds(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}
