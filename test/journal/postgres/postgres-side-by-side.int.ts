import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import type { Journal } from "../../../src/journal/journal.ts";
import { openPostgresJournal } from "../../../src/journal/postgres/postgres-journal.ts";
import { postgresMissing, startPostgres, type PostgresServer } from "../../postgres-server.ts";
import { all, claimed, headIn, order, owner, quietWorld, said } from "../contract/scene.ts";

const missing = postgresMissing();
const skip = missing ?? false;
const WRITING_MS = 1_000;

let server: PostgresServer;
let schemas = 0;
before(async () => {
  if (missing === null) server = await startPostgres({ deadlock_timeout: "100ms" });
});
after(async () => {
  if (missing === null) await server.remove();
});

interface Side {
  /** Handles as so many hosts would open them, on a schema of their own. */
  readonly open: () => Promise<Journal>;
  /** A bare connection to that schema, in a transaction that is under way. */
  readonly begin: () => Promise<Client>;
}

async function onOneStore(play: (side: Side) => Promise<void>): Promise<void> {
  const schema = `side_${String((schemas += 1))}`;
  const handles: Journal[] = [];
  const clients: Client[] = [];
  const timing = { pollMs: 50 };
  const open = async (): Promise<Journal> => {
    const journal = await openPostgresJournal({
      url: server.url,
      schema,
      world: quietWorld(),
      timing,
      largeChars: 1_000,
    });
    handles.push(journal);
    return journal;
  };
  const begin = async (): Promise<Client> => {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    clients.push(client);
    await client.query(`SET search_path TO ${schema}; BEGIN`);
    return client;
  };
  try {
    await play({ open, begin });
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await Promise.all(handles.map((handle) => handle.close()));
  }
}

/** Reads on wherever the listing says that a run has grown, and notes what it reads. */
function follow(journal: Journal): { readonly seen: Map<string, number[]>; end(): Promise<void> } {
  const seen = new Map<string, number[]>();
  let over = false;
  const look = async (): Promise<void> => {
    for (const { run, seq } of await journal.runs()) {
      const of = seen.get(run) ?? [];
      seen.set(run, of);
      while ((of.at(-1) ?? 0) < seq)
        for (const event of await journal.read(run, { after: of.at(-1) ?? 0, limit: 50 })) of.push(event.seq);
    }
  };
  const looking = (async () => {
    while (!over) await look();
    await look();
  })();
  return {
    seen,
    async end() {
      over = true;
      await looking;
    },
  };
}

test(
  "J1 F1 who follows a store that many processes write to sees each event of each run once and in order, while another transaction stays open",
  { skip },
  () =>
    onOneStore(async ({ open, begin }) => {
      const journals = await Promise.all([open(), open(), open()]);
      const reader = follow(await open());
      const long = await begin();
      await long.query("SELECT pg_current_xact_id(), count(*) FROM events");
      const untilMs = performance.now() + WRITING_MS;
      const runs = journals.flatMap((journal, host) =>
        Array.from({ length: 5 }, (_, nth) => ({ journal, run: `run_${String(host)}_${String(nth)}` })),
      );
      const written = await Promise.all(
        runs.map(async ({ journal, run }) => {
          await claimed(journal, run);
          let seq = 0;
          while (performance.now() < untilMs)
            seq = headIn(await journal.append(order(run, seq, { events: [said("a"), said("b")] }))).seq;
          return [run, Array.from({ length: seq }, (_, index) => index + 1)] as const;
        }),
      );
      await reader.end();
      await long.query("COMMIT");
      assert.deepEqual(
        reader.seen,
        new Map([...reader.seen.keys()].map((run) => [run, new Map(written).get(run)])),
      );
      assert.equal(reader.seen.size, runs.length);
    }),
);

test("J1 F1 what is committed later than it began, and announced by nobody, is noticed", { skip }, () =>
  onOneStore(async ({ open, begin }) => {
    const [journal, reader] = [await open(), await open()];
    await claimed(journal, "run_a");
    let calls = 0;
    const unwatch = reader.watch(() => (calls += 1));
    const late = await begin();
    await late.query(
      "INSERT INTO inbox (id, address, at, consumed, seal, body) VALUES ('req_1', 'run_b', 1, 0, '', '')",
    );
    // A younger transaction ends before it.
    headIn(await journal.append(order("run_a", 0)));
    await untilQuiet(() => calls);
    const before = calls;
    await late.query("COMMIT");
    for (let waits = 0; calls === before && waits < 100; waits += 1) await pause(20);
    assert.ok(calls > before, "nobody was told of it");
    unwatch();
  }),
);

