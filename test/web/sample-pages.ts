import type { TestContext } from "node:test";
import { DAY_SEED, ofTheDay, printSample } from "../day-sample.ts";

/** The pages that are looked at today: one in so many, others tomorrow, all of them in the whole form. */
export function chosenOfTheDay<Item>(t: TestContext, pages: readonly Item[], oneIn: number): readonly Item[] {
  const chosen = ofTheDay(pages, oneIn);
  printSample(t, `${String(chosen.length)} of ${String(pages.length)} pages (seed ${String(DAY_SEED)})`);
  return chosen;
}
