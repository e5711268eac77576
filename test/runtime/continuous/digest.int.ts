import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { mortalWorld, type Shared } from "../../../sim/continuous/mortal-world.ts";
import { SimChildren } from "../../../sim/continuous/sim-children.ts";
import { orderOf } from "../../../sim/continuous/play-session.ts";
import { seededChance } from "../../../sim/world/seeded-chance.ts";
import { memoryDisk } from "../../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import { continuousSpecSchema, goalSchema } from "../../../src/model/continuous/continuous-spec.ts";
import type { ContinuousState } from "../../../src/model/continuous/continuous-state.ts";
import { hostSettingsSchema } from "../../../src/model/settings/settings.ts";
import { channelNotifier } from "../../../src/notify/channel-notifier.ts";
import { realWorld } from "../../../src/real-world.ts";
import { ContinuousSessions } from "../../../src/runtime/continuous/continuous-sessions.ts";
import { ContinuousSwitch } from "../../../src/runtime/continuous/continuous-switch.ts";
import { Leases } from "../../../src/runtime/leases.ts";
import type { Ports } from "../../../src/runtime/ports.ts";

const NAME = "night";
const NOON = Date.UTC(2026, 10, 17, 12);
const DAY_MS = 86_400_000;
const ROUNDS_MAX = 600;
/** The day so many days after the session begins. */
const dayAfter = (days: number): string => new Date(NOON + days * DAY_MS).toISOString().slice(0, 10);
const SETTINGS = hostSettingsSchema.parse({});

