import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { placeLost, type Liveness, type ProcessIdentity } from "../model/world.ts";
import { readProcess } from "./process-table.ts";

/** Who runs under this pid now: a pid alone is reused, a pid with its start time is not. */
export function identify(pid: number): ProcessIdentity | "gone" | "unknown" {
  // In a container this process itself may be the first.
  if (!isSignalable(pid) && pid !== process.pid) return "unknown";
  const reading = readProcess(pid);
  if (reading === "unknown") return "unknown";
  if (reading === undefined || reading.zombie) return "gone";
  const space = ownSpace();
  return { host: hostname(), pid, startedAt: reading.startedAt, ...(space === undefined ? {} : { space }) };
}

let known: { readonly space: string | undefined } | undefined;

/** The PID namespace in which this process sees others; it never changes. */
function ownSpace(): string | undefined {
  known ??= { space: readSpace() };
  return known.space;
}

function readSpace(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return undefined;
  }
}

/**
 * Of another host nothing can be said from here, nor of another PID namespace, whose pids mean other processes here;
 * and a probe that failed has seen no death.
 */
export function livenessOf(identity: ProcessIdentity): Liveness {
  if (identity.host !== hostname()) return "unknown";
  const self = identify(process.pid);
  if (typeof self === "object" && placeLost(self, identity) === "container") return "unknown";
  const now = identify(identity.pid);
  if (now === "unknown" || now === "gone") return now;
  return now.startedAt === identity.startedAt ? "alive" : "gone";
}

/** To `kill`, 0 and negative numbers mean whole groups and 1 is init: none of them is ever an agent. */
export const isSignalable = (pid: number): boolean => Number.isSafeInteger(pid) && pid > 1;
