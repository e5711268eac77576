import type { System } from "../../main.ts";
import { changeOrDelay } from "../run/follow-run.ts";
import { onInterrupt } from "../run/interrupts.ts";
import { EXIT } from "../shell/define-command.ts";
import type { Invocation } from "../shell/invocation.ts";
import { exitOfSession } from "./exit-of-session.ts";
import { sessionAtHand, showView, viewOf } from "./ask-session.ts";

/** Until the session has ended, or waits for somebody; the session is not affected. */
export async function waitForSession(call: Invocation, system: System, name: string): Promise<number> {
  const over = new AbortController();
  const quiet = onInterrupt(() => over.abort());
  try {
    for (;;) {
      const view = viewOf(call, system, await sessionAtHand(call, system, name));
      const code = over.signal.aborted ? EXIT.interrupted : exitOfSession(view);
      if (code !== null) {
        showView(call, view);
        return code;
      }
      await changeOrDelay(system.ports.journal, over.signal);
    }
  } finally {
    quiet();
  }
}
