import { takenBy } from "../../../src/decide/fleet/placement.ts";
import { memoryDisk, type MemoryDisk } from "../../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import type { Config } from "../../../src/model/settings/config.ts";
import { hostSettingsSchema } from "../../../src/model/settings/settings.ts";
import type { World } from "../../../src/model/world.ts";
import { Watchdog } from "../../../src/runtime/supervisor/watchdog.ts";
import { SimTime } from "../../../sim/world/sim-time.ts";
import { bench, step, type Bench } from "../../runtime/worked-run.ts";
import { HOUR, MINUTE, SECOND } from "../life.ts";
import { supervisorAddress } from "../../../src/runtime/supervisor/lost-hosts.ts";
import { prove } from "../proof.ts";

const HOST = "alpha";
const SELF = { host: HOST, pid: 1, startedAt: "1" };

/** A process on a machine whose time is simulated; of others it cannot tell whether they live, unless it is told. */
function worldOf(time: SimTime, pid: number, liveness: ReturnType<World["liveness"]>): World {
  let ids = 0;
  return {
    self: { host: HOST, pid, startedAt: String(pid) },
    now: () => time.now,
    chance: () => 0.5,
    id: (prefix) => `${prefix}_${String(pid)}_${String((ids += 1))}`,
    timer: (delayMs, fire) => time.schedule(delayMs, fire),
    liveness: () => liveness,
    crashPoint: () => undefined,
  };
}

interface Machine {
  readonly time: SimTime;
  readonly disk: MemoryDisk;
  process(
    pid: number,
    liveness?: ReturnType<World["liveness"]>,
    change?: (journal: Journal) => Journal,
  ): Bench;
}

/** Processes that run by the configuration, on one store. */
function machine(config: Config): Machine {
  const time = new SimTime();
  const disk = memoryDisk();
  return {
    time,
    disk,
    process(pid, liveness = "unknown", change = (journal) => journal) {
      const world = worldOf(time, pid, liveness);
      const host = hostSettingsSchema.strip().parse(config);
      // It works until it is asked to end.
      const endless = ({ signal }: { signal: AbortSignal }): Promise<void> =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            resolve();
          });
        });
      return bench({ endless }, { world, host, journal: change(memoryJournal({ world, disk })) });
    },
  };
}

/** Lets a supervisor work for a while. */
async function supervised(on: Machine, view: Bench, ms: number): Promise<{ run: string; afterMs: number }[]> {
  const began = on.time.now;
  const taken: { run: string; afterMs: number }[] = [];
  const supervisor = view.supervisor({
    onTaken: (run) => taken.push({ run, afterMs: on.time.now - began }),
  });
  const working = supervisor.work();
  await on.time.run(began + ms, () => false);
  supervisor.stop();
  await on.time.run(on.time.now + MINUTE, () => false);
  await working;
  await view.close();
  return taken;
}

/** A supervisor that holds its lease and makes no progress, though its process lives: what its sibling does, and when. */
async function watched(config: Config): Promise<{ what: string; at: number }[]> {
  const on = machine(config);
  const stuck = on.process(1, "alive");
  await stuck.leases.take(supervisorAddress(SELF));
  const began = on.time.now;
  const done: { what: string; at: number }[] = [];
  const noted = (what: string) => done.push({ what, at: on.time.now - began });
  const view = on.process(2, "alive", (journal) => ({
    ...journal,
    lease: (address) => {
      if (address === supervisorAddress(SELF)) noted("look");
      return journal.lease(address);
    },
  }));
  const watchdog = new Watchdog(view.ports, view.leases, {
    hands: { end: (_, how) => noted(how), start: () => noted("start") },
    say: () => undefined,
    isService: false,
    isStoreThere: () => true,
    holdsStore: () => false,
  });
  const working = watchdog.work();
  await on.time.run(began + HOUR, () => false);
  watchdog.stop();
  await on.time.run(on.time.now + 2 * MINUTE, () => false);
  await working;
  for (const one of [stuck, view]) await one.close();
  return done;
}

const firstAt = (done: readonly { what: string; at: number }[], what: string): number =>
  done.find((one) => one.what === what)?.at ?? NaN;

export const HOST_PROOFS = [
  prove(
    "limits.runsAtOnce",
    [1, 2],
    async (config) => {
      const on = machine(config);
      const view = on.process(1);
      for (const id of ["run_1", "run_2", "run_3"]) {
        const { run, epoch } = await view.create([step("work", "endless")], {}, id);
        await view.leases.release(run, epoch);
      }
      return (await supervised(on, view, MINUTE)).length;
    },
    [1, 2],
  ),
  prove(
    "host.labels",
    [[], ["gpu"]],
    (config) =>
      Promise.resolve(takenBy(['{"labels":["gpu"]}'], { id: "host_a", name: "a", ...config.host }).length),
    [0, 1],
  ),
  prove(
    "lease.ms",
    [10 * SECOND, 40 * SECOND],
    async (config) => {
      const on = machine(config);
      // Its creator holds it, and gives no sign of life.
      const silent = on.process(1);
      await silent.create([step("work", "endless")], {}, "run_1");
      return (await supervised(on, on.process(2), 10 * MINUTE))[0]?.afterMs;
    },
    [10 * SECOND, 40 * SECOND],
  ),
  prove(
    "supervisor.scanMs",
    [SECOND, 10 * SECOND],
    async (config) => {
      const on = machine(config);
      let scans = 0;
      const view = on.process(1, "unknown", (journal) => ({
        ...journal,
        addressesWithMail: () => {
          scans += 1;
          return journal.addressesWithMail();
        },
      }));
      await supervised(on, view, MINUTE - 1);
      return scans;
    },
    [60, 6],
  ),
  prove(
    "watchdog.lookMs",
    [10 * SECOND, MINUTE],
    async (config) => {
      const [first, second] = (await watched(config)).filter(({ what }) => what === "look");
      return (second?.at ?? NaN) - (first?.at ?? NaN);
    },
    [10 * SECOND, MINUTE],
  ),
  prove(
    "watchdog.silentMs",
    [5 * MINUTE, 10 * MINUTE],
    async (config) => firstAt(await watched(config), "asked"),
    [5 * MINUTE, 10 * MINUTE],
  ),
  prove(
    "watchdog.graceMs",
    [10 * SECOND, 40 * SECOND],
    async (config) => {
      const done = await watched(config);
      return firstAt(done, "firmly") - firstAt(done, "asked");
    },
    [10 * SECOND, 40 * SECOND],
  ),
];
