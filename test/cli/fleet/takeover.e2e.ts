import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startPostgres, type PostgresServer } from "../../postgres-server.ts";
import { Fleet, noHosts, until, type FleetHost } from "./fleet-hosts.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(3);

const skip = noHosts();
let server: PostgresServer;
let fleet: Fleet;
let hosts: { readonly one: FleetHost; readonly two: FleetHost };

const config = { lease: { ms: 10_000 }, supervisor: { scanMs: 200 } };
/** Writes half of its work, waits for a word, and writes the rest. */
const agent = (go: string): string => `echo half > half
until test -e ${go}; do sleep 0.1; done
echo whole > whole
`;
const filesOf = (go: string): Record<string, string> => ({
  "AGENTS.md": "be kind\n",
  "holdfast.yaml": JSON.stringify({
    workspace: { isolation: "run" },
    backoff: { baseMs: 1, capMs: 1 },
    agents: { dev: { use: "command", sandbox: "none", command: ["sh", "-c", agent(go)] } },
  }),
});

before(async () => {
  if (skip !== false) return;
  server = await startPostgres();
  fleet = await Fleet.on(server.url);
  const files = filesOf(path.join(fleet.here, "go"));
  const [one, two] = await Promise.all([
    fleet.host("one", { files, config }),
    fleet.host("two", { files, config }),
  ]);
  hosts = { one, two };
});
after(async () => {
  if (skip !== false) return;
  await fleet.close();
  await server.remove();
});

/** In the tree of a run on a host, as it is seen from outside. */
const fileOf = async (host: FleetHost, run: string, file: string): Promise<string> => {
  const { worktree } = (await fleet.stateOf(run)).workspace;
  return worktree === null ? "" : path.join(worktree.tree.replace(fleet.here, host.folder), file);
};

/** Begun on the first host, and half done when that is killed together with its agent. */
async function lost(runs: readonly string[]): Promise<void> {
  const { one, two } = hosts;
  await Promise.all(
    runs.map(async (run) => {
      const begun = await one.call(["run", "work", "--agent", "dev", "--id", run, "--detach"]);
      assert.equal(begun.code, 0, begun.stdout + begun.stderr);
    }),
  );
  for (const run of runs)
    await until(`half of ${run} is done`, async () => existsSync(await fileOf(one, run, "half")));
  await one.kill();
  two.start(["up"]);
  for (const run of runs) await fleet.reaches(run, "blocked");
}

test(
  "F2 G4 a run whose host died waits for that host by name, is not charged, and continues when the host is back; another one starts over where a person says so",
  { skip, timeout: 300_000 },
  async () => {
    const { one, two } = hosts;
    await lost(["back", "over", "given-up"]);
    const { blocked, steps } = await fleet.stateOf("back");
    assert.equal(blocked?.reason, "host_lost");
    assert.match(blocked.detail, /the files of the run are on one, which is gone/);
    assert.deepEqual(
      Object.values(steps).map(({ charged }) => charged),
      [0],
    );
    const refused = await two.call(["restore", "back"]);
    assert.match(refused.stderr, /the files of the run are on one, which is gone; start Holdfast there/);
    assert.equal((await two.call(["cancel", "given-up"])).code, 0);
    await fleet.reaches("given-up", "cancelled");

    const again = await two.call(["retry", "over"]);
    assert.equal(again.code, 0, again.stdout + again.stderr);
    assert.match(again.stdout, /started over on two: what was done in \S+ stays on one/);
    writeFileSync(path.join(two.folder, "go"), "");
    await fleet.reaches("over", "completed");
    assert.ok(existsSync(await fileOf(two, "over", "whole")));
    assert.equal((await fleet.stateOf("back")).status, "blocked");

    await one.boot();
    writeFileSync(path.join(one.folder, "go"), "");
    one.start(["up"]);
    await fleet.reaches("back", "completed");
    for (const file of ["half", "whole"]) assert.ok(existsSync(await fileOf(one, "back", file)), file);
    for (const run of ["back", "over", "given-up"])
      for (const { type, data } of await fleet.eventsOf(run))
        if (type === "AttemptEnded") assert.equal(data.charged, false, `${run}: ${JSON.stringify(data)}`);
  },
);
