import assert from "node:assert/strict";
import { test } from "node:test";
import { endingTests } from "./ending.ts";
import { listeningTests } from "./listening.ts";
import { Scene, type ContractTests } from "./scene.ts";
import { startingTests } from "./starting.ts";
import type { Subject } from "./subject.ts";

/** What every driver promises (see `AgentDriver`), run against one of them; exceptions are listed with their reason. */
export function agentDriverContract(subject: Subject): void {
  const tests: ContractTests = { ...startingTests, ...listeningTests, ...endingTests };
  for (const [title, body] of Object.entries(tests)) {
    const skip = subject.exceptions[title] ?? false;
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
