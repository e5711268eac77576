import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inspect } from "node:util";
import { setTimeout as pause } from "node:timers/promises";
import type { Journal } from "../../../src/journal/journal.ts";
import { connector } from "../../../src/journal/postgres/link/link.ts";
import { POSTGRES_TIMING } from "../../../src/journal/postgres/link/postgres-timing.ts";
import { storeAddress } from "../../../src/journal/postgres/link/store-address.ts";
import { openPostgresJournal } from "../../../src/journal/postgres/postgres-journal.ts";
import { isFault, type Fault, type FaultCode } from "../../../src/model/fault.ts";
import { postgresMissing, startPostgres, TEST_PASSWORD, type PostgresServer } from "../../postgres-server.ts";
import { all, claimed, headIn, order, quietWorld, written } from "../contract/scene.ts";

const missing = postgresMissing();
const skip = missing ?? false;

let server: PostgresServer;
let schemas = 0;
before(async () => {
  if (missing === null) server = await startPostgres();
});
after(async () => {
  if (missing === null) await server.remove();
});

const open = (schema: string, url = server.url): Promise<Journal> =>
  openPostgresJournal({ url, schema, world: quietWorld() });
/** A journal in a schema of its own, closed afterwards. */
const inSchema = async (play: (journal: Journal, schema: string) => Promise<void>): Promise<void> => {
  const schema = `store_${String((schemas += 1))}`;
  const journal = await open(schema);
  await play(journal, schema).finally(() => journal.close());
};
/** What opening fails with; nothing in it may hold the password. */
const refusal = async (schema: string, url?: string): Promise<Fault> => {
  const error = await open(schema, url).then(
    () => assert.fail("it was opened"),
    (thrown: unknown) => thrown,
  );
  assert.ok(isFault(error), inspect(error));
  assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), new RegExp(TEST_PASSWORD));
  return error;
};
const changedUrl = (change: (url: URL) => void): string => {
  const url = new URL(server.url);
  change(url);
  return url.href;
};

test(
  "J1 a server that is not there is reported at once, with its place and without the password",
  { skip },
  async () => {
    const url = changedUrl((one) => (one.port = "1"));
    const beganMs = performance.now();
    const fault = await refusal("holdfast", url);
    assert.ok(performance.now() - beganMs < 4_000);
    assert.equal(fault.code, "store_unavailable");
    assert.equal(fault.retry, "later");
    assert.match(fault.message, /postgres:\/\/holdfast@127\.0\.0\.1:1\/postgres \(schema holdfast\)/);
  },
);

const refused: readonly [what: string, change: (url: URL) => void, says: RegExp][] = [
  ["a wrong password", (url) => (url.password = "wrong"), /password authentication failed/],
  ["a database that does not exist", (url) => (url.pathname = "/nowhere"), /"nowhere" does not exist/],
  ["a server without TLS where TLS is asked for", (url) => (url.search = "sslmode=verify-full"), /SSL/],
];
for (const [what, change, says] of refused)
  test(`J1 ${what} is refused for a person to look at`, { skip }, async () => {
    const fault = await refusal("holdfast", changedUrl(change));
    assert.equal(fault.code, "store_unavailable");
    assert.equal(fault.retry, "after-human");
    assert.match(fault.message, says);
  });

test("J1 an address that is none is refused without being repeated", { skip }, async () => {
  for (const url of [`nonsense ${TEST_PASSWORD}`, `http://a:${TEST_PASSWORD}@b/c`])
    assert.equal((await refusal("holdfast", url)).code, "usage");
  assert.equal((await refusal('x"; DROP SCHEMA public; --')).code, "usage");
});

test("J1 a store of a newer version is refused and left as it is", { skip }, () =>
  inSchema(async (journal, schema) => {
    await written(journal, "run_a", 1);
    await server.query(`UPDATE ${schema}.store SET version = 99`);
    const fault = await refusal(schema);
    assert.equal(fault.code, "store_version");
    assert.match(fault.message, /version 99/);
    assert.deepEqual(await server.query(`SELECT version FROM ${schema}.store`), [{ version: 99 }]);
  }),
);

test("J1 a schema that holds something else is refused and left as it is", { skip }, async () => {
  await server.query("CREATE SCHEMA theirs CREATE TABLE events (x integer)");
  assert.equal((await refusal("theirs")).code, "store_foreign");
  assert.equal((await server.query("SELECT 1 FROM pg_tables WHERE schemaname = 'theirs'")).length, 1);
});

test("J1 a server that does not sync what it commits cannot keep a journal", { skip }, async () => {
  const set = async (value: string): Promise<void> => {
    await server.query(`ALTER SYSTEM SET fsync = ${value}`);
    await server.query("SELECT pg_reload_conf()");
    const isSet = async (): Promise<boolean> => (await server.query("SHOW fsync"))[0]?.["fsync"] === value;
    for (let looks = 0; looks < 200 && !(await isSet()); looks += 1) await pause(20);
  };
  await set("off");
  const fault = await refusal("holdfast").finally(() => set("on"));
  assert.equal(fault.code, "store_unavailable");
  assert.match(fault.message, /fsync is off/);
});

