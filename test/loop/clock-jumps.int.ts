import assert from "node:assert/strict";
import { test } from "node:test";
import { seededChance } from "../../sim/world/seeded-chance.ts";
import { memoryDisk } from "../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../src/journal/memory/memory-journal.ts";
import type { Run } from "../../src/loop/workflow-function.ts";
import { Holdfast } from "../../src/loop/holdfast.ts";
import type { World } from "../../src/model/world.ts";
import { realWorld } from "../../src/real-world.ts";
import { Leases } from "../../src/runtime/leases.ts";

const T0 = Date.UTC(2026, 2, 1);
const MINUTE = 60_000;
const JUMPS = [3_600_000, 86_400_000, -86_400_000, -600_000, 60_000] as const;
const LEASE_MS = 30_000;

/** A machine whose time passes when the test lets it, and whose wall clock is set as the test likes. */
class Machine {
  ranMs = 0;
  setBy = 0;
  readonly disk = memoryDisk();
  #timers: { readonly at: number; readonly fire: () => void }[] = [];

  /** The next process on it: what waited in the one before is gone with that. */
  start(number: number): { readonly world: World; readonly hf: Holdfast } {
    this.#timers = [];
    const self = { host: "h", pid: number, startedAt: `boot:${String(number)}` };
    const world: World = {
      ...realWorld(),
      self,
      // What is drawn for a wait between tries: the wait is as long as it was named.
      chance: () => 0,
      now: () => T0 + this.ranMs + this.setBy,
      steady: () => ({ clock: "boot", ms: this.ranMs }),
      clock: () => ({ boot: "boot", at: world.now(), runMs: this.ranMs, upMs: this.ranMs }),
      liveness: (of) => (of.pid === number ? "alive" : "gone"),
      timer: (delayMs, fire) => {
        const timer = { at: this.ranMs + Math.max(delayMs, 0), fire };
        this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((one) => one !== timer);
        };
      },
    };
    const journal = memoryJournal({ world, disk: this.disk });
    const leases = new Leases(journal, world, LEASE_MS);
    const close = (): Promise<void> => journal.close();
    return { world, hf: new Holdfast({ journal, world, leases, leaseMs: LEASE_MS, limits: {}, close }) };
  }

  /** Lets so much time pass; whatever is due on the way happens when it is. */
  async pass(ms: number): Promise<void> {
    const end = this.ranMs + ms;
    for (;;) {
      await settled();
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.ranMs = Math.max(this.ranMs, next.at);
      next.fire();
    }
    this.ranMs = end;
  }
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

interface Ends {
  slept: number | null;
  timedOut: number | null;
  retried: number | null;
}

const SLEEP_MS = 30 * MINUTE;
const WAIT_MS = 10 * MINUTE;
const RETRY_MS = 20 * MINUTE;

/** A sleep, a wait that nobody ends and a pause between tries: when each of them was over, by the machine's own time. */
function program(machine: Machine, ends: Ends, fails: { left: number }) {
  return async (run: Run): Promise<number> => {
    const drawn = run.now();
    await run.sleep(SLEEP_MS);
    ends.slept ??= machine.ranMs;
    await run.waitFor("nobody", { timeout: WAIT_MS });
    ends.timedOut ??= machine.ranMs;
    await run.step(
      "tries",
      () => {
        fails.left -= 1;
        if (fails.left >= 0) throw new Error("not yet");
        return null;
      },
      { retries: { attempts: 3, backoff: RETRY_MS } },
    );
    ends.retried ??= machine.ranMs;
    return drawn;
  };
}

test("J1 P2 sleeps, timeouts and waits between tries of the library last as long as they were to, across deaths of the process and jumps of the clock", async () => {
  for (let seed = 1; seed <= 6; seed += 1) {
    const chance = seededChance(seed);
    const machine = new Machine();
    const ends: Ends = { slept: null, timedOut: null, retried: null };
    const workflow = program(machine, ends, { left: 1 });
    let result: number | undefined;
    for (let life = 1; result === undefined && life < 60; life += 1) {
      const { hf } = machine.start(life);
      hf.run("r", workflow).then(
        (value) => (result = value),
        () => undefined,
      );
      const lives = 1 + Math.floor(chance() * 3);
      for (let part = 0; part < lives && result === undefined; part += 1) {
        await machine.pass(Math.round(chance() * 4 * MINUTE));
        if (chance() < 0.5) machine.setBy += JUMPS[Math.floor(chance() * JUMPS.length)] ?? 0;
      }
      await settled();
    }
    assert.equal(result, T0, `seed ${String(seed)}: what was drawn stays`);
    const { slept, timedOut, retried } = ends;
    assert.ok(slept !== null && timedOut !== null && retried !== null);
    // Each may be seen late by what passes in one life, and never early.
    for (const [what, lasted, meant] of [
      ["sleep", slept, SLEEP_MS],
      ["wait", timedOut - slept, WAIT_MS],
      ["retry", retried - timedOut, RETRY_MS],
    ] as const) {
      assert.ok(lasted >= meant - 1, `seed ${String(seed)}: ${what} ended early: ${String(lasted)}`);
      assert.ok(lasted <= meant + 1, `seed ${String(seed)}: ${what} ended late: ${String(lasted)}`);
    }
  }
});
