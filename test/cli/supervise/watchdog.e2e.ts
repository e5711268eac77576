import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, test } from "node:test";
import { lockHolder } from "../../../src/journal/sqlite/lock-holder.ts";
import { hostKey } from "../../../src/model/world.ts";
import { openSystem } from "../../../src/main.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import { hostConfigSchema } from "../../../src/model/settings/host-config.ts";
import { CliBench, isAlive } from "../cli-process.ts";

/** Loops without end, as a careless agent would; it holds its own process, and nobody else's. */
const SPINNER = `export async function spins({ report }) {
  await report("round and round");
  for (;;);
}
`;
/** Says where it lives, waits for the file `go`, and is done. */
const AGENT_ACTS = [
  { do: "say", text: "part 1" },
  { do: "wait", file: "go" },
  { do: "claim", ok: true, text: "part 2" },
];
const ON = { HOLDFAST_WATCHDOG: "on" };
const LIMIT_MS = 60_000;

interface Pair {
  readonly supervisor: number | null;
  readonly watchdog: number | null;
}

class DogBench extends CliBench {
  readonly #system = Promise.withResolvers<Awaited<ReturnType<typeof openSystem>>>();
  #isOpen = false;

  constructor(silentMs: number) {
    super({
      "agent.json": JSON.stringify({ attempts: [AGENT_ACTS] }),
      "spin.mjs": SPINNER,
      "holdfast.yaml":
        `supervisor: { idleExitMs: 1500 }\nlease: { ms: 900 }\n` +
        `watchdog: { lookMs: 200, silentMs: ${String(silentMs)}, graceMs: 300 }\n`,
    });
  }

  async detached(...words: string[]): Promise<void> {
    const ended = await this.call(["run", "g", "--detach", ...words], { env: ON });
    assert.equal(ended.code, 0, ended.stderr);
  }

