import { readFileSync, statSync } from "node:fs";
import { commandText } from "../../model/text/command-text.ts";

/** The process that may write to a store now, and so keeps others from it. */
export interface LockHolder {
  readonly pid: number;
  /** As process identities have it: the boot's id and clock ticks. */
  readonly startedAt: string;
  readonly command: string;
  /** Stopped by a signal or a debugger: it holds the lock until it is continued or ended. */
  readonly stopped: boolean;
  /** When the process began. */
  readonly since: number;
}

/** Bytes of the file beside the store that stand for the right to write, to checkpoint and to recover (walformat). */
const LOCK_BYTES = { first: 120, last: 122 };
const TICKS_PER_SECOND = 100;
const COMMAND_CHARS_MAX = 120;

/**
 * Who holds the store's lock: null where nobody does, or nobody who can be seen from here. Only Linux reports who holds
 * a lock, and a container does not see processes outside of it.
 */
export function lockHolder(file: string): LockHolder | null {
  try {
    const { ino } = statSync(`${file}-shm`);
    const locks = readFileSync("/proc/locks", "latin1");
    for (const pid of holdersIn(locks, ino)) return processOf(pid);
    return null;
  } catch {
    // It has ended meanwhile, or this system has no such table: the one that waits is informed of what is known
    // otherwise.
    return null;
  }
}

/** Lines such as `1: POSIX  ADVISORY  WRITE 4711 fe:00:7620690 120 120`. */
export function holdersIn(locks: string, inode: number): number[] {
  return locks.split("\n").flatMap((line) => {
    const [, kind, , way, pid, place, from, to] = line.replace("->", "").trim().split(/\s+/);
    const isOurs = kind === "POSIX" && way === "WRITE" && place?.split(":")[2] === String(inode);
    const isLock = Number(from) <= LOCK_BYTES.last && Number(to) >= LOCK_BYTES.first;
    return isOurs && isLock && Number(pid) > 0 && !line.includes("->") ? [Number(pid)] : [];
  });
}

function processOf(pid: number): LockHolder {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", ticks = ""] = [fields[0], fields[19]];
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  const bootedAt = Number(/^btime (\d+)/m.exec(readFileSync("/proc/stat", "latin1"))?.[1]) * 1_000;
  return {
    pid,
    startedAt: `${boot}:${ticks}`,
    command: commandOf(pid),
    stopped: state === "T" || state === "t",
    since: bootedAt + (Number(ticks) / TICKS_PER_SECOND) * 1_000,
  };
}

function commandOf(pid: number): string {
  const words = readFileSync(`/proc/${String(pid)}/cmdline`, "utf8").split("\0");
  return words.join(" ").trim().slice(0, COMMAND_CHARS_MAX);
}

/** What a process that waits for the store says of who holds it. */
export function holderText(holder: LockHolder, file: string): string {
  const { pid, command, stopped, since } = holder;
  const who = `process ${String(pid)} (${command}), begun ${new Date(since).toISOString()}`;
  return stopped
    ? `${who}, holds the store's lock and is stopped; continue it (\`kill -CONT ${String(pid)}\`), or end it once its lease is over: ${endCommand(holder, file)}`
    : `${who}, holds the store's lock; wait for it, or end it once its lease is over: ${endCommand(holder, file)}`;
}

/** Names the start too: a pid alone may be another process by the time it is typed. */
const endCommand = ({ pid, startedAt }: LockHolder, file: string): string =>
  `\`${commandText(["unlock", "--end", `${String(pid)}@${startedAt}`], `sqlite:${file}`)}\``;
