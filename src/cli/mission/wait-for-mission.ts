import type { System } from "../../main.ts";
import { changeOrDelay } from "../run/follow-run.ts";
import { onInterrupt } from "../run/interrupts.ts";
import { EXIT } from "../shell/define-command.ts";
import type { Invocation } from "../shell/invocation.ts";
import { exitOfMission, warningOf } from "./exit-of-mission.ts";
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
      const code = over.signal.aborted ? EXIT.interrupted : exitOfMission(view, goal);
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