  /** Who holds the two leases, and lives. */
  async pair(): Promise<Pair> {
    if (!this.#isOpen) {
      this.#isOpen = true;
      const settings = configSchema.parse({});
      this.#system.resolve(openSystem({ store: `sqlite:${this.store}`, settings }));
    }
    const { journal, world } = (await this.#system.promise).ports;
    const pid = async (who: string): Promise<number | null> => {
      const owner = (await journal.lease(`${who}:${hostKey(world.self)}`))?.owner ?? null;
      return owner !== null && world.liveness(owner.process) === "alive" ? owner.process.pid : null;
    };
    return { supervisor: await pid("supervisor"), watchdog: await pid("watchdog") };
  }

  /** Answers the pair once it is as wanted. */
  async until(what: string, holds: (pair: Pair) => boolean): Promise<Pair> {
    for (const end = Date.now() + LIMIT_MS; ; await delay(50)) {
      const pair = await this.pair();
      if (holds(pair)) return pair;
      assert.ok(Date.now() < end, `never ${what}: ${JSON.stringify(pair)}\n${this.log()}`);
    }
  }

  both(): Promise<{ supervisor: number; watchdog: number }> {
    const isBoth = ({ supervisor, watchdog }: Pair): boolean => supervisor !== null && watchdog !== null;
    return this.until("were both there", isBoth) as Promise<{ supervisor: number; watchdog: number }>;
  }

  /** Nothing is left once the work is done. */
  async bothEnd(...pids: number[]): Promise<void> {
    await this.until("ended", ({ supervisor, watchdog }) => supervisor === null && watchdog === null);
    for (const end = Date.now() + LIMIT_MS; pids.some(isAlive); await delay(50))
      assert.ok(Date.now() < end, `still alive: ${pids.filter(isAlive).join()}\n${this.log()}`);
  }

  log(): string {
    const file = path.join(this.home, "supervisor.log");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  async attemptsOf(run: string): Promise<number> {
    const { stdout } = await this.call(["events", run, "--type", "AttemptStarted", "--json"]);
    return stdout.trimEnd().split("\n").length;
  }

  override async close(): Promise<void> {
    if (this.#isOpen) await (await this.#system.promise).close();
    // Agents outlive everybody; those that still wait are let go before their folder is.
    this.write("go", "");
    for (const end = Date.now() + 10_000; Date.now() < end && this.#isWorkedIn();) await delay(100);
    await super.close();
  }

  #isWorkedIn(): boolean {
    return readdirSync("/proc").some((name) => {
      if (!/^\d+$/.test(name)) return false;
      try {
        const words = readFileSync(`/proc/${name}/cmdline`, "utf8");
        return words.includes("demo-agent") && words.includes(this.root);
      } catch {
        return false;
      }
    });
  }
}

async function withDog(silentMs: number, work: (bench: DogBench) => Promise<void>): Promise<void> {
  const bench = new DogBench(silentMs);
  try {
    await work(bench);
  } finally {
    await bench.close();
  }
}

// They wait more than they work.
describe("a supervisor and its sibling", { concurrency: 2 }, () => {
  test("L8 J4 a supervisor that is killed is brought back by its sibling, its agent untouched; and the sibling by the supervisor; neither stays behind", async () => {
    await withDog(600_000, async (bench) => {
      await bench.detached("--id", "r", "--agent", "demo:./agent.json");
      await bench.receives("r", "part 1");
      const first = await bench.both();
      await bench.json(["alarm", "r", "--in", "5h", "--note", "look again"]);
      process.kill(first.supervisor, "SIGKILL");
      const second = await bench.until(
        "came back",
        ({ supervisor }) => supervisor !== null && supervisor !== first.supervisor,
      );
      assert.equal(second.watchdog, first.watchdog);
      process.kill(first.watchdog, "SIGKILL");
      const third = await bench.until(
        "got its sibling back",
        ({ watchdog }) => watchdog !== null && watchdog !== first.watchdog,
      );
      assert.equal(third.supervisor, second.supervisor);
      const { alarms } = await bench.json<{ alarms: { note: string }[] }>(["status", "r"]);
      assert.equal(alarms[0]?.note, "look again", "what was asked of the first is kept by the next");
      bench.write("go", "");
      await bench.reaches("r", "completed");
      assert.equal(await bench.attemptsOf("r"), 1, "the agent went on: there was no second attempt");
      await bench.bothEnd(third.supervisor ?? 0, third.watchdog ?? 0);
      assert.match(bench.log(), /watchdog: the supervisor \(pid \d+\) is gone; another one is started/);
      assert.match(bench.log(), /the watchdog \(pid \d+\) is gone; another one is started/);
    });
  });

  test("L8 J4 a supervisor that is stopped is ended by its sibling and replaced; a function in an endless loop holds nobody; agents go on", async () => {
    await withDog(3_000, async (bench) => {
      await bench.detached("--id", "r", "--agent", "demo:./agent.json");
      await bench.receives("r", "part 1");
      const first = await bench.both();
      process.kill(first.supervisor, "SIGSTOP");
      await bench.until(
        "was replaced",
        ({ supervisor }) => supervisor !== null && supervisor !== first.supervisor,
      );
      assert.equal(isAlive(first.supervisor), false, "the stopped one is gone");
      await bench.detached("--id", "spins", "--agent", "function:spin.mjs#spins");
      await bench.receives("spins", "round and round");
      bench.write("go", "");
      await bench.reaches("r", "completed");
      await bench.json(["cancel", "spins"]);
      await bench.reaches("spins", "cancelled");
      assert.equal(await bench.attemptsOf("r"), 1, "the agent went on: there was no second attempt");
      assert.match(
        bench.log(),
        /no sign of progress for \d+ s; it is asked to end[^]*did not end; it is killed/,
      );
      const last = await bench.pair();
      await bench.bothEnd(...[last.supervisor, last.watchdog].filter((pid) => pid !== null));
    });
  });

  test("L8 P4 a supervisor is brought back although the folder it was started in is gone; a broken configuration concerns the runs of its folder, which say so", async () => {
    await withDog(600_000, async (bench) => {
      const [start, other] = [path.join(bench.root, "start"), path.join(bench.root, "other")];
      for (const folder of [start, other]) mkdirSync(folder);
      const own = path.join(bench.home, "holdfast.yaml");
      writeFileSync(own, readFileSync(own, "utf8").replace("1500", "9000"));
      writeFileSync(path.join(start, "holdfast.yaml"), "lease: { ms: 77 }\n");
      const bound =
        "agents: { dev: { use: demo, script: ./agent.json } }\ndrift: { when: always, everyMs: 500 }\n";
      writeFileSync(path.join(other, "holdfast.yaml"), bound);
      writeFileSync(path.join(other, "agent.json"), JSON.stringify({ attempts: [AGENT_ACTS] }));
      assert.equal((await bench.call(["up", "--detach"], { cwd: start, env: ON })).code, 0);
      const words = ["run", "g", "--detach", "--id", "o", "--agent", "dev"];
      assert.equal((await bench.call(words, { cwd: other, env: ON })).code, 0);
      await bench.receives("o", "part 1");
      const first = await bench.both();
      rmSync(start, { recursive: true });
      writeFileSync(path.join(other, "holdfast.yaml"), "drift: [\n");
      process.kill(first.supervisor, "SIGKILL");
      await bench.until(
        "came back",
        ({ supervisor }) => supervisor !== null && supervisor !== first.supervisor,
      );
      await bench.receives("o", "is not YAML");
      const { bindings } = await bench.json<{ bindings: { kind: string; text: string; command: string }[] }>([
        "status",
        "o",
      ]);
      assert.deepEqual(
        bindings.map(({ kind, command }) => [kind, command]),
        [["unreadable", `holdfast validate ${path.join(other, "holdfast.yaml")}`]],
      );
      assert.match(bindings[0]?.text ?? "", /cannot be read, so the run continues as it was started: /);
      writeFileSync(path.join(other, "go"), "");
      await bench.reaches("o", "completed");
      const kept = readFileSync(path.join(bench.home, "supervisor.settings.json"), "utf8");
      const settings = hostConfigSchema.parse(JSON.parse(kept));
      assert.deepEqual([settings.supervisor.idleExitMs, settings.watchdog.lookMs], [9_000, 200]);
      assert.equal(settings.lease.ms, 900, "not what the folder says in which it was started");
      assert.equal((await bench.call(["down"])).code, 0);
    });
  });

  test("L8 down ends both, although the sibling would bring a supervisor back", async () => {
    await withDog(600_000, async (bench) => {
      await bench.detached("--id", "r", "--agent", "demo:./agent.json");
      const { supervisor, watchdog } = await bench.both();
      const down = await bench.json<{ state: string; pid: number }>(["down"]);
      assert.deepEqual(down, { state: "ended", pid: supervisor });
      await bench.bothEnd(supervisor, watchdog);
      bench.write("go", "");
      assert.equal((await bench.call(["up", "--detach"])).code, 0);
      await bench.reaches("r", "completed");
      const { watchdog: none } = await bench.pair();
      assert.equal(none, null, "where it is switched off there is no sibling");
    });
  });

  test("L8 down ends a supervisor that is stopped, and starts no other", async () => {
    // The sibling would end it much later.
    await withDog(600_000, async (bench) => {
      await bench.detached("--id", "r", "--agent", "demo:./agent.json");
      const { supervisor, watchdog } = await bench.both();
      process.kill(supervisor, "SIGSTOP");
      assert.equal((await bench.call(["down"])).code, 0);
      await bench.bothEnd(supervisor, watchdog);
      assert.doesNotMatch(bench.log(), /supervisor \(pid \d+\) is gone; another one is started/);
    });
  });

  test("L8 down ends a supervisor that was stopped in the middle of a write to the store", async () => {
    await withDog(600_000, async (bench) => {
      await bench.detached("--id", "r", "--agent", "demo:./agent.json");
      const { supervisor, watchdog } = await bench.both();
      await stopAtWrite(bench.store, supervisor);
      const down = await bench.json<{ state: string; pid: number }>(["down"]);
      assert.deepEqual(down, { state: "ended", pid: supervisor });
      await bench.bothEnd(supervisor, watchdog);
      assert.doesNotMatch(bench.log(), /supervisor \(pid \d+\) is gone; another one is started/);
    });
  });

  test("L8 a supervisor that was stopped in the middle of a write to the store is ended by its sibling and replaced", async () => {
    await withDog(3_000, async (bench) => {
      await bench.detached("--id", "r", "--agent", "demo:./agent.json");
      const { supervisor } = await bench.both();
      await stopAtWrite(bench.store, supervisor);
      await bench.until("was replaced", (now) => now.supervisor !== null && now.supervisor !== supervisor);
      assert.equal(isAlive(supervisor), false, "the stopped one is gone");
      bench.write("go", "");
      await bench.reaches("r", "completed");
      const last = await bench.pair();
      await bench.bothEnd(...[last.supervisor, last.watchdog].filter((pid) => pid !== null));
    });
  });
});

/** It beats several times a second: stopped often enough, it is met with the lock of the store in its hands. */
async function stopAtWrite(store: string, pid: number): Promise<void> {
  const isStopped = (): boolean => {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, "latin1");
    return /^[Tt]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  };
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await delay(1)) {
    process.kill(pid, "SIGSTOP");
    while (!isStopped());
    if (lockHolder(store)?.pid === pid) return;
    process.kill(pid, "SIGCONT");
  }
  throw new Error("the supervisor was never met in the middle of a write");
}
