import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

const MACHINE_FILES = ["/etc/machine-id", "/var/lib/dbus/machine-id"];
const MACHINE_ID = /^[0-9a-f]{32}$/;
const MACHINE_CHARS = 12;

let machine: { readonly id: string | undefined } | undefined;

/**
 * This machine, as its system names it: a short digest, since the id itself is meant to stay on the machine. Containers
 * often have none.
 */
export function machineId(): string | undefined {
  machine ??= { id: readMachineId() };
  return machine.id;
}

function readMachineId(): string | undefined {
  for (const file of MACHINE_FILES) {
    const id = readIfThere(file)?.trim();
    if (id !== undefined && MACHINE_ID.test(id))
      return createHash("sha256").update(`holdfast ${id}`).digest("hex").slice(0, MACHINE_CHARS);
  }
  return undefined;
}

let space: { readonly name: string | undefined } | undefined;

/**
 * The PID namespace in which this process sees others; it never changes. Empty where Linux does not show it, so that
 * nobody compares pids that may be of another; undefined where the system has no such thing.
 */
export function ownSpace(): string | undefined {
  space ??= { name: process.platform === "linux" ? (linkIfThere("/proc/self/ns/pid") ?? "") : undefined };
  return space.name;
}

let boot: string | undefined;

/** This start of the machine; empty where the system does not name it. */
export const bootId = (): string => (boot ??= readIfThere("/proc/sys/kernel/random/boot_id")?.trim() ?? "");

let clock: string | undefined;

/**
 * The name of the clock by which `process.hrtime` counts: one per start of the machine and time namespace. Where the
 * system names no start it is the host's: a time noted before a start then lies in the future, or is at least as old as
 * it looks.
 */
export const steadyClock = (): string =>
  (clock ??= [bootId() || `${hostname()}~${machineId() ?? ""}`, linkIfThere("/proc/self/ns/time") ?? ""].join(
    "/",
  ));

let shows: boolean | undefined;

/** Whether /proc shows the processes of this namespace: a namespace that was made without one shows its parent's. */
export const procIsOurs = (): boolean => (shows ??= linkIfThere("/proc/self") === String(process.pid));

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function linkIfThere(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}
