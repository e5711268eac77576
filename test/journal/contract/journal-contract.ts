import assert from "node:assert/strict";
import { test } from "node:test";
import { appendingCases } from "./appending.ts";
import { askingCases } from "./asking.ts";
import { batchingCases } from "./batching.ts";
import { closingCases } from "./closing.ts";
import { largeValueCases } from "./large-values.ts";
import { leasingCases } from "./leasing.ts";
import { silenceCases } from "./silence.ts";
import { listingCases } from "./listing.ts";
import { readingCases } from "./reading.ts";
import { removingCases } from "./removing.ts";
import { rewritingCases } from "./rewriting.ts";
import { quietWorld, type Case, type CreateStore } from "./scene.ts";
import { sharingCases } from "./sharing.ts";
import { snapshotCases } from "./snapshots.ts";
import { watchingCases } from "./watching.ts";

/** A promise that a store does not keep, and why that is right. */
export interface ContractException {
  readonly title: string;
  readonly reason: string;
}

const CASES: readonly Case[] = [
  ...appendingCases,
  ...batchingCases,
  ...readingCases,
  ...leasingCases,
  ...silenceCases,
  ...askingCases,
  ...snapshotCases,
  ...listingCases,
  ...sharingCases,
  ...removingCases,
  ...rewritingCases,
  ...largeValueCases,
  ...watchingCases,
  ...closingCases,
];

/** What every journal promises, no matter what keeps it. A store's runner calls this with its name and its factory. */
export function journalContract(
  name: string,
  create: CreateStore,
  exceptions: readonly ContractException[] = [],
): void {
  for (const { title, run } of CASES) {
    const excepted = exceptions.find((exception) => exception.title === title);
    test(`${title} (${name})`, { skip: excepted?.reason ?? false }, async () => {
      const world = quietWorld();
      const store = await create(world);
      try {
        await run({ world, store, journal: await store.open() });
      } finally {
        await store.cleanup();
      }
    });
  }
  test(`J1 every exception from the journal's contract names one of its promises (${name})`, () => {
    for (const { title } of exceptions)
      assert.ok(
        CASES.some((one) => one.title === title),
        title,
      );
  });
}
