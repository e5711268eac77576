import { lacksTrust } from "../../model/flow/bindings.ts";
import {
  type Blocked,
  type BlockedReason,
  escalationId,
  type GuidanceCode,
} from "../../model/requests/blocked.ts";
import { needsFilter } from "../../model/state/filtered.ts";
import { isFolderGone } from "../../model/state/folder-gone.ts";
import { isRepositoryLost } from "../../model/flow/protected.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { enoughForProgram } from "../budget/program-budget.ts";
import { unsafeBecause } from "../workspace/decide-drift.ts";
import { isReworkAdvised } from "../workspace/decide-conflict.ts";
import { proposalWords } from "../workspace/decide-proposals.ts";
import { enoughBudget } from "../budget/run-budget.ts";
import { pausedAccount } from "../resources/shared-resources.ts";
import { enoughTime } from "../budget/time-limits.ts";
import { lastKept } from "../../fold/workspace/workspace-place.ts";

/** Who has to act, and with which words. The command is completed with the run and the store by the views. */
export interface Recovery {
  readonly owner: "human" | "operator" | "holdfast";
  /** Arguments after `holdfast`; RUN, STEP, GATE, DIGEST, ACCOUNT, ESCALATION, BUDGET and TIME are replaced. */
  readonly command: readonly string[];
  readonly advice: string;
}

const RETRY = ["retry", "RUN"] as const;
const RETRY_STEP = ["retry", "RUN", "--step", "STEP"] as const;
const UNBLOCK = ["unblock", "ESCALATION"] as const;
/** What an agent asked is answered, and not passed by. */
const ANSWER = [...UNBLOCK, "--note", "YOUR ANSWER"] as const;
/** Shows what differs; whether it is accepted is another command. */
const SHOW_DIFF = ["trust", "RUN", "--show-diff", "--dry-run"] as const;
const APPROVE = ["approve", "RUN", "GATE", "--digest", "DIGEST"] as const;

/** A way out of every blocked state. Exhaustive by type: a reason without one does not compile. */
export const RECOVERIES: Readonly<Record<BlockedReason, Recovery>> = {
  approval_transition: {
    owner: "human",
    command: APPROVE,
    advice: "look at what is asked and approve it, or send it back with `reject`",
  },
  approval_completion: {
    owner: "human",
    command: APPROVE,
    advice: "look at the result and approve it, or send it back with `reject`",
  },
  needs_human: { owner: "human", command: UNBLOCK, advice: "do what is asked, then unblock the run" },
  dispatch_error: {
    owner: "human",
    command: RETRY_STEP,
    advice: "make the agent, or the place it works in, available here, then try again",
  },
  operator_escalation: {
    owner: "operator",
    command: UNBLOCK,
    advice: "settle what was escalated, then unblock the run",
  },
  retries_exhausted: {
    owner: "human",
    command: RETRY_STEP,
    advice: "see why it failed, then give it new attempts",
  },
  hook_block: {
    owner: "human",
    command: RETRY_STEP,
    advice: "satisfy the hook, then have it called again",
  },
  hook_tamper: {
    owner: "operator",
    command: SHOW_DIFF,
    advice:
      "see what the hook changed, then accept it (`trust RUN`) or have it brought back (`trust RUN --undo`)",
  },
  conflict_loop: {
    owner: "human",
    command: ["reissue", "RUN", "--reason", "conflict"],
    advice:
      "have the work done again on top of the others' (reissue), or merge both sides: `accept --resolution merge` puts them into the run's tree, and takes the result in when asked again",
  },
  budget_exhausted: {
    owner: "human",
    command: ["set", "RUN", "BUDGET"],
    advice: "raise the budget; the work done so far is kept",
  },
  policy_escalation: {
    owner: "operator",
    command: UNBLOCK,
    advice: "decide about the policy's finding, then unblock the run",
  },
  timeout: {
    owner: "human",
    command: RETRY_STEP,
    advice: "raise the limit, or narrow the task and try again",
  },
  gate_action_failed: {
    owner: "human",
    command: APPROVE,
    advice: "mend the gate's action, then approve again",
  },
  operator_commit_refused: {
    owner: "human",
    command: ["reissue", "RUN", "--reason", "baseline"],
    advice:
      "see what was rewritten; undo it and unblock the run, or have the work redone from what is there now",
  },
  workspace_dirty: {
    owner: "human",
    command: ["commit", "RUN"],
    advice: "mend what the detail names, then have the work committed; the run continues from there",
  },
  checkpoint_pending: {
    owner: "human",
    command: RETRY,
    advice: "mend what keeps the checkpoint from being written, then try again",
  },
  drift: {
    owner: "human",
    command: ["reconcile", "RUN", "--accept-head"],
    advice: "look at what moved and take it as the new base, or have the work redone with `reissue`",
  },
  in_doubt: {
    owner: "human",
    command: ["why", "RUN"],
    advice: "find out whether it was done; say so, or have it done again where it was not",
  },
  diverged: {
    owner: "operator",
    command: RETRY,
    advice:
      "run the program as it was, keep both ways with run.patched or run.retired, or continue in a new run from before the difference",
  },
  stuck: { owner: "operator", command: RETRY_STEP, advice: "see what the agent is stuck on, then try again" },
  crash_loop: { owner: "operator", command: RETRY_STEP, advice: "see why it crashes, then try again" },
  rate_limited: {
    owner: "human",
    command: RETRY,
    advice: "wait until the limit is lifted or use another account, then try again",
  },
  protected_files: {
    owner: "human",
    command: SHOW_DIFF,
    advice: "see what differs, then accept it (`trust RUN`) or have it brought back (`trust RUN --undo`)",
  },
  journal_damaged: {
    owner: "operator",
    command: ["salvage", "RUN"],
    advice: "restore the store from a backup, or continue from before the damage",
  },
  host_lost: {
    owner: "operator",
    command: RETRY,
    advice:
      "start Holdfast on the host that is named, and the run continues by itself; or start it over on another host, which leaves what was done on the lost one",
  },
  quarantined: {
    owner: "operator",
    command: RETRY,
    advice:
      "see what ended the supervisor (the run's events and the supervisor's log say it), then try again or cancel the run",
  },
  disk_full: {
    owner: "operator",
    command: RETRY,
    advice:
      "free some space on the disk that is named; where it is the disk of the store, the run then continues by itself",
  },
  unknown: { owner: "operator", command: UNBLOCK, advice: "look at the run's events, then unblock the run" },
};