test("J1 many who open a new store at once all find it ready", { skip }, async () => {
  const journals = await Promise.all(Array.from({ length: 8 }, () => open("opened_at_once")));
  const heads = await Promise.all(
    journals.map(async (journal, index) => {
      const run = `run_${String(index)}`;
      await claimed(journal, run);
      return headIn(await journal.append(order(run, 0)));
    }),
  );
  assert.equal(new Set(heads.map(({ hash }) => hash)).size, 8);
  await Promise.all(journals.map((journal) => journal.close()));
});

test("J1 defaults of a role that would weaken the store do not reach it", { skip }, async () => {
  await server.query("ALTER ROLE holdfast SET default_transaction_isolation = 'serializable'");
  await server.query("ALTER ROLE holdfast SET synchronous_commit = off");
  try {
    await inSchema(async (journal, schema) => {
      const other = await open(schema);
      const [left, right] = [await claimed(journal, "run_a"), await claimed(other, "run_b")];
      for (let expected = 0; expected < 20; expected += 1)
        await Promise.all([
          journal.append(order("run_a", expected, { epoch: left })).then(headIn),
          other.append(order("run_b", expected, { epoch: right })).then(headIn),
        ]);
      await other.close();
    });
  } finally {
    await server.query("ALTER ROLE holdfast RESET ALL");
  }
});

const damages: readonly [what: string, sql: string, look: (journal: Journal) => Promise<unknown>][] = [
  ["a run's listing", "UPDATE runs SET status = 'paused'", (journal) => journal.runs()],
  ["a run's head", "UPDATE heads SET seq = 1", (journal) => journal.head("run_a")],
  ["the place of a head", "UPDATE heads SET position = 1", (journal) => journal.head("run_a")],
  ["a head that is gone", "DELETE FROM heads", (journal) => journal.read("run_a", all)],
  ["a lease", "UPDATE leases SET epoch = 7", (journal) => journal.lease("run_a")],
  ["an owner", "UPDATE owners SET beats = 7", (journal) => journal.lease("run_a")],
];
for (const [what, sql, look] of damages)
  test(`J2 damage to ${what} is found at the next look, and by verify`, { skip }, () =>
    inSchema(async (journal, schema) => {
      await written(journal, "run_a", 2);
      await journal.ask({ id: "req_1", address: "run_a", request: { kind: "pause" }, by: "cli", at: 1 });
      await server.query(sql.replace(/(UPDATE |FROM )/, `$1${schema}.`));
      await assert.rejects(look(journal), (error) => isFault(error, "journal_damaged" satisfies FaultCode));
      assert.notDeepEqual(await journal.verify(), []);
    }),
  );

test("J2 P4 a changed row of the inbox is handed over as damaged, kept, and found by verify", { skip }, () =>
  inSchema(async (journal, schema) => {
    await written(journal, "run_a", 2);
    await journal.ask({ id: "req_1", address: "run_b", request: { kind: "pause" }, by: "cli", at: 1 });
    await server.query(`UPDATE ${schema}.inbox SET address = 'run_a'`);
    const [row] = await journal.inbox("run_a");
    assert.match(row?.damaged ?? "", /does not match its seal/);
    headIn(await journal.append(order("run_a", 2, { consumed: ["req_1"] })));
    assert.deepEqual(await journal.inbox("run_a"), []);
    assert.notDeepEqual(await journal.verify(), []);
  }),
);

test("J2 a damaged snapshot is as good as none, and found by verify", { skip }, () =>
  inSchema(async (journal, schema) => {
    const head = await written(journal, "run_a", 1);
    await journal.saveSnapshot("run_a", { seq: 1, hash: head.hash, fold: "1", state: "{}" });
    await server.query(`UPDATE ${schema}.snapshots SET state = '[]'`);
    assert.equal(await journal.loadSnapshot("run_a"), null);
    assert.equal((await journal.verify()).length, 1);
  }),
);

test("J1 a journal that nobody closes does not keep its process alive", { skip }, async () => {
  const { runProgram } = await import("../../kill/killed-process.ts");
  const file = new URL("idle-postgres-client.ts", import.meta.url).pathname;
  const ended = await runProgram(file, [server.url], { limitMs: 20_000 });
  assert.deepEqual({ code: ended.code, signal: ended.signal }, { code: 0, signal: null }, ended.output);
});

test(
  "J1 the server ends the session of a client that is cut off within half a minute",
  { skip },
  async () => {
    const link = await connector(storeAddress(server.url, "holdfast"), POSTGRES_TIMING)();
    try {
      const shown: Record<string, unknown> = {};
      for (const name of ["idle", "interval", "count"]
        .map((part) => `tcp_keepalives_${part}`)
        .concat("tcp_user_timeout"))
        Object.assign(shown, (await link.runAll(`SHOW ${name}`))[0]);
      const {
        tcp_keepalives_idle: idle,
        tcp_keepalives_interval: interval,
        tcp_keepalives_count: count,
      } = shown;
      assert.equal(Number(idle) + Number(interval) * Number(count), 25, JSON.stringify(shown));
      assert.equal(Number(shown["tcp_user_timeout"]), 25_000);
    } finally {
      await link.end();
    }
  },
);
