import { errorText } from "../../model/fault.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isUnverified } from "../../views/status/status-gates.ts";
import { unacceptedLines } from "../../views/status/status-workspace.ts";
import { statusView } from "../../views/status/status.ts";
import { workerText, type LivingSupervisor } from "../supervise/detached-supervisor.ts";
import type { Invocation } from "../shell/invocation.ts";
import { resultText } from "./status-lines.ts";

/** What a run in the foreground says of its end, and what to do next. `isShown`: where its work is follows. */
export function lastLines(
  call: Invocation,
  state: RunState,
  { handedTo, isShown }: { readonly handedTo: LivingSupervisor | Error | null; readonly isShown: boolean },
): string[] {
  const { run } = state;
  const view = statusView(state, call.store.named);
  const result = resultText(view.result);
  const isGoing = ["queued", "running"].includes(state.status) || state.stop === "supervisor_restart";
  const after = handedText(handedTo, isGoing);
  const letGo = [
    `${run} was released and is not lost; sessions that can continue without a supervisor do`,
    ...(after.length > 0 ? after : next(call.command("resume", run))),
  ];
  switch (state.status) {
    case "completed":
      return [
        `${run} is ${isUnverified(view) ? UNVERIFIED : "completed"}`,
        ...(result === null ? [] : [`result: ${result}`]),
        ...(isShown ? [] : unacceptedLines(view.workspace, view.next)),
        ...after,
      ];
    case "failed":
    case "cancelled":
      return [
        `${run} is ${state.status}${view.failure === null ? "" : `: ${view.failure}`}`,
        ...next(view.next),
        ...after,
      ];
    case "blocked":
      return [`${run} is blocked: ${view.blocked?.detail ?? ""}`, ...next(view.next), ...after];
    case "paused":
    case "awaiting_approval":
      if (state.stop === "supervisor_restart") return letGo;
      return [`${run} is ${state.status}; nothing is lost`, ...next(view.next), ...after];
    case "queued":
    case "running":
    case "pausing":
      return letGo;
  }
}

const UNVERIFIED = 'completed, unverified: no check was run; name one next time, such as --check "npm test"';

const next = (command: string | null): string[] => (command === null ? [] : [`it goes on with: ${command}`]);

function handedText(handedTo: LivingSupervisor | Error | null, goesOn: boolean): string[] {
  if (handedTo === null) return [];
  return handedTo instanceof Error
    ? [`nobody supervises it: ${errorText(handedTo)}`]
    : [`${goesOn ? "it goes on by itself" : "its sessions and deadlines are kept"}: ${workerText(handedTo)}`];
}
