import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openSystem } from "../../../src/main.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import type { SharedResourceNews } from "../../../src/model/host/shared-resource.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { CliBench, isAlive } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(1);

const WAIT_MS = 120_000;
const NAMES = ["alpha", "beta", "gamma", "delta"] as const;

const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];

/** A repository whose setup command fails until somebody mends it; every try is written down. */
class BrokenRepository {
  readonly bench = new CliBench();
  readonly ground = `repository:${hostname()}:${realpathSync(this.bench.cwd)}`;
  readonly #tries = path.join(this.bench.root, "tries.log");
  readonly #notices = path.join(this.bench.root, "notices.log");
  readonly #mended = path.join(this.bench.root, "mended");

  constructor() {
    const { bench } = this;
    const acts = [
      { do: "write", file: "{run}.txt", content: "done\n" },
      { do: "claim", ok: true, text: "done" },
    ];
    const script = path.join(bench.root, "script.json");
    writeFileSync(script, JSON.stringify({ attempts: [acts] }));
    const setup = `echo "$HOLDFAST_RUN" >> ${this.#tries}; test -f ${this.#mended} || { echo "the registry is down for $HOLDFAST_RUN"; exit 1; }`;
    const config = {
      agents: { dev: { use: "demo", script } },
      workspace: { isolation: "run", setup },
      supervisor: { scanMs: 200, idleExitMs: 60_000 },
      lease: { ms: 3_000 },
      cooldown: { staggerMs: 3_000 },
      // Nobody gets on by waiting: only what is mended, and a run that a person lets go on.
      incidents: { runs: 2, pauseMs: 3_600_000 },
      notify: { channels: { ops: { use: "command", command: ["sh", "-c", `cat >> ${this.#notices}`] } } },
    };
    bench.write("holdfast.json", JSON.stringify(config));
    this.#git("init", "-q", "-b", "main");
    this.#git("add", "--all");
    this.#git("commit", "-q", "-m", "begin");
  }

  #git(...args: string[]): void {
    const who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
    execFileSync("git", [...who, ...args], { cwd: this.bench.cwd });
  }

  mend(): void {
    writeFileSync(this.#mended, "");
  }

  triesOf(run: string): number {
    return linesOf(this.#tries).filter((line) => line === run).length;
  }

  incidentsReported(): string[] {
    const text = existsSync(this.#notices) ? readFileSync(this.#notices, "utf8") : "";
    return [...text.matchAll(/"id":"(repository:[^"]*)"/g)].map(([, id]) => id ?? "");
  }

  /** Begins a run in the background; answers the pid of the one that works it. */
  async begin(run: string, env: Record<string, string> = {}): Promise<number> {
    const words = ["run", "g", "--id", run, "--agent", "dev", "--detach", "--json"];
    const ended = await this.bench.call(words, { env });
    assert.equal(ended.code, 0, ended.stdout + ended.stderr);
    return (JSON.parse(ended.stdout) as { supervisor: { pid: number } }).supervisor.pid;
  }

  /** Looks into the store until it holds. */
  async until(
    what: string,
    run: string,
    holds: (state: RunState, news: SharedResourceNews | null) => boolean,
  ) {
    const system = await openSystem({
      store: `sqlite:${this.bench.store}`,
      settings: configSchema.parse({}),
    });
    try {
      for (const end = Date.now() + WAIT_MS; ; await delay(100)) {
        const state = await system.loadRun(run);
        if (state !== null && holds(state, state.sharedResources[this.ground]?.news ?? null)) return;
        assert.ok(
          Date.now() < end,
          `${run} never ${what}: ${JSON.stringify([state?.status, state?.blocked, state?.sharedResources])}`,
        );
      }
    } finally {
      await system.close();
    }
  }

  async told(): Promise<Recorded[]> {
    const system = await openSystem({
      store: `sqlite:${this.bench.store}`,
      settings: configSchema.parse({}),
    });
    try {
      return await system.ports.journal.read(this.ground, { after: 0, limit: 1_000 });
    } finally {
      await system.close();
    }
  }
}

async function isGone(pid: number): Promise<void> {
  for (const end = Date.now() + WAIT_MS; isAlive(pid); await delay(50)) assert.ok(Date.now() < end, "alive");
}

const countOf = (events: readonly Recorded[], type: Recorded["type"]): number =>
  events.filter((event) => event.type === type).length;

test("R5 J4 a setup that fails runs of one repository in the same way is one incident, also when its teller is killed: later runs wait untried, and all go on once it is mended", async (t) => {
  const repository = new BrokenRepository();
  const { bench, ground: resource } = repository;
  t.after(() => bench.close());
  const first = await repository.begin("alpha");
  await repository.until("was blocked", "alpha", ({ status }) => status === "blocked");
  process.kill(first, "SIGKILL");
  await isGone(first);
  // What the second one tells is on the disk when its supervisor dies, and the run itself does not know.
  const second = await repository.begin("beta", { HOLDFAST_CRASH_AT: "effect.TellGround.after#1" });
  await isGone(second);
  assert.equal(countOf(await repository.told(), "IncidentOpened"), 1);
  const up = await bench.call(["up", "--detach", "--json"]);
  assert.equal(up.code, 0, up.stderr);
  await repository.until(
    "waited",
    "beta",
    (state, news) => (news?.pause ?? null) !== null && Object.keys(state.effects).length === 0,
  );
  for (const run of ["gamma", "delta"]) {
    await repository.begin(run);
    await repository.until(
      "waited",
      run,
      ({ status, seq }, news) => status === "running" && seq > 1 && (news?.incident ?? null) !== null,
    );
  }
  const reported = await repository.told();
  assert.deepEqual([countOf(reported, "GroundTold"), countOf(reported, "IncidentOpened")], [2, 1]);
  const { health, shared } = await bench.json<{
    health: { state: string; evidence: string[] };
    shared: { ground: string; incident: string }[];
  }>(["status", "delta"]);
  assert.equal(health.state, "waiting");
  assert.match(health.evidence.join("\n"), /step work waits for the repository .* for .+ more/);
  assert.deepEqual(
    shared.map((one) => [one.ground, one.incident]),
    [[resource, `${resource}/i1`]],
  );
  assert.match((await bench.call(["why", "gamma"])).stdout, /the registry is down/);
  assert.match((await bench.call(["runs"])).stdout, /fails several runs in the same way/);
  assert.deepEqual(
    NAMES.map((run) => repository.triesOf(run)),
    [1, 1, 0, 0],
  );

  repository.mend();
  await bench.json(["retry", "alpha"]);
  for (const run of NAMES)
    await repository.until("was completed", run, ({ status }) => status === "completed");
  assert.deepEqual(
    NAMES.map((run) => repository.triesOf(run)),
    [2, 2, 1, 1],
  );
  const after = await repository.told();
  assert.deepEqual([countOf(after, "GroundReopened"), countOf(after, "IncidentEnded")], [1, 1]);
  assert.deepEqual([...new Set(repository.incidentsReported())], [`${resource}/i1/ops`]);
});
