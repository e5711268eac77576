import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { machineId, ownSpace } from "./host-identity.ts";
import { readOwnProcess, readProcess } from "./process-table.ts";
import { type Liveness, type ProcessIdentity, whereaboutsOf, type World } from "../model/world.ts";

/** Who runs under this pid now: a pid alone is reused, a pid with its start time is not. */
export function identify(pid: number): ProcessIdentity | "gone" | "unknown" {
  if (!Number.isSafeInteger(pid) || pid < 1) return "unknown";
  const reading = readProcess(pid);
  if (reading === "unknown") return "unknown";
  if (reading === undefined || reading.zombie) return "gone";
  return identityOf(pid, reading.startedAt);
}

function identityOf(pid: number, startedAt: string): ProcessIdentity {
  const [space, machine] = [ownSpace(), machineId()];
  return {
    host: hostname(),
    pid,
    startedAt,
    ...(space === undefined ? {} : { space }),
    ...(machine === undefined ? {} : { machine }),
  };
}

let known: ProcessIdentity | undefined;

/**
 * This process. Where the system does not say when it began (no /proc, no ps), it gets a start of its own: others then
 * know it by its beats alone, since nobody can compare that start with anything.
 */
export function selfIdentity(): ProcessIdentity {
  return (known ??= identityOf(process.pid, readOwnProcess()?.startedAt ?? `unread-${randomUUID()}`));
}

/**
 * Of another host nothing can be said from here, nor of another PID namespace, whose pids mean other processes here;
 * and a probe that failed has seen no death.
 */
export function livenessOf(identity: ProcessIdentity): Liveness {
  const self = selfIdentity();
  const where = whereaboutsOf(self, identity);
  if (where !== "here") return where === "restarted" ? "gone" : "unknown";
  if (identity.pid === self.pid) return identity.startedAt === self.startedAt ? "alive" : "gone";
  const now = identify(identity.pid);
  if (now === "unknown" || now === "gone") return now;
  return now.startedAt === identity.startedAt ? "alive" : "gone";
}

/** To `kill`, 0 and negative numbers mean whole groups and 1 is init: none of them is ever an agent. */
export const isSignalable = (pid: number): boolean => Number.isSafeInteger(pid) && pid > 1;

/** Kills a process that is still the one that was meant: a pid that was given to another meanwhile is not touched. */
export const killExactly =
  (world: World) =>
  (of: ProcessIdentity): void =>
    signalExactly(world, of, "SIGKILL");

/** Lets exactly this process go on if it is stopped; one that works does not notice. */
export const resumeExactly =
  (world: World) =>
  (of: ProcessIdentity): void =>
    signalExactly(world, of, "SIGCONT");

function signalExactly(world: World, of: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isSignalable(of.pid) || world.liveness(of) !== "alive") return;
  try {
    process.kill(of.pid, signal);
  } catch {
    // It ended between the look and the signal; any other refusal shows in that it stays.
  }
}
