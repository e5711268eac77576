import type { Blocked, BlockedReason } from "../../model/requests/blocked.ts";
import { isRepositoryLost } from "../../model/flow/protected.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { lacksTrust } from "../../model/flow/bindings.ts";
import { isFolderGone } from "../../model/state/folder-gone.ts";
import { filledIn, recoveryArguments } from "./recovery.ts";
import { limitInTheWay } from "../budget/time-limits.ts";
import { pausedAccount } from "../resources/shared-resources.ts";

/** One way out of a blocked state, with what it does. */
export interface RecoveryChoice {
  /** Arguments after `holdfast`. */
  readonly words: readonly string[];
  readonly does: string;
}

interface Other {
  readonly words: readonly string[];
  readonly does?: string;
}

const RETRY_STEP: Other = { words: ["retry", "RUN", "--step", "STEP"] };
const REJECT: Other = { words: ["reject", "RUN", "GATE", "--note", "WHAT TO CHANGE"] };
const PAST_IT: Other = { words: ["unblock", "ESCALATION"] };

/** Beside the command that only shows what differs. */
const TRUST: readonly Other[] = [
  { words: ["trust", "RUN"], does: "accepts the files as they are; the run continues" },
  { words: ["trust", "RUN", "--undo"], does: "brings the files back to what was trusted; the run continues" },
];

/** Beside the safe command and `cancel`, which is always there. */
export const OTHER_CHOICES: Readonly<Partial<Record<BlockedReason, readonly Other[]>>> = {
  approval_transition: [REJECT],
  approval_completion: [REJECT],
  hook_block: [{ ...PAST_IT, does: "continues past the hook: what it asked for is not done" }],
  in_doubt: [{ ...RETRY_STEP, does: "does it again: twice, if it was done" }],
  conflict_loop: [
    { words: ["accept", "RUN", "--resolution", "merge"] },
    { words: ["reissue", "RUN", "--reason", "conflict"] },
  ],
  drift: [{ words: ["reissue", "RUN", "--reason", "baseline"] }],
  operator_commit_refused: [PAST_IT],
  protected_files: TRUST,
  hook_tamper: TRUST,
  rate_limited: [
    {
      words: ["unpause", "ACCOUNT"],
      does: "ends the pause of the account for all runs, where its provider has lifted the limit; `retry` then starts at once",
    },
  ],
  timeout: [RETRY_STEP],
};

/** What a command does, by its first word. */
const DOES: Readonly<Record<string, string>> = {
  accept: "puts both sides into the run's tree, and takes the result in when asked again",
  approve: "approves it; the run continues",
  cancel: "ends the run; what was done is kept",
  commit: "commits the work that is owed; the run continues",
  fork: "continues in a new run from before the difference",
  reconcile: "takes what has moved as the new base; the run continues",
  reissue: "has the work done again, on what is there now",
  reject: "sends it back with your words",
  restore:
    "makes the folder again with the files of the last checkpoint; the run is paused then, and `resume` continues it",
  retry: "tries it again, with new attempts",
  salvage: "continues in a new run from before the damage",
  set: "raises the limit; what was done is kept, and the run continues",
  trust: "shows what differs, and changes nothing",
  unblock: "settles what was escalated; the run continues",
  why: "shows what is known of it, and changes nothing",
};

const STARTS_OVER = "starts it over on this host; what was done on the lost one stays there";

export const doesOf = (words: readonly string[]): string =>
  words.includes("--repository")
    ? "puts the kept copy of .git in its place; the run continues"
    : words[0] === "unblock" && words.includes("--note")
      ? "gives the agent your answer; the run continues"
      : (DOES[words[0] ?? ""] ?? "continues the run");

/** Everything that a person may choose, the safe one first: `recoveryArguments`. */
export function recoveryChoices(state: RunState, blocked: Blocked): RecoveryChoice[] {
  const safe = recoveryArguments(state, blocked);
  const others: Other[] = [...othersFor(state, blocked), { words: ["cancel", "RUN"] }];
  const waits = blocked.reason === "rate_limited" && pausedAccount(state, blocked.step) !== null;
  const does = waits
    ? "continues as soon as the limit is over"
    : state.claim.waits
      ? STARTS_OVER
      : doesOf(safe);
  const choices = [
    { words: safe, does },
    ...others.map(({ words, does: what }) => ({
      words: filledIn(state, blocked, words),
      does: what ?? doesOf(words),
    })),
  ];
  return choices.filter(
    ({ words }, index) =>
      choices.findIndex((earlier) => earlier.words.join("\n") === words.join("\n")) === index,
  );
}

function othersFor(state: RunState, blocked: Blocked): readonly Other[] {
  const { reason, step } = blocked;
  // To trust what is there would be to accept the loss.
  if (isRepositoryLost(blocked)) return [];
  if (state.kind === "program" && reason === "in_doubt" && step !== undefined)
    return [
      {
        words: ["settle", "RUN", step, "--done", "null"],
        does: "records that it was done, with this result (JSON)",
      },
      { words: ["settle", "RUN", step, "--again"], does: "does it again: twice, if it was done" },
    ];
  // What was done after a step is in doubt, not the step: it is not worked again for that.
  if (reason === "in_doubt" && state.steps[step ?? ""]?.status === "succeeded") return [];
  if (blocked.ask !== undefined || state.kind === "program") return [];
  const needsGate = (words: readonly string[]): boolean =>
    words.includes("GATE") && blocked.gate === undefined;
  // There is nothing to bring back: what the run obeys was changed by a person.
  if (lacksTrust(blocked.detail)) return TRUST.slice(0, 1);
  if (isFolderGone(blocked.detail))
    return [{ ...RETRY_STEP, does: "tries it again, once you have put the folder back yourself" }];
  // More time is what is lacking: without it the run would be blocked again at once.
  if (reason === "timeout" && limitInTheWay(state) !== undefined) return [];
  const needsAccount = (words: readonly string[]): boolean =>
    words.includes("ACCOUNT") && pausedAccount(state, step) === null;
  return (OTHER_CHOICES[reason] ?? []).filter(({ words }) => !needsGate(words) && !needsAccount(words));
}
