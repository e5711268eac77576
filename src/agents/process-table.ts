import { spawnSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { bootId, procIsOurs } from "./host-identity.ts";

/** What the operating system says about one process at one instant. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Its session (setsid): children that leave the group usually stay in it. 0 where the system does not show. */
  readonly session: number;
  readonly startedAt: string;
  /** Ended, and only waiting to be collected by its parent: it runs nothing any more. */
  readonly zombie: boolean;
}

/** `undefined`: there is no such process. `"unknown"`: the probe itself failed, so nothing was learnt. */
export type ProcessReading = ProcessRow | undefined | "unknown";

const PS_LIMIT_MS = 5_000;
const onLinux = process.platform === "linux";

export function readProcess(pid: number): ProcessReading {
  // To `kill`, 0 and negative numbers mean whole groups.
  if (!(pid > 0)) return "unknown";
  const reading = onLinux ? (procIsOurs() ? readFromProc(String(pid)) : undefined) : readFromPs(pid);
  // A /proc of another namespace shows nothing of this one, and one that hides other people's processes (hidepid) looks
  // like absence; only the kernel's own word is a death.
  return reading ?? (existsByKill(pid) ? "unknown" : undefined);
}

/** This process, also where /proc shows another namespace: there it has another pid. */
export function readOwnProcess(): ProcessRow | undefined {
  const reading = onLinux ? readFromProc("self") : readFromPs(process.pid);
  return typeof reading === "object" ? reading : undefined;
}

/** Every process that can be seen, or `"unknown"` if the table could not be read. */
export function readAllProcesses(): readonly ProcessRow[] | "unknown" {
  if (!onLinux) return readAllFromPs();
  if (!procIsOurs()) return "unknown";
  try {
    const pids = readdirSync("/proc").filter((name) => /^[1-9]\d*$/.test(name));
    return pids.map((name) => readFromProc(name)).filter((row) => typeof row === "object");
  } catch {
    return "unknown";
  }
}

function existsByKill(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

function readFromProc(name: string): ProcessReading {
  // Without the boot the same ticks may be another process.
  if (bootId() === "") return "unknown";
  try {
    return parseProcStat(statOf(name), bootId());
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" || code === "ESRCH" ? undefined : "unknown";
  }
}

/** One line of at most a few hundred characters, which the kernel gives whole. Used again for each process. */
const line = Buffer.alloc(4_096);

function statOf(name: string): string {
  const file = openSync(`/proc/${name}/stat`, "r");
  try {
    return line.toString("latin1", 0, readSync(file, line, 0, line.length, 0));
  } finally {
    closeSync(file);
  }
}

/** A process names itself, so its name may hold spaces, parentheses and digits: the fields begin after the last `)`. */
export function parseProcStat(text: string, boot: string): ProcessRow | "unknown" {
  const fields = text
    .slice(text.lastIndexOf(")") + 1)
    .trim()
    .split(/\s+/);
  const [state, parent, group, session] = fields;
  const ticks = fields[19];
  if (state === undefined || ticks === undefined || !/^\d+$/.test(ticks)) return "unknown";
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    // Ticks count from boot, so without the boot they could match a stranger after a restart of the machine.
    startedAt: `${boot}:${ticks}`,
    zombie: state === "Z" || state === "X" || state === "x",
  };
}

const PS_COLUMNS = ["-o", "pid=,ppid=,pgid=,stat=,lstart="];

function readFromPs(pid: number): ProcessReading {
  const rows = runPs([...PS_COLUMNS, "-p", String(pid)]);
  return rows === "unknown" ? "unknown" : rows.find((row) => row.pid === pid);
}

const readAllFromPs = (): readonly ProcessRow[] | "unknown" => runPs(["-A", ...PS_COLUMNS]);

function runPs(args: readonly string[]): readonly ProcessRow[] | "unknown" {
  const ps = spawnSync("ps", args, {
    encoding: "latin1",
    timeout: PS_LIMIT_MS,
    // `lstart` is written in words and local time: pinned, so that one process always reads the same.
    env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (ps.error !== undefined || ps.status === null || (ps.status !== 0 && ps.stdout !== "")) return "unknown";
  return ps.stdout
    .split("\n")
    .map(parsePsLine)
    .filter((row) => row !== undefined);
}

export function parsePsLine(line: string): ProcessRow | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*\S)\s*$/.exec(line);
  if (match === null) return undefined;
  const [, pid, parent, group, state = "", startedAt = ""] = match;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: 0,
    startedAt: startedAt.replaceAll(/\s+/g, " "),
    zombie: state.startsWith("Z"),
  };
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;
