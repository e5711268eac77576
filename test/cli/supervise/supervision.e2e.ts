import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { builtProgram } from "../../built-program.ts";
import { postgresMissing, startPostgres, type PostgresServer } from "../../postgres-server.ts";
import { openSystem } from "../../../src/main.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import { CliBench, isAlive } from "../cli-process.ts";

/** Works until the file is there. */
const worksUntil = (file: string): string =>
  JSON.stringify({
    attempts: [
      [
        { do: "say", text: "part 1" },
        { do: "wait", file },
        { do: "claim", ok: true, text: "part 2" },
      ],
    ],
  });

const bench = new CliBench({
  "sqlite.json": worksUntil("go-sqlite"),
  "postgres.json": worksUntil("go-postgres"),
  "closed.json": worksUntil("go-closed"),
  "holdfast.yaml": "supervisor: { idleExitMs: 60000, scanMs: 100 }\nlease: { ms: 6000 }\n",
});
let server: PostgresServer | null = null;
before(async () => {
  if (postgresMissing() === null) server = await startPostgres();
});
after(async () => {
  await bench.close();
  await server?.remove();
});

interface Owned {
  readonly status: string;
  readonly owner: { readonly host: string; readonly since: string; readonly beatAgeMs: number } | null;
  readonly health: { readonly state: string; readonly lastKnown?: { readonly state: string } };
  readonly supervision: { readonly state: string; readonly text: string; readonly command: string | null };
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 30_000; !(await holds()); await delay(50))
    assert.ok(Date.now() < end, `never: ${what}`);
}

for (const store of ["sqlite", "postgres"] as const)
  test(
    `B6 status shows who owns a run and its last sign of life, and at once that nobody does when that one is killed (${store})`,
    { skip: (store === "postgres" && postgresMissing()) || false },
    async () => {
      const env: Record<string, string> =
        store === "sqlite" || server === null ? {} : { HOLDFAST_STORE: server.url };
      const json = async <T>(args: readonly string[]): Promise<T> => {
        const ended = await bench.call([...args, "--json"], { env });
        assert.equal(ended.code, 0, ended.stdout + ended.stderr);
        return JSON.parse(ended.stdout) as T;
      };
      const { supervisor } = await json<{ supervisor: { pid: number } }>([
        "run",
        "slowly",
        "--agent",
        `demo:./${store}.json`,
        "--id",
        "slow",
        "--detach",
      ]);
      await until("owned", async () => (await json<Owned>(["status", "slow"])).owner !== null);
      const owned = await json<Owned>(["status", "slow"]);
      assert.equal(owned.supervision.state, "owned");
      assert.ok(owned.owner !== null && owned.owner.beatAgeMs < 6_000 && owned.owner.beatAgeMs >= 0);
      assert.ok(Math.abs(Date.now() - Date.parse(owned.owner.since)) < 60_000, owned.owner.since);

      process.kill(supervisor.pid, "SIGKILL");
      await until("killed", () => !isAlive(supervisor.pid));
      const orphan = await json<Owned>(["status", "slow"]);
      assert.deepEqual([orphan.status, orphan.owner, orphan.health.state], ["running", null, "unknown"]);
      assert.equal(orphan.supervision.state, "none");
      assert.match(orphan.supervision.command ?? "", /^holdfast up --detach/);
      // The agent, which nobody ends, ends by itself.
      bench.write(`go-${store}`, "");
    },
  );

test("B6 G2 a terminal that is closed hands the run to a background supervisor: its agent goes on and nothing is lost", async () => {
  const socket = path.join(bench.root, "tmux");
  const tmux = (...words: string[]) => spawnSync("tmux", ["-S", socket, ...words], { encoding: "utf8" });
  const program = builtProgram(path.join(import.meta.dirname, "..", "run-cli.ts"));
  const command = `cd ${bench.cwd} && exec ${process.execPath} ${program} run slowly --agent demo:./closed.json --id closed`;
  const env = ["-e", `HOLDFAST_HOME=${bench.home}`, "-e", "HOLDFAST_WATCHDOG=off"];
  const started = tmux("new-session", "-d", ...env, command);
  assert.equal(started.status, 0, started.stderr);
  await bench.receives("closed", "part 1");
  const system = await openSystem({ store: `sqlite:${bench.store}`, settings: configSchema.parse({}) });
  const ownerPid = async (): Promise<number | undefined> => (await system.supervision())("closed").owner?.pid;
  try {
    const front = (await ownerPid()) ?? assert.fail("nobody owns it");
    tmux("kill-session");
    await until("owned by another", async () => ((await ownerPid()) ?? front) !== front);
    bench.write("go-closed", "");
    await until("the foreground has ended", () => !isAlive(front));
    await bench.reaches("closed", "completed");
    const starts = (await bench.eventsOf("closed")).filter(({ type }) => type === "AttemptStarted");
    assert.equal(starts.length, 1, "the session went on: there was no second attempt");
  } finally {
    await system.close();
    tmux("kill-server");
  }
});
