import assert from "node:assert/strict";
import { startPostgres, type PostgresServer } from "../../postgres-server.ts";
import { admitCables, noCables } from "./cable.ts";
import { comeBack, trial, twoHosts, type Watched } from "./death-trials.ts";
import { noHosts } from "./fleet-hosts.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(1);

const skip = noHosts() || noCables();
/** Locks do not wait for it; on a busy machine a supervisor takes long to come back. */
const LEASE_MS = 60_000;
let server: PostgresServer;
let watched: Watched | null = null;

before(async () => {
  if (skip !== false) return;
  server = await startPostgres({ listen_addresses: "*" });
  await admitCables(server);
});
after(async () => {
  if (skip !== false) return;
  await watched?.fleet.close();
  await server.remove();
});

test(
  "F2 a supervisor that dies alone is brought back and adopts its agent; when its sibling dies too, the agent is frozen before another host takes the run, and goes on when somebody supervises it again",
  { skip, timeout: 300_000 },
  async () => {
    watched = await twoHosts(server.url, "work", LEASE_MS);
    const alone = await trial("supervisor", watched);
    assert.deepEqual([alone.claimedBy, alone.frozenMs], ["one", null]);
    await comeBack(watched, "supervisor");
    const both = await trial("supervision", watched);
    assert.equal(both.claimedBy, "two");
    assert.equal(both.wasDouble, false);
    assert.ok(both.frozenMs !== null && both.frozenMs < both.claimedMs);
    await watched.fleet.reaches("work", "blocked");
    await comeBack(watched, "supervision");
    const events = await watched.fleet.eventsOf("work");
    assert.ok(
      events.some(({ type, data }) => type === "ClockJumped" && "cause" in data && data.cause === "frozen"),
    );
    assert.equal(events.filter(({ type }) => type === "AttemptStarted").length, 1);
  },
);