/** A session on a disk in memory and a clock of its own, with real channels. */
class Night {
  readonly folder = mkdtempSync(path.join(tmpdir(), "holdfast-digest-"));
  readonly #disk = memoryDisk();
  readonly #shared: Shared = {
    ...{ now: NOON, chance: seededChance(7), deathChance: 0, dead: new Set(), processes: 0, deaths: 0 },
  };
  readonly #channels: "two" | "slow";
  readonly #outside = mortalWorld(this.#shared, false);
  readonly #journal = memoryJournal({ world: this.#outside, disk: this.#disk });
  readonly #children = new SimChildren(this.#journal, this.#outside);
  readonly people = new ContinuousSwitch(
    { journal: this.#journal, world: this.#outside },
    new Leases(this.#journal, this.#outside, SETTINGS.lease.ms),
  );
  readonly #hosts = [this.#newProcess()];

  constructor(channels: "two" | "slow" = "two") {
    this.#channels = channels;
  }

  #newProcess(): Pick<ContinuousSessions, "look"> {
    const world = mortalWorld(this.#shared, true);
    const journal = memoryJournal({ world, disk: this.#disk });
    const goals = ["works", "asks", "works"].map((agent, at) =>
      goalSchema.parse({ id: `g${String(at)}`, goal: "x", agent }),
    );
    const notifier = channelNotifier({ world: realWorld(), env: process.env });
    // Of the ports a session needs these alone.
    const ports = {
      world,
      journal,
      notifier,
      settings: SETTINGS,
      goals: {
        read: () => Promise.resolve({ goals, problems: [] }),
        order: (_: unknown, goal: (typeof goals)[number]) => Promise.resolve(orderOf(goal)),
      },
    } as unknown as Ports;
    const leases = new Leases(journal, world, SETTINGS.lease.ms);
    const sessions = new ContinuousSessions(ports, leases);
    return {
      look: async () => {
        await leases.beat();
        return sessions.look();
      },
    };
  }

  /** How often the session's journal holds an event of the type. */
  async recorded(type: string): Promise<number> {
    const events = await this.#journal.read(`continuous:${NAME}`, { after: 0, limit: 10_000 });
    return events.filter((event) => event.type === type).length;
  }

  async begin(): Promise<void> {
    const channel = (command: string) => ({
      use: "command",
      command: ["sh", "-c", command],
      limitMs: 30_000,
    });
    const spec = continuousSpecSchema.parse({
      intake: { kind: "file", path: "/goals" },
      cwd: this.folder,
      budget: { usd: 20 },
      notify: {
        channels:
          this.#channels === "slow"
            ? { desk: channel("sleep 0.2; tr -d '\\n' >> desk; echo >> desk") }
            : {
                desk: channel("tr -d '\\n' >> desk; echo >> desk"),
                late: channel("test -e open || exit 1; tr -d '\\n' >> late; echo >> late"),
              },
        ...{ tries: 5, retryMs: 1_000, retryCapMs: 1_000 },
      },
    });
    await this.people.ask(NAME, { kind: "begin", spec }, { by: "test" });
  }

  /** The process dies: what it remembers is gone. */
  restart(): void {
    this.#hosts.splice(0, 1, this.#newProcess());
  }

  /** Another host looks at the same store from now on. */
  join(): void {
    this.#hosts.push(this.#newProcess());
  }

  pass(ms: number): void {
    this.#shared.now += ms;
  }

  async until(what: string, holds: (state: ContinuousState) => boolean): Promise<ContinuousState> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      this.pass(2_000);
      // At the same moment, as hosts do.
      await Promise.all(this.#hosts.map((host) => host.look()));
      await this.#children.step();
      const state = await this.people.load(NAME);
      if (state !== null && holds(state)) return state;
      await delay(20);
    }
    throw new Error(`never ${what}`);
  }

  lines(file: string): Record<string, string>[] {
    const place = path.join(this.folder, file);
    if (!existsSync(place)) return [];
    const lines = readFileSync(place, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Record<string, string>);
  }
}

test("G14 the digest of a day is sent once by each channel, with what was done, spent, is blocked and left; a channel that fails is tried again, also by another process", async () => {
  const night = new Night();
  try {
    await night.begin();
    await night.until("blocked", ({ pause }) => pause?.why === "blocked");
    assert.deepEqual(night.lines("desk"), [], "the day is not over");
    night.pass(DAY_MS);
    await night.until(
      "tried",
      ({ digest: { open } }) => open.length === 1 && open[0]?.channel === "late" && open[0].tries > 0,
    );
    const [sent] = night.lines("desk");
    assert.deepEqual([sent?.["id"], sent?.["kind"]], ["night.digest.2026-11-17", "digest"]);
    const text = sent?.["text"] ?? "";
    assert.match(text, /done: 1 \(g0\)/);
    assert.match(text, /blocked: night\.g1\.1 \(needs_human: needs_human\); holdfast \w+ .*night\.g1\.1/);
    assert.match(text, /spent: \$\d+\.\d\d and \d+ tokens that day; \$\d+\.\d\d of \$20\.00 in all, 2 runs/);
    assert.match(text, /left: 2 \(g1, g2\)/);
    assert.match(sent?.["command"] ?? "", /^holdfast \w+ .*night\.g1\.1/);
    night.restart();
    writeFileSync(path.join(night.folder, "open"), "");
    await night.until("taken", ({ digest }) => digest.open.length === 0);
    for (let round = 0; round < 3; round += 1) await night.until("looked at", () => true);
    assert.deepEqual([night.lines("desk").length, night.lines("late").length], [1, 1]);
    assert.equal(night.lines("late")[0]?.["id"], sent?.["id"]);
    night.pass(DAY_MS);
    await night.until("the next", ({ digest }) => digest.day === "2026-11-19" && digest.open.length === 0);
    assert.deepEqual(
      night.lines("desk").map(({ id }) => id),
      ["night.digest.2026-11-17", "night.digest.2026-11-18"],
    );
    assert.match(night.lines("desk")[1]?.["text"] ?? "", /^done: nothing\n/);
  } finally {
    rmSync(night.folder, { recursive: true, force: true });
  }
});

test("G14 a stopped session sends no digest, and one that a channel never takes is named as undelivered", async () => {
  const night = new Night();
  try {
    await night.begin();
    await night.until("blocked", ({ pause }) => pause?.why === "blocked");
    await night.people.ask(NAME, { kind: "stop" }, { by: "test" });
    night.pass(3 * DAY_MS);
    for (let round = 0; round < 3; round += 1) await night.until("looked at", () => true);
    assert.deepEqual(night.lines("desk"), []);
    await night.people.ask(NAME, { kind: "resume" }, { by: "test" });
    const { digest } = await night.until("given up", (state) => state.digest.undelivered.length === 1);
    assert.deepEqual(
      digest.undelivered.map(({ channel }) => channel),
      ["late"],
    );
    assert.equal(night.lines("desk").length, 1, "days that were missed come once");
  } finally {
    rmSync(night.folder, { recursive: true, force: true });
  }
});

test("G14 F1 where several hosts share the store, each channel gets the digest of a day once, and its outcome is recorded once", async () => {
  const night = new Night("slow");
  try {
    night.join();
    night.join();
    await night.begin();
    await night.until("blocked", ({ pause }) => pause?.why === "blocked");
    for (let day = 1; day <= 3; day += 1) {
      night.pass(DAY_MS);
      await night.until("taken", ({ digest }) => digest.day === dayAfter(day) && digest.open.length === 0);
    }
    for (let round = 0; round < 5; round += 1) await night.until("looked at", () => true);
    assert.deepEqual(
      night.lines("desk").map(({ id }) => id),
      [0, 1, 2].map((day) => `night.digest.${dayAfter(day)}`),
    );
    assert.deepEqual(await night.recorded("DigestTried"), 3);
  } finally {
    rmSync(night.folder, { recursive: true, force: true });
  }
});
