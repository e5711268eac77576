import { link, open, rm } from "node:fs/promises";
import { plainText, RECORD_BYTES_MAX } from "../files/plain-file.ts";
import type { ProcessIdentity, World } from "../model/world.ts";

/** Who holds a lock: a process, and this one time that it held it. */
interface Holder extends ProcessIdentity {
  readonly nonce: string;
}

const POLL_MS = 20;
const WAIT_MS = 10_000;
/** Each level stands for a process that died in the moment of removing a dead one's lock. */
const DEPTH_MAX = 4;

export type Locked<T> =
  { readonly kind: "done"; readonly value: T } | { readonly kind: "locked"; readonly text: string };

/**
 * Does something while no other process does it under the same lock.
 *
 * On disk: a file that names its holder, complete from the instant it is there (it is linked into place).
 * 1. A holder removes its own lock, and nobody removes a lock whose holder may live.
 * 2. The lock of a holder that is gone is removed by the one that holds the lock _on removing just that one_, after
 *    another look: so nobody removes the lock that a third has taken meanwhile. That lock is of the same kind, in case
 *    its holder dies too.
 */
export async function withLock<T>(world: World, file: string, act: () => Promise<T>): Promise<Locked<T>> {
  return hold(world, { file, depth: 0, deadline: world.now() + WAIT_MS }, act);
}

interface Lock {
  readonly file: string;
  readonly depth: number;
  readonly deadline: number;
}

async function hold<T>(world: World, lock: Lock, act: () => Promise<T>): Promise<Locked<T>> {
  const nonce = world.id("lock");
  for (;;) {
    if (await take(lock.file, { ...world.self, nonce })) break;
    const holder = await readHolder(lock.file);
    if (holder === "none") continue;
    if (world.now() > lock.deadline) return { kind: "locked", text: describe(lock.file, holder) };
    if (holder !== "unreadable" && world.liveness(holder) === "gone" && lock.depth < DEPTH_MAX)
      await removeDead(world, lock, holder);
    else await pause(world);
  }
  try {
    return { kind: "done", value: await act() };
  } finally {
    await rm(lock.file, { force: true });
  }
}

async function removeDead(world: World, { file, depth, deadline }: Lock, dead: Holder): Promise<void> {
  const removing = { file: `${file}.${dead.nonce}`, depth: depth + 1, deadline };
  await hold(world, removing, async () => {
    const now = await readHolder(file);
    if (typeof now === "object" && now.nonce === dead.nonce) await rm(file, { force: true });
  });
}

async function take(file: string, holder: Holder): Promise<boolean> {
  const draft = `${file}.${holder.nonce}.draft`;
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(JSON.stringify(holder));
      // A lock that a power failure left empty would name nobody who could be seen to be gone.
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function readHolder(file: string): Promise<Holder | "none" | "unreadable"> {
  try {
    const text = plainText(file, { bytesMax: RECORD_BYTES_MAX });
    if (text === undefined) return "none";
    const found = JSON.parse(text) as Partial<Holder> | null;
    const { host, pid, startedAt, nonce, space, machine } = found ?? {};
    const whole = typeof host === "string" && typeof pid === "number" && typeof startedAt === "string";
    if (!whole || typeof nonce !== "string" || !/^[a-z0-9_]+$/.test(nonce)) return "unreadable";
    // A holder of a version that did not note its namespace has none that can be compared.
    return { host, pid, startedAt, nonce, space: space ?? "", ...(machine === undefined ? {} : { machine }) };
  } catch {
    return "unreadable";
  }
}

const describe = (file: string, holder: Holder | "unreadable"): string =>
  holder === "unreadable"
    ? `${file} is no lock that can be read; remove it`
    : `${file} is held by process ${String(holder.pid)} on ${holder.host}; if that is gone, remove the file`;

const pause = (world: World): Promise<void> =>
  new Promise((resolve) => {
    world.timer(POLL_MS, resolve);
  });
