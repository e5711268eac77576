import type { RunEvent } from "../../src/model/events/events.ts";
import type { Signal } from "../../src/model/agent/signals.ts";

/** What an agent says. */
export const says = (attempt: string, ...signals: Signal[]): RunEvent => ({
  type: "SignalsHeard",
  data: { attempt, cursor: "c", signals },
});

/** The same, and that it is done. */
export const done = (attempt: string, ...before: Signal[]): RunEvent =>
  says(
    attempt,
    ...before,
    { kind: "result", ok: true, text: "done" },
    { kind: "exit", how: "code", code: 0 },
  );
