import type { Blocked, BlockedReason, GuidanceCode } from "../model/blocked.ts";

/** Who has to act, and with which words. The command is completed with the run and the store by the views. */
export interface Recovery {
  readonly owner: "human" | "operator" | "holdfast";
  /** Arguments after `holdfast`; RUN and STEP are replaced. */
  readonly command: readonly string[];
  readonly advice: string;
}

const RETRY = ["retry", "RUN"] as const;
const RETRY_STEP = ["retry", "RUN", "--step", "STEP"] as const;

/** A way out of every blocked state. Exhaustive by type: a reason without one does not compile. */
const RECOVERIES: Readonly<Record<BlockedReason, Recovery>> = {
  approval_transition: {
    owner: "human",
    command: RETRY,
    advice: "look at what is asked, then let the run go on",
  },
  approval_completion: { owner: "human", command: RETRY, advice: "look at the result, then let the run end" },
  needs_human: { owner: "human", command: RETRY, advice: "do what is asked, then let the run go on" },
  dispatch_error: {
    owner: "human",
    command: RETRY_STEP,
    advice: "make the agent available here, then try again",
  },
  operator_escalation: { owner: "operator", command: RETRY, advice: "settle what was escalated, then go on" },
  retries_exhausted: {
    owner: "human",
    command: RETRY_STEP,
    advice: "see why it failed, then give it new attempts",
  },
  hook_block: { owner: "human", command: RETRY, advice: "satisfy or change the hook, then go on" },
  hook_tamper: { owner: "operator", command: RETRY, advice: "see what the hook changed, then go on" },
  conflict_loop: { owner: "human", command: RETRY, advice: "merge the overlapping changes, then go on" },
  budget_exhausted: { owner: "human", command: RETRY, advice: "raise the budget, then go on" },
  policy_escalation: {
    owner: "operator",
    command: RETRY,
    advice: "decide about the policy's finding, then go on",
  },
  timeout: {
    owner: "human",
    command: RETRY_STEP,
    advice: "raise the limit or narrow the task, then try again",
  },
  gate_action_failed: { owner: "human", command: RETRY, advice: "mend the gate's action, then go on" },
  operator_commit_refused: { owner: "human", command: RETRY, advice: "undo the refused commit, then go on" },
  workspace_dirty: { owner: "human", command: RETRY, advice: "commit or set aside the changes, then go on" },
  checkpoint_pending: { owner: "holdfast", command: RETRY, advice: "a checkpoint is being written" },
  drift: { owner: "human", command: RETRY, advice: "look at what moved, then go on" },
  in_doubt: { owner: "human", command: RETRY_STEP, advice: "find out whether it was done, then go on" },
  stuck: { owner: "operator", command: RETRY_STEP, advice: "see what the agent is stuck on, then try again" },
  crash_loop: { owner: "operator", command: RETRY_STEP, advice: "see why it crashes, then try again" },
  rate_limited: {
    owner: "holdfast",
    command: RETRY,
    advice: "it goes on when the limit is lifted; this goes on now",
  },
  protected_files: { owner: "human", command: RETRY, advice: "look at the changed files, then go on" },
  journal_damaged: { owner: "operator", command: ["verify", "RUN"], advice: "restore the store from a copy" },
  host_lost: { owner: "operator", command: RETRY, advice: "bring the host back or let another take the run" },
  unknown: { owner: "operator", command: RETRY, advice: "look at the run's events, then go on" },
};

export const GUIDANCE: Readonly<Record<GuidanceCode, string>> = {
  invalid_binding: "the step is bound to an agent that does not exist or cannot be started here",
  review_only_dead_end: "only reviewers are bound where somebody has to write",
  proposal_apply_required: "a proposal waits to be applied",
  proof_not_strong_enough: "the evidence given does not prove what the step promises",
};

export const recoveryOf = (reason: BlockedReason): Recovery => RECOVERIES[reason];

/** The words to paste, without the leading `holdfast`. A step that is not known is left out. */
export const recoveryArguments = (blocked: Blocked, run: string): string[] =>
  fill(recoveryOf(blocked.reason).command, run, blocked.step);

function fill(command: readonly string[], run: string, step: string | undefined): string[] {
  const withStep =
    step === undefined ? command.filter((word) => word !== "--step" && word !== "STEP") : command;
  return withStep.map((word) => (word === "RUN" ? run : word === "STEP" ? (step ?? word) : word));
}
