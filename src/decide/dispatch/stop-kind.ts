import type { BlockedReason } from "../../model/requests/blocked.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { StopKind } from "../../model/state/run-status.ts";

/**
 * A block is a stop too, and has its kind. Null where nothing was stopped: the run asks people what was meant to be
 * asked, an approval or an agent's question. Exhaustive by type.
 */
const STOP_OF_BLOCKED: Readonly<Record<BlockedReason, StopKind | null>> = {
  approval_transition: null,
  approval_completion: null,
  needs_human: null,
  operator_escalation: "operator",
  budget_exhausted: "budget",
  timeout: "timeout",
  dispatch_error: "guardrail",
  retries_exhausted: "guardrail",
  hook_block: "guardrail",
  hook_tamper: "guardrail",
  conflict_loop: "guardrail",
  policy_escalation: "guardrail",
  gate_action_failed: "guardrail",
  operator_commit_refused: "guardrail",
  workspace_dirty: "guardrail",
  checkpoint_pending: "guardrail",
  drift: "guardrail",
  in_doubt: "guardrail",
  diverged: "guardrail",
  stuck: "guardrail",
  crash_loop: "guardrail",
  rate_limited: "guardrail",
  protected_files: "guardrail",
  journal_damaged: "panic",
  host_lost: "panic",
  quarantined: "panic",
  disk_full: "panic",
  unknown: "panic",
};

/** What kind of stop a run is in or on its way to; null while it works, waits for an answer, or is done. */
export const stopOf = ({ blocked, stop }: Pick<RunState, "blocked" | "stop">): StopKind | null =>
  blocked === null ? stop : STOP_OF_BLOCKED[blocked.reason];
