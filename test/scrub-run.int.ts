import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { openSystem, type System } from "../src/main.ts";
import { stepSchema } from "../src/model/flow/flow.ts";
import type { Pause } from "../src/model/host/shared-resource.ts";
import { valueRemover } from "../src/model/events/remove-value.ts";
import { hostSettingsSchema, runSettingsSchema } from "../src/model/settings/settings.ts";
import { createRun } from "../src/runtime/create-run.ts";

const VALUE = "said-by-a-provider-4711";
const PLACES = { log: "/nonexistent/log", archive: "/nonexistent/archive" };

async function systemFor(t: TestContext): Promise<{ system: System; folder: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-scrub-"));
  const settings = hostSettingsSchema.parse({});
  const system = await openSystem({ store: `sqlite:${path.join(folder, "journal.db")}`, settings });
  t.after(async () => {
    await system.close();
    rmSync(folder, { recursive: true });
  });
  return { system, folder };
}

const scrub = (system: System, run: string, value: string) =>
  system.scrubRun({ run, by: "test", remover: valueRemover(value), remove: true }, PLACES);

test("P5 a value in the journal of an account that runs share is removed too, and the account is paused as before", async (t) => {
  const { system } = await systemFor(t);
  const { journal, world } = system.ports;
  const run = "account:claude";
  const taken = await system.leases.take(run);
  assert.equal(taken.kind, "taken");
  const pause: Pause = {
    ...{ id: 1, why: "deaths", since: 1, until: 9_000_000_000_000, nth: 1, needed: 1 },
    text: `refused: ${VALUE}`,
    first: { run: "r", priority: 0 },
  };
  await journal.append({
    ...{ run, expected: 0, epoch: taken.kind === "taken" ? taken.epoch : 0, at: world.now() },
    events: [{ type: "GroundPaused", data: { pause } }],
    listing: { status: "completed", goal: run, wakeAt: null },
  });
  await system.leases.release(run, taken.kind === "taken" ? taken.epoch : 0);
  const done = await scrub(system, run, VALUE);
  assert.deepEqual([done.events, done.left.traces], [[1], 0]);
  const [resource] = await system.loadSharedResources();
  assert.equal(resource?.pause?.text, "refused: [redacted: scrubbed]");
  assert.deepEqual(await journal.verify(), []);
  assert.equal((await system.scrubsOf(run)).at(-1)?.finished, true);
});

test("P5 a value that is a word of Holdfast's own in the run is refused, and nothing of the run is changed", async (t) => {
  const { system, folder } = await systemFor(t);
  const { epoch } = await createRun(system.ports, system.leases, {
    ...{ id: "run_a", goal: "go", budget: {}, cwd: folder, by: "test" },
    flow: {
      name: "one",
      steps: [stepSchema.parse({ name: "work", task: "t", agent: "returns" })],
      phases: [],
    },
    agents: { returns: { use: "function", export: "returns" } },
    settings: runSettingsSchema.parse({}),
  });
  await system.leases.release("run_a", epoch);
  const before = await system.ports.journal.head("run_a");
  await assert.rejects(
    scrub(system, "run_a", "function"),
    /nothing of run_a was changed: .* event 1 would not be one/,
  );
  assert.deepEqual(await system.ports.journal.head("run_a"), before);
  assert.equal((await scrub(system, "run_a", "not there at all")).record, null);
  assert.deepEqual(await system.ports.journal.head("run_a"), before);
});
