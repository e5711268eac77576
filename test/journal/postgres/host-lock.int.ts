import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Journal } from "../../../src/journal/journal.ts";
import { openPostgresJournal } from "../../../src/journal/postgres/postgres-journal.ts";
import type { HostFacts } from "../../../src/model/host/host-record.ts";
import { realWorld } from "../../../src/real-world.ts";
import { postgresMissing, startPostgres, type PostgresServer } from "../../postgres-server.ts";

const missing = postgresMissing();
const skip = missing ?? false;
let server: PostgresServer;
let journal: Journal;
before(async () => {
  if (skip !== false) return;
  server = await startPostgres();
  journal = await openPostgresJournal({ url: server.url, world: realWorld() });
});
after(async () => {
  if (skip !== false) return;
  await journal.close();
  await server.remove();
});

const facts = (id: string): HostFacts => ({
  ...{ id, name: id, boot: "", version: "0.1.0", slots: 1, agents: [], leaseMs: 2_000 },
  ...{ freeMemoryBytes: 0, freeDiskBytes: null, phase: "up" },
});

test(
  "F2 F4 each host sees whose locks are held, a lock goes with its connection and comes with the next look, and a restart of the server is another session",
  { skip, timeout: 120_000 },
  async () => {
    const { hosts } = journal;
    if (hosts === undefined) throw new Error("a store of hosts has their records");
    for (const id of ["host_a", "host_b"]) await hosts.put(facts(id));
    const lockOf = (host: string, role: "supervisor" | "watchdog") =>
      hosts.lock({ host, role, leaseMs: 2_000 });
    const [first, second, sibling] = [
      lockOf("host_a", "supervisor"),
      lockOf("host_b", "supervisor"),
      lockOf("host_b", "watchdog"),
    ];
    try {
      assert.equal(first.isLost, true);
      const own = await first.look();
      const free = { supervisor: false, watchdog: false };
      assert.deepEqual(own?.hosts, [
        { ...free, host: "host_a", supervisor: true },
        { ...free, host: "host_b" },
      ]);
      await second.look();
      await sibling.look();
      const seen = await first.look();
      assert.equal(seen?.session, own.session);
      assert.deepEqual(seen.hosts[1], { host: "host_b", supervisor: true, watchdog: true });
      // A successor takes its place before the server has noticed that the connection of the first is dead.
      const successor = lockOf("host_b", "supervisor");
      assert.equal((await successor.look())?.hosts[1]?.supervisor, true);
      await second.close();
      assert.equal((await first.look())?.hosts[1]?.supervisor, true);
      await successor.close();
      await sibling.close();
      for (;;) {
        const [, other] = (await first.look())?.hosts ?? [];
        if (other?.supervisor === false && !other.watchdog) break;
      }
      await server.query(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()",
      );
      let again = await first.look();
      while (again === null || again.session === own.session) again = await first.look();
      assert.equal(again.hosts[0]?.supervisor, true);
      await server.kill();
      await server.start();
      let restarted = await first.look();
      while (restarted === null) restarted = await first.look();
      assert.notEqual(restarted.session, again.session);
    } finally {
      for (const lock of [first, second, sibling]) await lock.close();
    }
  },
);
