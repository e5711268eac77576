import assert from "node:assert/strict";
import { holdfastClient } from "../../src/api/client/client.ts";
import { postgresMissing, startPostgres, TEST_PASSWORD, type PostgresServer } from "../postgres-server.ts";
import { ApiBench } from "./api-bench.ts";
import { seeEachOnce } from "./stream/stream-once.ts";
import { takesTurns } from "../turns.ts";

const { after, before, test } = takesTurns(0);

/** Once each on a real PostgreSQL: the guard, requests under a key, and the stream. */
const bench = new ApiBench();
let server: PostgresServer | null = null;
const skip = postgresMissing() ?? false;
const env = (): Record<string, string> => ({ HOLDFAST_STORE: server?.url ?? "" });

before(async () => {
  if (skip !== false) return;
  server = await startPostgres();
  const words = ["run", "say hello", "--agent", "demo", "--id", "hello", "--in-place"];
  const ended = await bench.cli.call(words, { env: env() });
  assert.equal(ended.code, 0, ended.stderr);
  await bench.serve([], { ...env(), HOLDFAST_CRASH_AT: "api.ask.done#1" });
});
after(async () => {
  // A request leaves a supervisor on this store, of which the bench knows nothing.
  if (server !== null) await bench.cli.call(["down", "--stop-agents"], { env: env() });
  await bench.close();
  await server?.remove();
});

const status = async (headers: Record<string, string>): Promise<number> => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const text = ["GET /api/v1/runs HTTP/1.1", ...lines, "Connection: close", "", ""].join("\r\n");
  return (await bench.raw(text)).status;
};

test("O8 on PostgreSQL the guard is the same, and says nothing of the store", { skip }, async () => {
  const Host = `127.0.0.1:${String(bench.port)}`;
  const Authorization = `Bearer ${bench.token}`;
  assert.equal(await status({ Host }), 401);
  assert.equal(await status({ Host: "evil.test", Authorization }), 421);
  assert.equal(await status({ Host, Authorization, Origin: "https://evil.test" }), 403);
  assert.equal(await status({ Host, Authorization }), 200);
  const doctor = JSON.stringify(await bench.client.getDoctor({}));
  assert.ok(!doctor.includes(TEST_PASSWORD), "the password of the store is not shown");
});

test(
  "O8 on PostgreSQL a server that is killed in a request has asked once, and the same key says so",
  { skip },
  async () => {
    const order = { params: { run: "hello" }, body: { kind: "reopen" } } as const;
    const options = { idempotencyKey: "reopen-once" };
    await assert.rejects(bench.client.ask(order, options));
    await bench.end();
    await bench.serve([], env());
    const first = await bench.client.ask(order, options);
    assert.deepEqual(await bench.client.ask(order, options), first);
    await assert.rejects(
      bench.client.ask({ ...order, body: { kind: "cancel" } }, options),
      /was used for another request/,
    );
    const { events } = (await bench.client.listEvents({ params: { run: "hello" }, query: {} })) as {
      events: { type: string }[];
    };
    assert.equal(events.filter(({ type }) => type === "RunReopened").length, 1);
  },
);

test(
  "O8 on PostgreSQL a reader that is killed at random sees each event once, in the order of its run",
  { skip, timeout: 120_000 },
  async () => {
    // A database of its own, beside the store that is served.
    await server?.query("CREATE DATABASE readers");
    const postgres = server?.url.replace(/postgres$/, "readers") ?? "";
    const result = await seeEachOnce({ events: 1_000, kills: 20, runs: 5, chance: Math.random, postgres });
    assert.deepEqual(result, { seen: 1_000, kills: 20, repeated: 0, missing: 0, outOfOrder: 0 });
  },
);

test(
  "O8 on PostgreSQL the stream goes on behind a cursor without a gap",
  { skip, timeout: 120_000 },
  async () => {
    const client = holdfastClient({ url: bench.ready.url, token: bench.token });
    const seen: number[] = [];
    const follow = async (count: number, after?: string): Promise<string> => {
      const order = { runs: ["hello"], ...(after === undefined ? { from: "start" as const } : { after }) };
      for await (const event of client.stream(order)) {
        seen.push(event.seq);
        if (seen.length === count) return event.cursor;
      }
      return assert.fail("the stream has ended");
    };
    const cursor = await follow(5);
    const asked = bench.client.ask({
      params: { run: "hello" },
      body: { kind: "alarm", in: "3h", note: "x" },
    });
    const { seq } = (await bench.client.getRun({ params: { run: "hello" } })) as { seq?: number };
    await asked;
    await follow(Math.max(8, seq ?? 0), cursor);
    assert.deepEqual(
      seen,
      seen.map((_, index) => index + 1),
    );
  },
);