export const GUIDANCE: Readonly<Record<GuidanceCode, string>> = {
  invalid_binding: "the step is bound to an agent that does not exist or cannot be started here",
  review_only_dead_end: "only reviewers are bound where somebody has to write",
  proposal_apply_required: "a proposal waits to be applied",
  proof_not_strong_enough: "the evidence given does not prove what the step promises",
};

export const recoveryOf = (reason: BlockedReason): Recovery => RECOVERIES[reason];

/** The words to paste, without the leading `holdfast`: the safe ones, which do nothing twice and pass no check by. */
export function recoveryArguments(state: RunState, blocked: Blocked): string[] {
  if (state.kind === "program" && blocked.reason === "diverged")
    return ["fork", state.run, "--at", String(blocked.seq ?? state.seq)];
  return filledIn(state, blocked, wordsFor(state, blocked));
}

/** Words of a command with what is known of the run in the place of RUN, STEP and the others. */
export function filledIn(state: RunState, blocked: Blocked, words: readonly string[]): string[] {
  const [escalation] = Object.keys(state.escalations);
  return words.flatMap((word): string[] => {
    switch (word) {
      case "RUN":
        return [state.run];
      case "STEP":
        return blocked.step === undefined ? [] : [blocked.step];
      case "--step":
        return blocked.step === undefined ? [] : [word];
      case "GATE":
        return blocked.gate === undefined ? [] : [blocked.gate];
      case "DIGEST":
        return blocked.digest === undefined ? [] : [blocked.digest.slice(0, 12)];
      case "--digest":
        return blocked.digest === undefined ? [] : [word];
      case "BUDGET":
        return state.kind === "supervised"
          ? enoughBudget(state, blocked.step)
          : enoughForProgram(state.program.budgets);
      case "TIME":
        return enoughTime(state, blocked.gate === undefined ? blocked.step : undefined);
      case "ACCOUNT":
        return [pausedAccount(state, blocked.step) ?? word];
      case "ESCALATION":
        return [escalation ?? escalationId(state.run, state.escalated + 1)];
      default:
        return [word];
    }
  });
}

/** An agent may give any reason: where nothing is spent there is no budget to raise, and a journal that reads needs no salvage. */
function wordsFor(
  state: RunState,
  { reason, step, gate, guidance, ask, detail }: Blocked,
): readonly string[] {
  if (isRepositoryLost({ reason, detail })) return ["restore", "RUN", "--repository"];
  if (lacksTrust(detail)) return SHOW_DIFF;
  const proposed = guidance.includes("proposal_apply_required") ? proposalWords(state, step) : null;
  if (proposed !== null) return proposed;
  if (reason === "conflict_loop" && state.conflict.times > 0 && !isReworkAdvised(state))
    return ["accept", "RUN", "--resolution", "merge"];
  if (reason === "timeout" && gate === undefined && enoughTime(state, step).length > 0)
    return ["set", "RUN", "TIME"];
  // What was done after a step is in doubt, not the step: it is not worked again for that.
  if (reason === "in_doubt" && state.steps[step ?? ""]?.status === "succeeded") return UNBLOCK;
  if (ask !== undefined) return ["approve", "RUN", "--for", "ESCALATION"];
  if (reason === "needs_human" && isAsked(state, step)) return ANSWER;
  if (reason === "workspace_dirty" && needsFilter(detail)) return ["commit", "RUN", "--with-filters"];
  if (isFolderGone(detail) && lastKept(state) !== undefined && Object.keys(state.attempts).length === 0)
    return ["restore", "RUN"];
  const { command } = recoveryOf(reason);
  const helps = command.includes("BUDGET")
    ? enoughBudget(state, step).length > 0
    : command[0] === "commit"
      ? state.workspace.commit.owed.length > 0 || state.workspace.commit.due
      : command[0] !== "salvage" && (command[0] !== "reconcile" || canReconcile(state));
  if (!helps && reason === "drift" && state.drift.found !== null)
    return recoveryOf("operator_commit_refused").command;
  return helps || Object.keys(state.escalations).length === 0 ? command : UNBLOCK;
}

/** Whether the agent of a step waits for an answer; what Holdfast itself asks people needs none. */
const isAsked = (state: RunState, step: string | undefined): boolean =>
  step !== undefined && Object.hasOwn(state.steps, step) && state.steps[step]?.status !== "succeeded";

const canReconcile = ({ drift: { base, found }, workspace }: RunState): boolean =>
  found !== null && workspace.worktree === null && unsafeBecause(base, found) === null;
