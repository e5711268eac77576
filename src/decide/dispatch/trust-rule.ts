import type { RunEvent } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** A person is asked about it; the step keeps its work, so nothing of it is reset. */
export function trustRule({ binding: { untrusted }, status, attempts }: RunState): RunEvent[] {
  if (untrusted === undefined || status !== "running") return [];
  const attemptKept = Object.keys(attempts).length > 0;
  const reason = "protected_files";
  return [
    { type: "RunBlocked", data: { blocked: { reason, detail: untrusted, attemptKept, guidance: [] } } },
  ];
}
