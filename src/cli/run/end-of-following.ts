import type { System } from "../../main.ts";
import { isEnded, type RunStatus } from "../../model/state/run-status.ts";
import { EXIT } from "../shell/define-command.ts";
import type { Invocation } from "../shell/invocation.ts";
import { supervisedStatus } from "../supervise/look-at-supervision.ts";

/** Whether nothing more comes by itself: it has ended, or asks somebody. Who pauses a run resumes it too. */
export const isStandstill = (status: RunStatus): boolean =>
  isEnded(status) || status === "blocked" || status === "awaiting_approval";

/** What is said to somebody who follows a run when nothing more comes by itself: what it waits for, and the command. */
export async function endOfFollowing(call: Invocation, system: System, run: string): Promise<number> {
  const state = await system.loadRun(run);
  if (state === null || isEnded(state.status)) return EXIT.done;
  const { status, blocked, next } = await supervisedStatus(system, state, call.store.named);
  const why = blocked === null ? "" : `: ${blocked.detail}`;
  call.output.note(`${run} is ${status.replaceAll("_", " ")}${why}`);
  if (next !== null) call.output.note(`continue it with: ${next}`);
  return EXIT.waiting;
}
