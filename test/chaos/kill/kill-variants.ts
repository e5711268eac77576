import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DiedWith } from "../../../src/model/events/died-with.ts";
import { storeFolder } from "../../kill/store-folder.ts";

/** One more way in which the world treats supervisors badly while they are killed. */
export interface Variant {
  /** Why it cannot be played here; null where it can. */
  readonly missing: () => string | null;
  /** So many supervisors are at work on one run at once. */
  readonly atOnce: number;
  /** Words before the program's own, and its environment. The last start of a run is `calm`. */
  readonly start: (order: Start) => { readonly within?: readonly string[]; readonly env?: Env };
  /** What agents die with here, other than by themselves: then they are not charged for what they would have done. */
  readonly excused?: readonly DiedWith[];
  /** A supervisor is stopped for a while before it is killed, or woken instead. */
  readonly stop?: (chance: Chance) => { readonly ms: number; readonly wakes: boolean };
  /** Makes a run's folder ready, and troubles it until it is asked to stop. */
  readonly trouble?: (folder: string, chance: Chance) => () => Promise<void>;
}

type Chance = () => number;
type Env = Record<string, string>;

interface Start {
  /** Which of those at work at once. */
  readonly place: number;
  readonly chance: Chance;
  readonly calm: boolean;
}

/** Long enough that a busy machine does not make a living supervisor look silent all the time. */
const LEASE_MS = 3_000;
const LEASE_ENV = "HOLDFAST_KILL_LEASE_MS";
const lease = { [LEASE_ENV]: String(LEASE_MS) };

const may = (words: readonly string[]): string | null => {
  const [command = "", ...rest] = words;
  const tried = spawnSync(command, [...rest, "true"], { encoding: "utf8" });
  return tried.status === 0
    ? null
    : `${words.join(" ")} is refused: ${tried.error?.message ?? tried.stderr.trim()}`;
};

const IN_SPACE = ["unshare", "-p", "-f", "--mount-proc", "--kill-child=SIGKILL"];
const NAMED = (name: string): string[] => [
  ...["unshare", "-u", "sh", "-c", 'hostname "$0" && exec "$@"'],
  name,
];

/**
 * The file of Debian's package, regardless of the machine, or one that is named. `scripts/system-parts.mjs` brings it.
 */
const FAKETIME = [
  process.env["HOLDFAST_FAKETIME"] ?? "",
  ...(existsSync("/usr/lib") ? readdirSync("/usr/lib") : []).map((kind) =>
    join("/usr/lib", kind, "faketime", "libfaketime.so.1"),
  ),
].find((file) => file !== "" && existsSync(file));
const OFFSETS = ["+0", "+1h", "+1d", "-1d"];
/** After all the others: whatever was put off until a time of day is due then. */
const LAST_OFFSET = "+3d";

const DISK_BYTES = 12 * 2 ** 20;
const DESCRIPTORS = { min: 20, spread: 16 };

const pick = <T>(list: readonly T[], chance: Chance): T | undefined =>
  list[Math.floor(chance() * list.length)];

export const VARIANTS: Readonly<Record<string, Variant>> = {
  plain: { missing: () => null, atOnce: 1, start: () => ({}) },
  "pid-namespaces": {
    missing: () => may(IN_SPACE),
    atOnce: 2,
    // The one that kills the first process of a container kills the agents in it.
    excused: ["container", "supervisor"],
    start: () => ({ within: IN_SPACE, env: lease }),
  },
  "two-hosts": {
    missing: () => may(NAMED("storm-0")),
    atOnce: 2,
    start: ({ place }) => ({ within: NAMED(`storm-${String(place)}`), env: lease }),
  },
  sigstop: {
    missing: () => null,
    atOnce: 2,
    start: () => ({ env: lease }),
    stop: (chance) => ({ ms: chance() < 0.5 ? LEASE_MS * 1.4 : 200, wakes: chance() < 0.4 }),
  },
  clock: {
    missing: () =>
      FAKETIME === undefined
        ? "libfaketime is not installed (apt install libfaketime, or name its file in HOLDFAST_FAKETIME)"
        : null,
    atOnce: 1,
    start: ({ chance, calm }) => ({
      env: {
        LD_PRELOAD: FAKETIME ?? "",
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
        FAKETIME: calm ? LAST_OFFSET : (pick(OFFSETS, chance) ?? "+0"),
      },
    }),
  },
  "disk-full": {
    missing: () => may(["unshare", "-m"]),
    atOnce: 1,
    excused: ["disk"],
    start: () => ({}),
    trouble: fillDisk,
  },
  descriptors: {
    missing: () => may(["prlimit", "--nofile=64"]),
    atOnce: 1,
    start: ({ chance, calm }) => {
      const most = DESCRIPTORS.min + Math.floor(chance() * DESCRIPTORS.spread);
      return calm ? {} : { within: ["prlimit", `--nofile=${String(most)}:${String(most)}`] };
    },
  },
};

/** A disk of its own for the store, filled to the last byte now and then. Needs a mount namespace around it all. */
function fillDisk(folder: string, chance: Chance): () => Promise<void> {
  const disk = storeFolder(folder, { make: true });
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${String(DISK_BYTES)}`, "tmpfs", disk]);
  if (mounted.status !== 0) throw new Error(`no disk could be mounted: ${String(mounted.stderr)}`);
  const filler = join(disk, "filler");
  let goOn = true;
  const filling = (async () => {
    while (goOn) {
      await pause(200 + chance() * 1_500);
      fill(filler);
      await pause(100 + chance() * 600);
      rmSync(filler, { force: true });
    }
  })();
  return async () => {
    goOn = false;
    await filling;
  };
}

function fill(file: string): void {
  try {
    writeFileSync(file, Buffer.alloc(DISK_BYTES));
  } catch {
    // As full as it can be.
  }
}

/** Frees a run's folder of the disk in it, and removes it. */
export function removeRun(folder: string): void {
  const disk = storeFolder(folder);
  if (disk !== folder) spawnSync("umount", ["-l", disk]);
  rmSync(folder, { recursive: true, force: true });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
