import type { System } from "../../main.ts";
import { restartsText } from "../../views/status/supervision.ts";
import { logFile } from "./detached-supervisor.ts";
import type { Finding } from "./doctor-finding.ts";
import type { Invocation } from "../shell/invocation.ts";

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
