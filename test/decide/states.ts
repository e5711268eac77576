import { evolve } from "../../src/fold/evolve.ts";
import type { Blocked } from "../../src/model/requests/blocked.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import type { RunStatus } from "../../src/model/state/run-status.ts";
import { EXAMPLES } from "../model/example-events.ts";

/** Folds events onto a new run; each happens a second after the one before. */
export function given(...events: readonly RunEvent[]): RunState {
  const created = evolve(
    null,
    { type: "RunCreated", data: EXAMPLES.RunCreated },
    { run: "run_1", seq: 1, at: 0 },
  );
  return events.reduce<RunState>(
    (state, event) => evolve(state, event, { run: "run_1", seq: state.seq + 1, at: state.at + 1_000 }),
    created,
  );
}

export const blockedBy = (blocked: Partial<Blocked>): RunEvent => ({
  type: "RunBlocked",
  data: {
    blocked: {
      reason: "needs_human",
      detail: "which port?",
      step: "work",
      attemptKept: false,
      guidance: [],
      ...blocked,
    },
  },
});

const started: RunEvent = { type: "RunStarted", data: {} };
const failure = { class: "terminal", text: "bad credentials", fingerprint: "bad credentials" } as const;

/** A run in each state, and how it came there; exhaustive by type. */
export const IN_STATE: Readonly<Record<RunStatus, readonly RunEvent[]>> = {
  queued: [],
  running: [started],
  /** Something still lives, or it would have settled. */
  pausing: [
    started,
    { type: "AttemptStarted", data: EXAMPLES.AttemptStarted },
    { type: "RunStopping", data: { to: "paused", stop: "operator" } },
  ],
  paused: [started, { type: "RunPaused", data: { stop: "operator" } }],
  awaiting_approval: [started, blockedBy({ reason: "approval_transition" })],
  blocked: [started, blockedBy({})],
  completed: [started, { type: "RunCompleted", data: {} }],
  failed: [started, { type: "RunFailed", data: { step: "work", failure } }],
  cancelled: [started, { type: "RunCancelled", data: { stop: "operator" } }],
};
