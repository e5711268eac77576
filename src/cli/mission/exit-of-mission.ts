import type { MissionView } from "../../views/mission/mission-document.ts";
import { EXIT, type ExitCode } from "../shell/define-command.ts";
import type { MissionAsk } from "./mission-at-hand.ts";

/** A workstream whose run has got there is done, also where the mission has not recorded it yet. */
export function warningOf({ reconciliationRequired }: MissionView): { readonly warning?: string } {
  const late = reconciliationRequired.find(({ kind }) => kind === "run_ahead");
  return late === undefined ? {} : { warning: late.text };
}

/** What was asked, and is waited for. */
export type Waited =
  | { readonly kind: "launch"; readonly workstream: string }
  | { readonly kind: Exclude<MissionAsk["kind"], "launch"> };

/** Null while it goes on by itself. */
export function exitOfMission(view: MissionView, goal: Waited): ExitCode | null {
  if (goal.kind === "launch") return exitOfWorkstream(view, goal.workstream);
  const { status, autopilotStop, workstreams } = view;
  if (status === "ended") return EXIT.done;
  if (status === "blocked" || status === "paused" || status === "stopped") return EXIT.waiting;
  if (goal.kind === "approve") return status === "ready_to_accept" ? EXIT.waiting : null;
  if (status === "ready_to_accept") return EXIT.done;
  if (status === "open" && autopilotStop !== null)
    return workstreams.some(({ status: one }) => one === "failed") ? EXIT.unsuccessful : EXIT.waiting;
  return null;
}

function exitOfWorkstream(
  { workstreams, reconciliationRequired, status }: MissionView,
  id: string,
): ExitCode | null {
  const one = workstreams.find((other) => other.id === id);
  const late = reconciliationRequired.find(
    ({ kind, workstream }) => kind === "run_ahead" && workstream === id,
  );
  if (late !== undefined) return late.text.includes(" is completed") ? EXIT.done : EXIT.unsuccessful;
  const state = one?.status ?? "failed";
  if (state === "done" || state === "accepted") return EXIT.done;
  if (state === "waiting") return EXIT.waiting;
  const isOpen = state === "at_work" || state === "ready" || state === "queued";
  if (!isOpen) return EXIT.unsuccessful;
  return status === "stopped" ? EXIT.waiting : null;
}
