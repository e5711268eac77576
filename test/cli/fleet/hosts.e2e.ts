import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { EXAMPLES } from "../../../src/api/openapi/examples.ts";
import { hostState } from "../../../src/model/host/host-record.ts";
import type { HostView } from "../../../src/views/fleet/host-view.ts";
import type { StatusView } from "../../../src/views/status/status.ts";
import { startPostgres, type PostgresServer } from "../../postgres-server.ts";
import { Fleet, noHosts, until, type FleetHost } from "./fleet-hosts.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(2);

const skip = noHosts();
let server: PostgresServer;
let fleet: Fleet;
before(async () => {
  if (skip !== false) return;
  server = await startPostgres();
  fleet = await Fleet.on(server.url);
});
after(async () => {
  if (skip !== false) return;
  await fleet.close();
  await server.remove();
});

const standing = (expected: Readonly<Record<string, string>>): Promise<void> =>
  until(`the hosts are ${JSON.stringify(expected)}`, async () => {
    const hosts = (await fleet.journal.hosts?.list()) ?? [];
    const states = hosts.map((host) => [host.facts.name, hostState(host)] as const);
    return isDeepStrictEqual(Object.fromEntries(states), expected);
  });

test(
  "F1 hosts are listed with what they say of themselves; one that drains takes no new run, one that lacks what a run needs leaves it to others, and one that is killed is down",
  { skip, timeout: 300_000 },
  async () => {
    const config = { lease: { ms: 6_000 }, supervisor: { scanMs: 200 }, limits: { runsAtOnce: 3 } };
    const files = { "holdfast.yaml": "{}" };
    // The third has no repository, so that it cannot work what the others can.
    const [one, two, three] = await Promise.all([
      fleet.host("one", { files, config }),
      fleet.host("two", { files, config: { ...config, host: { labels: ["gpu"] } } }),
      fleet.host("three", { config }),
    ]);
    one.start(["up"]);
    await standing({ one: "up" });
    two.start(["up"]);
    three.start(["up"]);
    await standing({ one: "up", three: "up", two: "up" });
    const { hosts } = await two.json<{ hosts: readonly HostView[] }>(["hosts"]);
    const [first] = hosts;
    assert.deepEqual([first?.name, first?.state, first?.slots, first?.runs], ["one", "up", 3, 0]);
    assert.match(first?.id ?? "", /^host_/);

    const drained = await one.json<object>(["drain", "two"]);
    assert.deepEqual(Object.keys(drained), Object.keys(EXAMPLES.drainHost?.answer ?? {}));
    await standing({ one: "up", three: "up", two: "draining" });
    // The list says at once what was asked; the host hears of it with a beat, a third of its lease later at most.
    await delay(config.lease.ms);
    await Promise.all(
      ["a", "b", "c"].map(async (run) => {
        const begun = await two.call(["run", "hello", "--agent", "demo", "--id", run, "--detach"]);
        assert.equal(begun.code, 0, begun.stdout + begun.stderr);
      }),
    );
    for (const run of ["a", "b", "c"]) {
      await fleet.reaches(run, "completed");
      for (const { type, data } of await fleet.eventsOf(run))
        if (type === "RunClaimed") assert.equal(data.host, "one", run);
    }
    assert.match((await two.call(["drain", "--undo"])).stdout, /two takes new runs again/);
    await standing({ one: "up", three: "up", two: "up" });
    await placedOnTwo(one);
    await one.kill();
    await standing({ one: "down", three: "up", two: "up" });
    const unknown = await two.call(["drain", "nine"]);
    assert.equal(unknown.code, 4);
    assert.match(unknown.stderr, /"nine" has not worked this store; its hosts are one, /);
  },
);

/** Asked for on the first host, and worked where the second is named or has the label. */
async function placedOnTwo(one: FleetHost): Promise<void> {
  const begin = async (run: string, ...words: string[]): Promise<void> => {
    const begun = await one.call(["run", "hello", "--agent", "demo", "--id", run, "--detach", ...words]);
    assert.equal(begun.code, 0, begun.stdout + begun.stderr);
  };
  await begin("pinned", "--on", "two");
  await begin("labelled", "--labels", "gpu");
  await begin("nowhere", "--labels", "arm");
  for (const run of ["pinned", "labelled"]) {
    await fleet.reaches(run, "completed");
    for (const { type, data } of await fleet.eventsOf(run))
      if (type === "RunClaimed") assert.equal(data.host, "two", run);
  }
  const { supervision } = await one.json<StatusView>(["status", "nowhere"]);
  assert.equal(supervision?.text, "waits for a host with the labels arm: no host has them");
  assert.match((await one.call(["why", "nowhere"])).stdout, /waits for a host with the labels arm/);
  assert.equal((await fleet.eventsOf("nowhere")).filter(({ type }) => type === "RunClaimed").length, 0);
}

test("O1 doctor says of the database how it is set up", { skip, timeout: 60_000 }, async () => {
  const four = await fleet.host("four");
  const { checks } = await four.json<{ checks: { name: string; state: string; text: string }[] }>(["doctor"]);
  const database = checks.find(({ name }) => name === "database");
  assert.match(
    database?.text ?? "",
    /^PostgreSQL \d+.*, \d+ of 60 connections, standbys: none; no standby follows the server/,
  );
  assert.equal(database?.state, "warn");
});
