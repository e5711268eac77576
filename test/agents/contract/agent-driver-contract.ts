import assert from "node:assert/strict";
import { test } from "node:test";
import { restsToday } from "../../day-sample.ts";
import { endingTests } from "./ending.ts";
import { listeningTests } from "./listening.ts";
import { Scene, type ContractTests } from "./scene.ts";
import { startingTests } from "./starting.ts";
import type { Subject } from "./subject.ts";

/** Drivers times promises: each pair is played on one day in so many, and each promise on every day by some drivers. */
const DAYS = 2;
const placeOf = (name: string): number =>
  [...name].reduce((sum, char) => sum + (char.codePointAt(0) ?? 0), 0);

/** What every driver promises (see `AgentDriver`), run against one of them; exceptions are listed with their reason. */
export function agentDriverContract(subject: Subject): void {
  const tests: ContractTests = { ...startingTests, ...listeningTests, ...endingTests };
  for (const [at, [title, body]] of Object.entries(tests).entries()) {
    const skip = subject.exceptions[title] ?? restsToday(placeOf(subject.name) + at, DAYS);
    test(`${title} (${subject.name})`, { skip }, async () => {
      const scene = new Scene(subject);
      const failures: unknown[] = [];
      await body(scene).catch((error: unknown) => failures.push(error));
      await scene.strike().catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
    });
  }
  test(`every exception names a test of the contract (${subject.name})`, () => {
    for (const title of Object.keys(subject.exceptions)) assert.ok(Object.hasOwn(tests, title), title);
  });
}
