import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { InboxRow } from "../../src/journal/journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { realWorld } from "../../src/real-world.ts";
import { supervisorAddress } from "../../src/runtime/supervisor/lost-hosts.ts";
import { bench, step, type Bench } from "./worked-run.ts";

const ODD: readonly unknown[] = [null, 7, { kind: "of another version" }, { kind: "signal" }];

const putOdd = (b: Bench, address: string): Promise<unknown> =>
  Promise.all(
    ODD.map((request, index) =>
      b.ports.journal.ask({
        id: `${address} ${String(index)}`,
        address,
        request,
        by: "x",
        at: 1,
      } as InboxRow),
    ),
  );

const refusals = async (b: Bench, run: string): Promise<string[]> =>
  (await b.events(run)).flatMap((event) =>
    event.type === "RequestAnswered" && event.data.answer.kind === "refused" ? [event.data.answer.text] : [],
  );

test("P4 J4 what is no request is refused by name, ends nobody, and what was asked beside it is done", async () => {
  const b = bench({ waits: ({ signal }) => new Promise((_, no) => signal.addEventListener("abort", no)) });
  const { run, epoch } = await b.create([step("a", "waits")]);
  await b.leases.release(run, epoch);
  await putOdd(b, run);
  await putOdd(b, supervisorAddress(b.ports.world.self));
  const supervisor = b.supervisor({ idleExitMs: 1 });
  const working = supervisor.work();
  const outcome = await b.requests.ask(run, { kind: "cancel" }, { by: "test", waitMs: 10_000 });
  assert.equal(outcome.kind, "answered");
  assert.deepEqual(await working, { kind: "idle" });
  assert.equal((await b.state(run)).status, "cancelled");
  const texts = await refusals(b, run);
  assert.equal(texts.length, ODD.length);
  assert.match(texts.join("\n"), /request \S+ 3 cannot be read: name: .*; nothing was changed — ask again/);
  assert.deepEqual(await b.ports.journal.addressesWithMail(), []);
  await b.close();
});

test("P4 J4 what is no request is refused by the one that asks where nobody owns the run", async () => {
  const b = bench({ ok: () => 1 });
  const { run, epoch } = await b.create([step("a", "ok")]);
  await b.leases.release(run, epoch);
  await putOdd(b, run);
  const outcome = await b.requests.ask(run, { kind: "pause" }, { by: "test", waitMs: 1_000 });
  assert.ok(outcome.kind === "answered" && outcome.answer.kind === "done");
  assert.equal((await refusals(b, run)).length, ODD.length);
  await b.close();
});

test("J2 J4 rows of an inbox and of a lease that somebody has changed concern their run alone", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-rows-"));
  const file = path.join(folder, "store.db");
  const b = bench({ ok: () => 1 }, { journal: await openSqliteJournal({ file, world: realWorld() }) });
  const create = async (id: string): Promise<void> => {
    const { run, epoch } = await b.create([step("a", "ok")], undefined, id);
    await b.leases.release(run, epoch);
  };
  for (const id of ["run_mail", "run_lease", "run_good"]) await create(id);
  await b.ports.journal.ask({
    id: "req_1",
    address: "run_mail",
    request: { kind: "cancel" },
    by: "x",
    at: 1,
  });
  const db = new DatabaseSync(file);
  db.exec("UPDATE inbox SET body = 'no json'; UPDATE leases SET epoch = 9 WHERE address = 'run_lease'");
  db.close();
  const left: string[] = [];
  const end = await b.supervisor({ idleExitMs: 1, onRunFault: (run) => left.push(run) }).work();
  assert.deepEqual([end.kind, left], ["idle", ["run_lease"]]);
  assert.equal((await b.state("run_good")).status, "completed");
  assert.equal(
    (await b.state("run_mail")).status,
    "completed",
    "a request that cannot be read changes nothing",
  );
  assert.match((await refusals(b, "run_mail")).join(), /does not match its seal/);
  await b.close();
  rmSync(folder, { recursive: true });
});