/** Until nothing is counted for some time. */
async function untilQuiet(count: () => number): Promise<void> {
  for (let before = -1; before !== count();) {
    before = count();
    await pause(300);
  }
}

test(
  "J1 F1 appends and changes of the lease of one run wait for each other (I9), and those of other runs go on",
  { skip },
  () =>
    onOneStore(async ({ open, begin }) => {
      const [one, other] = [await open(), await open()];
      await claimed(one, "run_a");
      await claimed(one, "run_b", "own_b");
      const seen = await one.lease("run_a");
      assert.ok(seen !== null);
      const holder = await begin();
      await holder.query("SELECT lock_address('run_a')");
      let settled = 0;
      const waiting = [
        one.append(order("run_a", 0)).finally(() => (settled += 1)),
        other.takeOver("run_a", owner("own_c"), seen).finally(() => (settled += 1)),
      ];
      const third = await open();
      for (let seq = 0; seq < 20; seq += 1) headIn(await third.append(order("run_b", seq)));
      await claimed(third, "run_c", "own_d");
      assert.equal(settled, 0);
      await holder.query("COMMIT");
      await Promise.all(waiting);
    }),
);

test(
  "J1 F1 a change that an earlier version began is waited for, and waits for those of this one",
  { skip },
  () =>
    onOneStore(async ({ open, begin }) => {
      const journal = await open();
      await claimed(journal, "run_a");
      const earlier = await begin();
      await earlier.query("SELECT take_turn()");
      let settled = false;
      const waiting = journal.append(order("run_a", 0)).finally(() => (settled = true));
      await pause(200);
      assert.equal(settled, false);
      await earlier.query("COMMIT");
      headIn(await waiting);
    }),
);

const deadlocks = async (): Promise<unknown> => {
  await server.query("SELECT pg_stat_force_next_flush()").catch(() => undefined);
  await pause(1_200);
  const [row] = await server.query("SELECT sum(deadlocks)::integer AS n FROM pg_stat_database");
  return row?.["n"];
};

test(
  "J1 F1 batches of several processes over the same runs, and takeovers among them, wait in no circle and leave no damage",
  { skip },
  () =>
    onOneStore(async ({ open }) => {
      const journals = await Promise.all([open(), open(), open()]);
      const names = Array.from({ length: 12 }, (_, nth) => `run_${String(nth)}`);
      const untilMs = performance.now() + WRITING_MS;
      let appended = 0;
      const contend = async (journal: Journal, me: string, run: string): Promise<void> => {
        while (performance.now() < untilMs) {
          const seen = await journal.lease(run);
          const taken =
            seen === null
              ? await journal.claim(run, owner(me))
              : await journal.takeOver(run, owner(me), seen);
          if (taken.kind !== "claimed") continue;
          const expected = (await journal.head(run))?.seq ?? 0;
          const outcome = await journal.append(
            order(run, expected, { epoch: taken.epoch, events: [said(me)] }),
          );
          if (outcome.kind === "appended") appended += 1;
          if (Math.random() < 0.3) await journal.release(run, taken.epoch);
        }
      };
      await Promise.all(
        journals.flatMap((journal, host) =>
          (host % 2 === 0 ? names : names.toReversed()).map((run) =>
            contend(journal, `own_${String(host)}`, run),
          ),
        ),
      );
      const [journal] = journals;
      assert.ok(journal !== undefined);
      const lengths = await Promise.all(names.map(async (run) => (await journal.head(run))?.seq ?? 0));
      assert.equal(
        lengths.reduce((total, length) => total + length, 0),
        appended,
      );
      assert.deepEqual(await journal.verify(), []);
      assert.equal(await deadlocks(), 0);
    }),
);

test("J1 F1 a large value that one run begins to name while the last other one goes is kept", { skip }, () =>
  onOneStore(async ({ open }) => {
    const [one, other] = [await open(), await open()];
    const large = { what: "said", bound: 1, detail: "x".repeat(40_000) };
    const events = [{ type: "LimitReached", data: large } as const];
    for (let round = 0; round < 10; round += 1) {
      const [old, young] = [`old_${String(round)}`, `young_${String(round)}`];
      const epoch = await claimed(one, old);
      const { seq, hash } = headIn(await one.append(order(old, 0, { epoch, events })));
      const youngEpoch = await claimed(other, young, "own_b");
      const [removed, appended] = await Promise.all([
        one.remove({ run: old, seq, hash, epoch }),
        other.append(order(young, 0, { epoch: youngEpoch, events })),
      ]);
      assert.deepEqual([removed.kind, appended.kind], ["removed", "appended"]);
      assert.equal((await other.read(young, all)).length, 1);
    }
    assert.deepEqual(await other.verify(), []);
  }),
);
