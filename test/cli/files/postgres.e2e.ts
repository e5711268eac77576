import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { postgresMissing, startPostgres, TEST_PASSWORD, type PostgresServer } from "../../postgres-server.ts";
import { CliBench, pasted, type CallOptions, type Ended } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(4);

const WAIT_MS_MAX = 60_000;

const missing = postgresMissing();
const skip = missing ?? false;
const bench = new CliBench({ "holdfast.yaml": "supervisor: { idleExitMs: 300 }\n" });
let server: PostgresServer;
before(async () => {
  if (missing === null) server = await startPostgres();
});
after(async () => {
  if (missing === null) await call(["down", "--stop-agents"]);
  await bench.close();
  if (missing === null) await server.remove();
});

/** With the store in the environment; nothing that is printed may hold the password. */
const call = async (args: readonly string[], options: CallOptions = {}): Promise<Ended> => {
  const ended = await bench.call(args, { env: { HOLDFAST_STORE: server.url }, ...options });
  assert.doesNotMatch(`${ended.stdout}${ended.stderr}`, new RegExp(TEST_PASSWORD), args.join(" "));
  return ended;
};
const json = async <T>(args: readonly string[]): Promise<T> => {
  const ended = await call([...args, "--json"]);
  assert.equal(ended.code, 0, `${args.join(" ")}: ${ended.stdout}${ended.stderr}`);
  return JSON.parse(ended.stdout) as T;
};

test(
  "O1 J1 a run is worked, shown, listed and verified on a PostgreSQL store, which is named without its password",
  { skip },
  async () => {
    const ran = await call(["run", "say hello", "--agent", "demo", "--id", "run_pg"]);
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal((await json<{ status: string }>(["status", "run_pg"])).status, "completed");
    const { runs } = await json<{ runs: { run: string }[] }>(["runs"]);
    assert.deepEqual(
      runs.map(({ run }) => run),
      ["run_pg"],
    );
    assert.match((await call(["events", "run_pg"])).stdout, /RunCompleted|completed/);
    for (const args of [["why", "run_pg"], ["verify"], ["verify", "run_pg"], ["doctor"], ["status"]])
      assert.equal((await call(args)).code, 0, args.join(" "));
    assert.match(
      (await call(["verify"])).stdout,
      /^postgres:\/\/holdfast@127\.0\.0\.1:\d+\/postgres: 1 runs/,
    );
    // No file of the embedded store came about.
    assert.equal(existsSync(bench.store), false);
  },
);

test(
  "O1 a detached run is worked by a supervisor whose arguments do not show the password",
  { skip },
  async () => {
    const { run, supervisor } = await json<{ run: string; supervisor: { pid: number; log: string } }>([
      ...["run", "say hello", "--agent", "demo", "--detach"],
    ]);
    const commandLine = `/proc/${String(supervisor.pid)}/cmdline`;
    if (existsSync(commandLine))
      assert.doesNotMatch(readFileSync(commandLine, "utf8"), new RegExp(TEST_PASSWORD));
    for (const until = Date.now() + WAIT_MS_MAX; ; await delay(100)) {
      const { status } = await json<{ status: string }>(["status", run]);
      if (status === "completed") break;
      assert.ok(Date.now() < until, `${run} is ${status}`);
    }
    assert.doesNotMatch(readFileSync(supervisor.log, "utf8"), new RegExp(TEST_PASSWORD));
  },
);

test(
  "O1 a request on a PostgreSQL store is answered, and printed commands find the store again",
  { skip },
  async () => {
    const refused = await call(["resume", "run_pg"]);
    assert.equal(refused.code, 5, refused.stdout + refused.stderr);
    const { PGPASSWORD = TEST_PASSWORD } = process.env;
    const url = server.url.replace(`:${TEST_PASSWORD}@`, "@");
    const named = await call(["status", "nope", "--store", server.url]);
    const [, command = ""] = /`(holdfast runs[^`]*)`/.exec(named.stderr) ?? [];
    assert.equal(command, `holdfast runs --store ${url}`, named.stderr);
    const again = await call([...pasted(command), "--json"], { env: { PGPASSWORD } });
    assert.equal(again.code, 0, again.stderr);
  },
);

test(
  "O1 a PostgreSQL server that cannot be reached exits 6 and says where it was looked for",
  { skip },
  async () => {
    for (const args of [["runs"], ["status", "x"], ["run", "g", "--agent", "demo"], ["verify"], ["up"]]) {
      const url = server.url.replace(`:${String(server.port)}/`, ":1/");
      const { code, stderr } = await call([...args, "--store", url]);
      assert.equal(code, 6, stderr);
      assert.match(stderr, /postgres:\/\/holdfast@127\.0\.0\.1:1\/postgres/);
      assert.doesNotMatch(stderr, /^\s+at /m);
    }
  },
);

test(
  "A5 T17 a database that was put back to an older copy is refused by its anchor, and used again when that is accepted",
  { skip },
  async () => {
    const url = new URL(server.url);
    url.pathname = "/journal";
    const env = { HOLDFAST_STORE: url.href, HOLDFAST_ANCHOR: path.join(bench.root, "anchors") };
    const there = (...args: string[]): Promise<Ended> => call(args, { env });
    const run = (id: string): Promise<Ended> => there("run", "say hello", "--agent", "demo", "--id", id);
    await server.query("CREATE DATABASE journal", []);
    assert.equal((await run("first")).code, 0);
    await there("down");
    await server.query("CREATE DATABASE older TEMPLATE journal", []);
    assert.equal((await run("second")).code, 0);
    await there("down");
    await server.query("DROP DATABASE journal WITH (FORCE)", []);
    await server.query("ALTER DATABASE older RENAME TO journal", []);
    for (const words of [["runs"], ["status", "first"], ["verify"]]) {
      const refused = await there(...words);
      assert.equal(refused.code, 6, words.join(" ") + refused.stdout + refused.stderr);
      assert.match(refused.stderr, /is older than its anchor .*second had event \d+ .* is not there/);
    }
    const accepted = await there("verify", "--accept-rollback");
    assert.equal(accepted.code, 0, accepted.stderr);
    assert.equal((await run("third")).code, 0);
    assert.equal((await there("verify")).code, 0);
  },
);

test(
  "P5 on a PostgreSQL store known secrets reach no table, and a value that got through is removed with a record",
  { skip },
  async () => {
    const [known, unknown] = ["known-by-its-name-31415", "nobody knows this 27182"];
    const goal = `use ${known} and ${unknown}`;
    const env = { HOLDFAST_STORE: server.url, DEPLOY_TOKEN: known };
    assert.equal((await call(["run", goal, "--agent", "demo", "--id", "leaky"], { env })).code, 0);
    const tables = async (): Promise<string> =>
      JSON.stringify(
        await Promise.all(
          ["events", "runs", "inbox", "snapshots", "blobs"].map((table) =>
            server.query(`SELECT * FROM holdfast.${table}`),
          ),
        ),
      );
    const before = await tables();
    assert.ok(!before.includes(known));
    assert.ok(before.includes(unknown));
    const file = bench.write("leaked", unknown);
    const scrubbed = await call(["scrub", "leaky", "--value-file", file, "--yes", "--json"]);
    assert.equal(scrubbed.code, 0, scrubbed.stdout + scrubbed.stderr);
    assert.ok(!(await tables()).includes(unknown));
    assert.match((await call(["verify", "leaky"])).stdout, /removed a value with `holdfast scrub`/);
    assert.equal((await call(["verify"])).code, 0);
  },
);
