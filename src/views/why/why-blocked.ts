import { isApproval, type BlockedReason } from "../../model/requests/blocked.ts";
import type { EffectKind } from "../../model/effects/effects.ts";
import type { Recorded } from "../../model/events/events.ts";
import { WORKSPACE_EFFECT_KINDS } from "../../model/state/workspace-state.ts";
import { lastOfProgram } from "./why-program.ts";
import { createdBy, received, newestOf, type RecordedOf, type WhyJournal } from "./why-journal.ts";

type Found = Recorded | undefined;
type RunBlocked = RecordedOf<"RunBlocked">;

/** What keeps a run from going on follows from: somebody's word, a limit, a look that found something, or a failure. */
export function blockedBy(event: RunBlocked, journal: WhyJournal): readonly Found[] {
  const { reason, step } = event.data.blocked;
  const asked = journal.askedBy(event);
  if (asked !== undefined) return [asked];
  if (reason === "budget_exhausted")
    return [
      journal.last("SignalsHeard", event, received("usage")) ?? journal.last("BodySpent", event),
      journal.last("RunBudgetSet", event) ??
        journal.last("BodyBudgetSet", event) ??
        createdBy(event, journal),
    ];
  if (reason === "timeout")
    return [
      journal.last("AttemptStarted", event) ?? journal.last("RunStarted", event),
      journal.last("RunSettingsChanged", event) ?? createdBy(event, journal),
    ];
  const stopped = stoppedBy(event, journal) ?? FOUND[reason]?.(event, journal);
  if (stopped !== undefined) return [stopped];
  if (journal.state.kind === "program") return [lastOfProgram(event, journal)];
  return [step === undefined ? generalStop(event, journal) : stoppedAt(step, event, journal)];
}

/** What a run was stopped by that no step has failed at. */
function stoppedBy(event: RunBlocked, journal: WhyJournal): Found {
  const { reason, gate, step } = event.data.blocked;
  if (gate !== undefined && (isApproval(reason) || reason === "gate_action_failed"))
    return journal.last("GateAsked", event);
  if (gate !== undefined && reason === "retries_exhausted")
    return journal.last("GateChecked", event, ({ data }) => data.gate === gate);
  if (reason === "hook_block" || reason === "hook_tamper") return journal.last("HookJudged", event);
  if (reason === "policy_escalation") return journal.last("PolicyApplied", event);
  if (reason === "stuck")
    return journal.last("RemedyTaken", event, ({ data }) => data.step === step && data.remedy === "operator");
  return undefined;
}

const drifted = (event: RunBlocked, journal: WhyJournal): Found => journal.last("DriftFound", event);

/** A look at the files, or something tried with them, that did not come out well. */
const FOUND: { readonly [Reason in BlockedReason]?: (event: RunBlocked, journal: WhyJournal) => Found } = {
  drift: drifted,
  operator_commit_refused: drifted,
  host_lost: (event, journal) => journal.last("RunClaimed", event, ({ data }) => data.away === true),
  protected_files: (event, journal) =>
    newestOf(journal.last("ProtectedFilesChanged", event), failed(["GuardFiles"], event, journal)),
  checkpoint_pending: (event, journal) => failed(["TakeCheckpoint", "RestoreCheckpoint"], event, journal),
  workspace_dirty: (event, journal) =>
    newestOf(journal.last("CommitRefused", event), journal.last("JoinRefused", event)),
  conflict_loop: (event, journal) =>
    newestOf(journal.last("AcceptRefused", event), journal.last("JoinRefused", event)),
  dispatch_error: (event, journal) =>
    event.data.blocked.step === undefined
      ? newestOf(
          failed(WORKSPACE_EFFECT_KINDS, event, journal),
          journal.last("RunClaimed", event, ({ data }) => (data.missing ?? []).length > 0),
        )
      : undefined,
};

const failed = (kinds: readonly EffectKind[], event: Recorded, journal: WhyJournal): Found =>
  journal.last("EffectSettled", event, ({ data: { key, outcome } }) => {
    const kind = journal.intended(key)?.data.effect.kind;
    return kind !== undefined && kinds.includes(kind) && !isFine(outcome);
  });

/** A command in the tree may have ended, and not well. */
const isFine = (outcome: RecordedOf<"EffectSettled">["data"]["outcome"]): boolean =>
  outcome.kind === "done" && (outcome.place?.kind !== "ran" || outcome.place.evidence.verdict === "pass");

/** What stops the run as a whole: the reality check, or steps that have nothing to show. */
const generalStop = (event: RunBlocked, journal: WhyJournal): Found =>
  newestOf(
    journal.last("RealityChecked", event),
    journal.last("StepSucceeded", event),
    journal.last("HookJudged", event, ({ data }) => data.outcome !== "passed"),
  );

/** What was seen of a step: its agent's own word, that it was given up, a session that cannot be ended. */
function stoppedAt(step: string, event: RunBlocked, journal: WhyJournal): Found {
  const { reason } = event.data.blocked;
  const ofStep = (attempt: string): boolean => journal.stepOf(attempt) === step;
  const raised = journal.last(
    "SignalsHeard",
    event,
    ({ data }) =>
      ofStep(data.attempt) &&
      data.signals.some((signal) => signal.kind === "blocked" && signal.reason === reason),
  );
  const given = journal.last("StepFailed", event, ({ data }) => data.step === step);
  const ended = journal.last("EffectSettled", event, ({ data }) => isFailedEnd(data, step, journal));
  const proposed = journal.last("ProposalMade", event, ({ data }) => data.step === step);
  const reality = journal.last("RealityChecked", event, ({ data }) => data.reopened.includes(step));
  return (
    newestOf(raised, given, ended, proposed, reality) ??
    newestOf(
      journal.last(
        "SignalsHeard",
        event,
        (one) => ofStep(one.data.attempt) && received("question", "permission", "rate_limit")(one),
      ),
      journal.last("HealthChanged", event, ({ data }) => ofStep(data.attempt)),
      journal.last("AttemptEnded", event, ({ data }) => ofStep(data.attempt)),
      journal.last("HookJudged", event, ({ data }) => data.outcome !== "passed"),
    )
  );
}

const isFailedEnd = (
  { key, outcome }: RecordedOf<"EffectSettled">["data"],
  step: string,
  journal: WhyJournal,
): boolean => {
  const attempt = key.slice(0, key.lastIndexOf("/"));
  return outcome.kind !== "done" && key.includes("/EndAgent") && journal.stepOf(attempt) === step;
};
