import type { RunState } from "../../model/state/run-state.ts";
import type { RunStatus } from "../../model/state/run-status.ts";
import { owesPutBack } from "../dispatch/authority.ts";
import { decideChecks } from "../gate/decide-checks.ts";
import { expiresAt, decideExpiry, decideGates, withdrawn } from "../gate/decide-gates.ts";
import { resumeStale, staleResumeAt } from "../ladder/decide-stale.ts";
import { readyDues } from "../dispatch/ready-queue.ts";
import { settleRun, settleStop } from "../dispatch/settle-run.ts";
import { startReadySteps } from "../dispatch/start-steps.ts";
import { isStoreStopped } from "../resources/store-hold.ts";
import { askerGone } from "../requests/talk-to-agent.ts";
import { wakesByItself } from "../attempt/quarantine.ts";
import { due, type Rule } from "./rule.ts";

const isIn =
  (status: RunStatus) =>
  (state: RunState): boolean =>
    state.status === status;

export const beginRule: Rule = {
  name: "begin",
  decide: (state) => (state.status === "queued" ? [{ type: "RunStarted", data: {} }] : []),
  holdsOpen: isIn("queued"),
  owes: isIn("queued"),
};

const goesOn = (state: RunState): boolean => state.status === "running" && !isStoreStopped(state);

export const checkRule: Rule = {
  name: "check",
  decide: (state, now) => (goesOn(state) ? decideChecks(state, now) : []),
};

export const gateRule: Rule = {
  name: "gate",
  decide: (state, now) => (goesOn(state) ? decideGates(state, now) : []),
};

/** Steps are started, and when none is left the run ends. */
export const stepRule: Rule = {
  name: "step",
  decide: (state, now) => (goesOn(state) ? (startReadySteps(state, now) ?? settleRun(state, now)) : []),
  dueAt: readyDues,
  holdsOpen: isIn("running"),
  owes: isIn("running"),
};

const settlePausing: NonNullable<Rule["decide"]> = (state) =>
  state.status === "pausing" ? settleStop(state) : [];

export const stopRule: Rule = {
  name: "stop",
  decide: (state) => (owesPutBack(state) ? [] : settlePausing(state, state.at)),
  decideUnowned: settlePausing,
  holdsOpen: isIn("pausing"),
  owes: isIn("pausing"),
};

const isCancelledAgain = ({ status, workspace: { commit } }: RunState): boolean =>
  status === "paused" && commit.endsAs === "cancelled" && commit.wanted === null;

/** A cancelled run whose work was committed or accepted is no paused one. */
export const cancelledAgainRule: Rule = {
  name: "cancelled again",
  decide: (state) => (isCancelledAgain(state) ? [{ type: "RunCancelled", data: { stop: "operator" } }] : []),
};

/** Stops that were not meant for the run end with the next owner (G2). */
export const wakeRule: Rule = {
  name: "wake",
  decide: (state) =>
    wakesByItself(state) && state.epoch > state.pausedInEpoch ? [{ type: "RunResumed", data: {} }] : [],
  dueAt: (state, now) => (wakesByItself(state) ? [{ at: now + 1 }] : []),
};

export const staleRule: Rule = {
  name: "stale",
  decide: resumeStale,
  dueAt: (state) => due(staleResumeAt(state), { what: "the resume after a silent provider" }),
  holdsOpen: (state, now) => now >= (staleResumeAt(state) ?? Infinity),
};

/** Who asked a person is gone, and was not kept; or what was asked about is. */
export const askerRule: Rule = {
  name: "asker",
  decide: (state) =>
    state.status === "awaiting_approval" ? [...askerGone(state), ...withdrawn(state)].slice(0, 1) : [],
};

export const expiryRule: Rule = {
  name: "expiry",
  decide: decideExpiry,
  dueAt: (state) =>
    due(expiresAt(state), {
      what: `the expiry of the approval of ${state.blocked?.gate ?? "a gate"}`,
      stays: true,
    }),
  holdsOpen: (state, now) => now >= expiresAt(state),
};
