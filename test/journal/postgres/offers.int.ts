import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Journal } from "../../../src/journal/journal.ts";
import type { Offers } from "../../../src/journal/host-records.ts";
import { openPostgresJournal } from "../../../src/journal/postgres/postgres-journal.ts";
import type { EventData } from "../../../src/model/events/events.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import type { RunStatus } from "../../../src/model/state/run-status.ts";
import { realWorld } from "../../../src/real-world.ts";
import { createRun } from "../../../src/runtime/create-run.ts";
import { Leases } from "../../../src/runtime/leases.ts";
import { postgresMissing, startPostgres, type PostgresServer } from "../../postgres-server.ts";

const skip = postgresMissing() ?? false;
const FOR_MS = 60_000;
let server: PostgresServer;
before(async () => {
  if (skip === false) server = await startPostgres();
});
after(async () => {
  if (skip === false) await server.remove();
});

interface Queue {
  readonly journal: Journal;
  readonly offers: Offers;
  readonly add: (run: string, more?: Partial<EventData<"RunCreated">>) => Promise<void>;
  readonly becomes: (run: string, status: RunStatus) => Promise<void>;
  readonly pull: (
    max: number,
    more?: { asked?: string[]; forMs?: number; except?: string[] },
  ) => Promise<string[]>;
}

async function queueIn(schema: string): Promise<Queue> {
  const world = realWorld();
  const journal = await openPostgresJournal({ url: server.url, world, schema });
  const { hosts } = journal;
  if (hosts === undefined) throw new Error("hosts share a store on PostgreSQL");
  const leases = new Leases(journal, world, FOR_MS);
  const epochs = new Map<string, number>();
  const order: EventData<"RunCreated"> = {
    goal: "a test",
    flow: {
      name: "test",
      steps: [{ name: "s", task: "t", agent: "a", needs: [], authority: "writes", checks: [] }],
      phases: [],
    },
    agents: { a: { use: "function", export: "a" } },
    settings: runSettingsSchema.parse({}),
    budget: {},
    cwd: "/project",
    by: "ada",
  };
  return {
    journal,
    offers: hosts.offers,
    async add(run, more = {}) {
      const created = await createRun({ journal, world }, leases, { ...order, ...more, id: run });
      epochs.set(run, created.epoch);
    },
    async becomes(run, status) {
      const { seq } = (await journal.head(run)) ?? { seq: 0 };
      const outcome = await journal.append({
        ...{ run, expected: seq, epoch: epochs.get(run) ?? 0, at: 1 },
        events: [{ type: "RunStarted", data: {} }],
        listing: { status, goal: "a test", wakeAt: null },
      });
      assert.equal(outcome.kind, "appended");
    },
    pull: (max, { asked = ["{}"], forMs = FOR_MS, except = [] } = {}) =>
      hosts.offers.pull({ asked, max, forMs, except }),
  };
}

test(
  "F1 a run is offered exactly while it is queued, and an offer that was taken is nobody else's for a time",
  { skip },
  async () => {
    const { journal, offers, add, becomes, pull } = await queueIn("offered");
    for (const run of ["one", "two", "three"]) await add(run);
    assert.deepEqual(await offers.asked(), ["{}"]);
    assert.deepEqual(await pull(2), ["one", "two"]);
    assert.deepEqual(await pull(2), ["three"]);
    assert.deepEqual(await pull(2), []);
    await offers.giveBack(["two"]);
    assert.deepEqual(await pull(2, { except: ["two"] }), []);
    assert.deepEqual(await pull(2, { forMs: 0 }), ["two"]);
    await becomes("two", "running");
    assert.deepEqual(await pull(2), []);
    // Put back, by a later version say: it is offered again.
    await becomes("two", "queued");
    assert.deepEqual(await pull(2), ["two"]);
    for (const run of ["one", "two", "three"]) await becomes(run, "completed");
    assert.deepEqual(await offers.asked(), []);
    await journal.close();
  },
);

test(
  "F1 owners and repositories take turns, and one that comes late does not overtake for what it missed",
  { skip },
  async () => {
    const { journal, add, becomes, pull } = await queueIn("fair");
    const of = (name: string) => ({ repository: `/repositories/${name}` });
    for (const number of [1, 2, 3, 4]) await add(`a${String(number)}`, of("a"));
    for (const number of [1, 2]) await add(`b${String(number)}`, of("b"));
    await add("c1", { ...of("a"), by: "bob" });
    const begin = async (max: number): Promise<string[]> => {
      const runs = await pull(max);
      for (const run of runs) await becomes(run, "running");
      return runs;
    };
    assert.deepEqual(await begin(4), ["a1", "b1", "c1", "a2"]);
    for (const number of [1, 2, 3]) await add(`d${String(number)}`, of("d"));
    assert.deepEqual(await begin(9), ["b2", "d1", "a3", "d2", "a4", "d3"]);
    await journal.close();
  },
);

test("F1 a host is offered only what it may take, in turn whatever it asks for", { skip }, async () => {
  const { journal, offers, add, pull } = await queueIn("placed");
  await add("plain");
  await add("gpu", { placement: { labels: ["gpu"] } });
  await add("pinned", { placement: { host: "b" } });
  const asked = ['{"host":"b"}', '{"labels":["gpu"]}', "{}"];
  assert.deepEqual((await offers.asked()).sort(), [...asked].sort());
  assert.deepEqual(await pull(9, { forMs: 0 }), ["plain"]);
  assert.deepEqual(await pull(9, { asked: ["{}", '{"labels":["gpu"]}'], forMs: 0 }), ["plain", "gpu"]);
  assert.deepEqual(await pull(1, { asked: ['{"host":"b"}'] }), ["pinned"]);
  assert.deepEqual(await pull(9, { asked: [] }), []);
  await journal.close();
});

test("F1 hosts that fetch at the same time are given different runs", { skip }, async () => {
  const { journal, add, pull } = await queueIn("at_once");
  const runs = Array.from({ length: 40 }, (_, index) => `run${String(index)}`);
  for (const run of runs) await add(run);
  const others = await Promise.all(
    [1, 2, 3, 4].map(() => openPostgresJournal({ url: server.url, world: realWorld(), schema: "at_once" })),
  );
  const pulled = await Promise.all(
    others.flatMap(({ hosts }) => [1, 2].map(() => fetchFive(hosts?.offers) ?? [])),
  );
  const all = pulled.flat();
  assert.equal(new Set(all).size, all.length);
  const rest = await pull(40);
  assert.deepEqual(new Set([...all, ...rest]), new Set(runs));
  for (const one of [journal, ...others]) await one.close();
});

async function fetchFive(offers: Offers | undefined): Promise<string[]> {
  return offers === undefined ? [] : offers.pull({ asked: ["{}"], max: 5, forMs: FOR_MS, except: [] });
}
