import assert from "node:assert/strict";
import type { Journal } from "../../../src/journal/journal.ts";
import { openPostgresJournal } from "../../../src/journal/postgres/postgres-journal.ts";
import { isFault } from "../../../src/model/fault.ts";
import { realWorld } from "../../../src/real-world.ts";
import { PLAY_WHOLE } from "../../day-sample.ts";
import { postgresMissing, startPostgres, TEST_PASSWORD, type PostgresServer } from "../../postgres-server.ts";
import { contendForPositions, stopOwners, type Arena } from "../contest.ts";
import { all, claimed, headIn, order, owner } from "../contract/scene.ts";
import { startCutProxy, type CutProxy, type Direction } from "./cut-proxy.ts";
import { restartStorm } from "./postgres-restarts.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(2);

const missing = postgresMissing();
const skip = missing ?? false;
const RESTARTS = Number(process.env["HOLDFAST_PG_RESTARTS"] ?? (PLAY_WHOLE ? 8 : 3));
const APPENDS = 200;
const STOPS = PLAY_WHOLE ? 10 : 4;

/** Short enough for a test, long enough for a busy machine. */
const QUICK = {
  connectMs: 2_000,
  statementMs: 800,
  answerMs: 1_000,
  awayMs: 20_000,
  pollMs: 200,
  pauseMsMax: 200,
};
/** To notice that no answer comes, and to settle what became of the change over a new connection. */
const NOTICED_MS_MAX = QUICK.answerMs + 8_000;

test(
  "J1 J2 PostgreSQL is killed again and again in the middle of appends: nothing acknowledged is lost or doubled, and every client comes back by itself",
  { skip },
  async (t) => {
    const { violations, ...report } = await restartStorm(RESTARTS);
    t.diagnostic(JSON.stringify(report));
    assert.deepEqual(violations, []);
    assert.ok(report.acknowledged > RESTARTS * 50, JSON.stringify(report));
  },
);

let server: PostgresServer;
before(async () => {
  if (missing === null) server = await startPostgres();
});
after(async () => {
  if (missing === null) await server.remove();
});

const arena = (): Arena => ({
  store: server.url,
  open: () => openPostgresJournal({ url: server.url, world: realWorld() }),
  remove: async () => void (await server.query("DROP SCHEMA holdfast CASCADE")),
});

test(
  "J1 two processes contend for positions of one run on PostgreSQL, and each has exactly one winner (I9)",
  { skip },
  () => contendForPositions(arena(), APPENDS),
);

test(
  "J1 on PostgreSQL an owner stopped by SIGSTOP that wakes after it was taken over from writes nothing (I9)",
  { skip },
  () => stopOwners(arena(), STOPS),
);

/** A journal through a proxy that can be cut, in a schema of its own. */
const throughProxy = async (
  schema: string,
  play: (scene: { journal: Journal; proxy: CutProxy; other: Journal }) => Promise<void>,
  timing: object = {},
): Promise<void> => {
  const proxy = await startCutProxy(server.port);
  const world = realWorld();
  const url = server.url.replace(`:${String(server.port)}/`, `:${String(proxy.port)}/`);
  const journal = await openPostgresJournal({ url, schema, world, timing: { ...QUICK, ...timing } });
  const other = await openPostgresJournal({ url: server.url, schema, world });
  try {
    await play({ journal, proxy, other });
  } finally {
    await journal.close();
    await other.close();
    await proxy.close();
  }
};

const cuts: readonly [what: string, directions: readonly Direction[]][] = [
  ["on the way there", ["requests"]],
  ["on the way back", ["answers"]],
  ["both ways", ["requests", "answers"]],
];
for (const [what, directions] of cuts)
  test(
    `J1 a connection cut in silence ${what} is noticed in bounded time, and the append is made exactly once`,
    { skip },
    () =>
      throughProxy(`cut_${directions.join("_")}`, async ({ journal, proxy }) => {
        const epoch = await claimed(journal, "run_a");
        headIn(await journal.append(order("run_a", 0, { epoch })));
        for (let expected = 1; expected < 3; expected += 1) {
          proxy.cut(...directions);
          const beganMs = performance.now();
          const head = headIn(await journal.append(order("run_a", expected, { epoch })));
          assert.ok(performance.now() - beganMs < NOTICED_MS_MAX);
          assert.deepEqual(await journal.head("run_a"), head);
        }
        assert.equal((await journal.read("run_a", all)).length, 3);
        assert.deepEqual(await journal.verify(), []);
      }),
  );

