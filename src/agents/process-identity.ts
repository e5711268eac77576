import { hostname } from "node:os";
import type { Liveness, ProcessIdentity } from "../model/world.ts";
import { readProcess } from "./process-table.ts";

/** Who runs under this pid now: a pid alone is reused, a pid with its start time is not. */
export function identify(pid: number): ProcessIdentity | "gone" | "unknown" {
  if (!isSignalable(pid)) return "unknown";
  const reading = readProcess(pid);
  if (reading === "unknown") return "unknown";
  if (reading === undefined || reading.zombie) return "gone";
  return { host: hostname(), pid, startedAt: reading.startedAt };
}

/** Of another host nothing can be said from here, and a probe that failed has seen no death. */
export function livenessOf(identity: ProcessIdentity): Liveness {
  if (identity.host !== hostname()) return "unknown";
  const now = identify(identity.pid);
  if (now === "unknown" || now === "gone") return now;
  return now.startedAt === identity.startedAt ? "alive" : "gone";
}

/** To `kill`, 0 and negative numbers mean whole groups and 1 is init: none of them is ever an agent. */
export const isSignalable = (pid: number): boolean => Number.isSafeInteger(pid) && pid > 1;
