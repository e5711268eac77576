import { readFileSync } from "node:fs";
import type { Invocation } from "../shell/invocation.ts";
import { logFile } from "./detached-supervisor.ts";
import type { Finding } from "./doctor-finding.ts";
import type { System } from "../../main.ts";
import { type ServerFacts, serverFindings } from "../../model/host/server-facts.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { ageText, restartsText } from "../../views/status/supervision.ts";

type Holder = Awaited<ReturnType<System["ports"]["journal"]["holders"]>>[number];

const NAME = "supervisor";

/** What is known of the supervisor of this host, by its beats: a process that is there and does nothing supervises nobody. */
export async function supervisorFinding(call: Invocation, system: System): Promise<Finding | null> {
  const { journal, world } = system.ports;
  const holders = await journal.holders();
  const held = (address: string): Holder | null => {
    const found = holders.find((holder) => holder.address === address) ?? null;
    return found === null || world.liveness(found.owner.process) === "gone" ? null : found;
  };
  const supervisor = held(system.host.address);
  if (supervisor === null) return null;
  const sibling = held(system.host.address.replace(/^supervisor:/, "watchdog:"));
  const leaseMs = await leaseMsOf(call, system);
  const { pid } = supervisor.owner.process;
  const silentMs = supervisor.beatAgeMs ?? 0;
  if (silentMs < leaseMs) return alive(supervisor, sibling, system.drawnAt(supervisor.owner.id));
  const isStopped = stateOf(pid) === "T";
  const what = isStopped ? "is stopped (SIGSTOP)" : "is there and does nothing";
  const text = `pid ${String(pid)} ${what}: last sign of life ${ageText(silentMs)} ago, expected every ${ageText(leaseMs / 3)}; its runs are not supervised; ${siblingText(sibling, leaseMs)}`;
  const remedy = isStopped
    ? `kill -CONT ${String(pid)}`
    : `kill -KILL ${String(pid)} && ${call.command("up", "--detach")}`;
  return { name: NAME, state: "fail", text, remedy };
}

function alive({ owner, beatAgeMs }: Holder, sibling: Holder | null, since: number | null): Finding {
  const began = since === null ? "" : `, since ${isoTime(since)}`;
  const beat = beatAgeMs === null ? "" : `, last sign of life ${ageText(beatAgeMs)} ago`;
  const watched = sibling === null ? "" : `, watched by pid ${String(sibling.owner.process.pid)}`;
  const text = `alive, pid ${String(owner.process.pid)}${began}${beat}${watched}`;
  return { name: NAME, state: "ok", text, remedy: null };
}

function siblingText(sibling: Holder | null, leaseMs: number): string {
  if (sibling === null) return "nobody watches it: its sibling is gone";
  const { pid } = sibling.owner.process;
  const isSilent = (sibling.beatAgeMs ?? 0) >= Math.max(leaseMs, SIBLING_MS);
  if (stateOf(pid) === "T" || isSilent)
    return `nobody watches it: its sibling (pid ${String(pid)}) does nothing either`;
  return `its sibling (pid ${String(pid)}) will end it and start another`;
}

/** A sibling beats at a third of its looks. */
const SIBLING_MS = 60_000;

async function leaseMsOf(call: Invocation, system: System): Promise<number> {
  const config = await call.host().catch(() => null);
  return config?.lease.ms ?? system.ports.settings.lease.ms;
}

/** The state of a process as the kernel reports it (`T`: stopped); null where it does not. */
function stateOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
  } catch {
    return null;
  }
}

/** Supervisors die soon after their start, and their sibling starts them ever more slowly; null where they do not. */
export function restartsFinding(call: Invocation, system: System, living: Finding | null): Finding | null {
  const restarts = system.ports.deaths?.restarts.read() ?? null;
  if (restarts === null || living?.state === "fail") return null;
  const now = living === null ? `; start one at once with ${call.command("up", "--detach")}` : "";
  return {
    name: "supervisor",
    state: "warn",
    text: `${living?.text ?? "none"}; ${restartsText(restarts)}`,
    remedy: `see ${logFile(call)}, and ${call.command("inbox")} for a run that is quarantined${now}`,
  };
}

/** How the database server of the store is set up; null where the store is a file. */
export async function databaseFinding({ ports: { journal } }: System): Promise<Finding | null> {
  const server = await journal.server?.();
  if (server === undefined) return null;
  const found = serverFindings(server);
  const [worst] = found;
  const text = [aboutText(server), ...found.map((one) => one.text)].join("; ");
  return { name: "database", state: worst?.state ?? "ok", text, remedy: worst?.remedy ?? null };
}

function aboutText({ version, connections, settings, standbys }: ServerFacts): string {
  const followers =
    standbys === null ? "standbys are not shown to this role" : `standbys: ${standbys.join(", ") || "none"}`;
  return `PostgreSQL ${version}, ${String(connections)} of ${settings["max_connections"] ?? "?"} connections, ${followers}`;
}
