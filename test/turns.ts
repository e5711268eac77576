import { after, afterEach, before, beforeEach, test } from "node:test";
import { restsToday } from "./day-sample.ts";

const DAYS = 6;

/**
 * What a file of end-to-end tests uses that takes turns with others where all tests are run: on its day Node's own, on
 * others tests that are skipped with that reason. Files of one place have the same day.
 */
export function takesTurns(place: 0 | 1 | 2 | 3 | 4 | 5) {
  const skip = restsToday(place, DAYS);
  if (skip === false) return { after, afterEach, before, beforeEach, test };
  const nothing = (): void => undefined;
  const rests = (title: string): void => void test(title, { skip });
  // What the file has made when it was loaded is removed; what it has not opened cannot be closed.
  const removes = (remove: () => unknown): void =>
    after(async () => {
      await Promise.resolve()
        .then(remove)
        .catch(() => undefined);
    });
  return {
    after: removes as typeof after,
    afterEach: nothing as typeof afterEach,
    before: nothing as typeof before,
    beforeEach: nothing as typeof beforeEach,
    test: rests as unknown as typeof test,
  };
}
