import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { writeArchive } from "../../src/journal/archive-file.ts";
import { isFault } from "../../src/model/fault.ts";
import { archiveRun, type ArchivedRun } from "../../src/runtime/archive-run.ts";
import { Leases } from "../../src/runtime/leases.ts";
import { bench, step } from "./worked-run.ts";

async function aRun(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-archive-"));
  const on = bench({ quick: () => "done" });
  const { run } = await on.work([step("one", "quick")]);
  t.after(async () => {
    await on.close();
    rmSync(folder, { recursive: true });
  });
  const { journal, world } = on.ports;
  const archive = (to = folder): Promise<ArchivedRun> =>
    archiveRun({ journal, leases: on.leases }, run, (order) => writeArchive({ journal, world }, order, to));
  return { on, run, folder, journal, archive };
}

const isRefused = (says: RegExp) => (error: unknown) => isFault(error, "refused") && says.test(error.message);

test("J9 a run of which something is asked stays, and goes once that is answered", async (t) => {
  const { on, run, folder, journal, archive } = await aRun(t);
  await journal.ask({ id: "req_1", address: run, request: { kind: "reopen" }, by: "cli", at: 1 });
  await assert.rejects(archive(), isRefused(/stays in the store: somebody asked something/));
  assert.deepEqual(readdirSync(folder), []);
  await on.supervisor({ only: run }).work();
  await assert.rejects(archive(), isRefused(/only runs that are completed, failed or cancelled/));
  assert.equal((await on.state(run)).status, "paused");
  await journal.ask({ id: "req_2", address: run, request: { kind: "cancel" }, by: "cli", at: 2 });
  await on.supervisor({ only: run }).work();
  assert.equal((await archive()).run, run);
  assert.equal(await journal.head(run), null);
});

test("J9 a request that arrives while the file is written keeps the run in the store", async (t) => {
  const { on, run, folder, journal } = await aRun(t);
  const request = { id: "req_1", address: run, request: { kind: "reopen" }, by: "cli", at: 1 } as const;
  const keep = async (order: Parameters<Parameters<typeof archiveRun>[2]>[0]): Promise<string> => {
    await journal.ask(request);
    return writeArchive(on.ports, order, folder);
  };
  await assert.rejects(archiveRun({ journal, leases: on.leases }, run, keep), isRefused(/somebody asked/));
  assert.deepEqual(await journal.inbox(run), [request]);
  assert.equal((await journal.lease(run))?.owner, null, "it is let go");
});

test("J9 a run that somebody owns is refused, and one whose archive cannot be written stays", async (t) => {
  const { on, run, folder, journal, archive } = await aRun(t);
  const other = new Leases(journal, on.ports.world, 30_000);
  const taken = await other.take(run);
  assert.ok(taken.kind === "taken");
  await assert.rejects(archive(), isRefused(/another process runs it/));
  await other.release(run, taken.epoch);
  writeFileSync(path.join(folder, "a-file"), "");
  await assert.rejects(archive(path.join(folder, "a-file", "x")), (error) => isFault(error, "usage"));
  assert.equal((await journal.lease(run))?.owner, null);
  assert.equal((await on.state(run)).status, "completed");
});

test("J9 what is asked of a run just after it was removed does not keep a supervisor busy for ever", async (t) => {
  const { on, run, journal, archive } = await aRun(t);
  await archive();
  await journal.ask({ id: "req_1", address: run, request: { kind: "reopen" }, by: "cli", at: 1 });
  const end = await on.supervisor({ idleExitMs: 50 }).work();
  assert.deepEqual(end, { kind: "idle" });
  assert.deepEqual(await journal.addressesWithMail(), []);
});
