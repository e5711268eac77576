import type { RunEvent } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";

/**
 * A run whose folder or agent is not here stops at its claim, by name, before anything is started and at no charge.
 * Where a session lives already, it goes on: what is missing then is found when the next one is started.
 */
export function stopWithoutContext(state: RunState): RunEvent[] {
  const { status, attempts } = state;
  const { missing } = state.claim;
  if (missing.length === 0 || (status !== "queued" && status !== "running")) return [];
  if (Object.keys(attempts).length > 0) return [];
  return [
    {
      type: "RunBlocked",
      data: {
        blocked: {
          reason: "dispatch_error",
          detail: `nothing was started: ${missing.join("; ")}`,
          attemptKept: false,
          guidance: [],
        },
      },
    },
  ];
}
