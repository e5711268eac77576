import type { System } from "../../main.ts";
import type { MissionView } from "../../views/mission/mission-document.ts";
import { changeOrDelay } from "../run/follow-run.ts";
import { onInterrupt } from "../run/interrupts.ts";
import { EXIT, type ExitCode } from "../shell/define-command.ts";
import type { Invocation } from "../shell/invocation.ts";
import { missionAtHand, showView, viewOf, type MissionAsk } from "./mission-at-hand.ts";

interface Waiting {
  readonly name: string;
  /** What was asked, and is waited for. */
  readonly goal: MissionAsk;
}

/** Until nothing of the mission happens by itself any more; the mission is not affected. */
export async function waitForMission(
  call: Invocation,
  system: System,
  { name, goal }: Waiting,
): Promise<number> {
  const over = new AbortController();
  const quiet = onInterrupt(() => over.abort());
  try {
    for (;;) {
      const view = await viewOf(call, system, await missionAtHand(call, system, name));
      const code = over.signal.aborted ? EXIT.interrupted : exitOf(view, goal);
      if (code !== null) {
        showView(call, view, warningOf(view));
        return code;
      }
      await changeOrDelay(system.ports.journal, over.signal);
    }
  } finally {
    quiet();
  }
}

/** A workstream whose run has got there is done, also where the mission has not recorded it yet. */
function warningOf({ reconciliationRequired }: MissionView): { readonly warning?: string } {
  const late = reconciliationRequired.find(({ kind }) => kind === "run_ahead");
  return late === undefined ? {} : { warning: late.text };
}

/** Null while it goes on by itself. */
function exitOf(view: MissionView, goal: MissionAsk): ExitCode | null {
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