test(
  "J1 every change whose answer was lost is reported as what it was, not as unknown and not as done by another",
  { skip },
  () =>
    throughProxy("lost_answers", async ({ journal, proxy, other }) => {
      const lost = async <T>(change: () => Promise<T>): Promise<T> => {
        proxy.cut("answers");
        return change();
      };
      const row = { id: "req_1", address: "sup", request: { kind: "pause" }, by: "cli", at: 1 } as const;
      assert.equal((await lost(() => journal.claim("run_a", owner("own_a")))).kind, "claimed");
      assert.equal(await lost(() => journal.ask(row)), "put");
      assert.equal(await lost(() => journal.ask({ ...row, by: "another" })), "already");
      await lost(() => journal.consume("sup", ["req_1"]));
      headIn(await lost(() => journal.append(order("run_a", 0))));
      const seen = await other.lease("run_a");
      assert.ok(seen !== null);
      const taken = await lost(() => journal.takeOver("run_a", owner("own_b"), seen));
      assert.deepEqual(taken, { kind: "claimed", epoch: 2, from: seen });
      await lost(() => journal.release("run_a", 2));
      assert.deepEqual(await other.lease("run_a"), { address: "run_a", epoch: 2, owner: null, beats: 0 });
      assert.deepEqual(await other.inbox("sup"), []);
      assert.deepEqual(await other.verify(), []);
    }),
);

test(
  "J1 an append whose answer was lost is appended although the run was taken over meanwhile (I9)",
  { skip },
  () =>
    throughProxy("lost_then_taken", async ({ journal, proxy, other }) => {
      const epoch = await claimed(journal, "run_a");
      headIn(await journal.append(order("run_a", 0, { epoch })));
      proxy.cut("answers");
      const appending = journal.append(order("run_a", 1, { epoch }));
      while ((await other.head("run_a"))?.seq !== 2);
      const seen = await other.lease("run_a");
      assert.ok(seen !== null);
      assert.equal((await other.takeOver("run_a", owner("own_b"), seen)).kind, "claimed");
      headIn(await other.append(order("run_a", 2, { epoch: epoch + 1 })));
      assert.equal(headIn(await appending).seq, 2);
      assert.deepEqual(await journal.append(order("run_a", 2, { epoch })), {
        kind: "fenced",
        currentEpoch: epoch + 1,
      });
    }),
);

test(
  "J1 a watcher whose connection was cut in silence learns of changes again, and of those it missed",
  { skip },
  () =>
    throughProxy("cut_watcher", async ({ journal, proxy, other }) => {
      const epoch = await claimed(other, "run_a");
      let hints = 0;
      journal.watch(() => (hints += 1));
      const nextHint = async (): Promise<void> => {
        const before = hints;
        const lateMs = performance.now() + NOTICED_MS_MAX;
        while (hints === before) {
          assert.ok(performance.now() < lateMs, "no hint came");
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      };
      await nextHint();
      proxy.cut("requests", "answers");
      const hinted = nextHint();
      headIn(await other.append(order("run_a", 0, { epoch })));
      await hinted;
      assert.equal((await journal.head("run_a"))?.seq, 1);
    }),
);

test(
  "J1 a server that stays away is a fault to be tried again later, without the password in it, and no end of the journal",
  { skip },
  () =>
    throughProxy(
      "stays_away",
      async ({ journal, proxy, other }) => {
        const epoch = await claimed(journal, "run_a");
        proxy.letIn(false);
        proxy.cut("requests", "answers");
        const beganMs = performance.now();
        const isAway = (error: unknown): boolean =>
          isFault(error, "store_unavailable") &&
          error.retry === "later" &&
          !error.message.includes(TEST_PASSWORD);
        const append = journal.append(order("run_a", 0, { epoch }));
        const queued = journal.beat("own_a");
        await assert.rejects(append, isAway);
        await assert.rejects(queued, isAway);
        await assert.rejects(journal.head("run_a"), isAway);
        assert.ok(performance.now() - beganMs < 30_000);
        proxy.letIn(true);
        assert.equal(await other.head("run_a"), null);
        headIn(await journal.append(order("run_a", 0, { epoch })));
      },
      { awayMs: 1_000, connectMs: 500 },
    ),
);
