import { effectKey, type Effect } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { sessionKey } from "../../model/ids.ts";
import { isSettled, REMEDIES, type LadderState, type Remedy } from "../../model/agent/ladder.ts";
import type { AttemptState, RunState, StepState } from "../../model/state/run-state.ts";
import { askedBounds, pricesFor } from "../requests/asked-budget.ts";
import { spentKind } from "../budget/run-budget.ts";
import { endGraceMs } from "../resources/store-hold.ts";
import type { NextRemedy } from "./ladder.ts";

/** The effect is bounded by itself; this is for one that never comes back. */
const GRACE_MS = 60_000;

/** Only evidence that is not sure may be outweighed by somebody's reading of it (L6). */
const isWeak = ({ settings }: RunState, { assessed }: AttemptState): boolean =>
  assessed.state === "stuck" && assessed.confidence < settings.triage.below;

/** Asks an agent what it makes of a stuck one: once for each trouble, where the evidence is weak. */
export function askTriage(state: RunState, attempt: AttemptState, ladder: LadderState | null): RunEvent[] {
  const { agent, limitMs, usd } = state.settings.triage;
  const spec = agent === undefined ? undefined : state.agents[agent];
  if (ladder === null || ladder.triage !== null || agent === undefined || spec === undefined) return [];
  if (isSettled(ladder.outcome) || !isWeak(state, attempt) || spentKind(state) !== null) return [];
  const number = state.triages + 1;
  const { step, id, assessed } = attempt;
  const effect: Extract<Effect, { kind: "AskTriage" }> = {
    kind: "AskTriage",
    of: id,
    step,
    agent,
    spec,
    session: sessionKey(state.run, `${step}.triage`, number),
    openedAt: ladder.openedAt,
    position: state.seq,
    pattern: assessed.pattern ?? "no_progress",
    evidence: [...assessed.evidence],
    task: state.steps[step]?.spec.task ?? state.goal,
    ...askedBounds(state, { limitMs, usd }, state.at),
    ...pricesFor(state.settings.prices, spec.model),
  };
  return [{ type: "EffectIntended", data: { key: effectKey("triage", "AskTriage", number), effect } }];
}

/** A run that stops asks nobody: the question is dropped, and a session that may have begun for it is ended. */
export const dropTriage = (state: RunState, why: string): RunEvent[] =>
  Object.entries(state.effects).flatMap(([key, effect]): RunEvent[] => {
    if (effect.kind !== "AskTriage") return [];
    const { session, spec } = effect;
    const graceMs = endGraceMs(state);
    const end = { kind: "EndAgent", attempt: `${effect.of}.triage`, session, spec, graceMs } as const;
    const outcome = { kind: "failed", text: why, terminal: false } as const;
    return [
      { type: "EffectSettled", data: { key, outcome } },
      { type: "EffectIntended", data: { key: effectKey(key, "EndAgent"), effect: end } },
    ];
  });

/** Says what came of it. It counts only for the trouble that it was asked about, and while the evidence is still weak. */
export function decideTriage(state: RunState): RunEvent[] {
  if (state.triaged === null) return [];
  const { effect, report } = state.triaged;
  const { of, step, openedAt } = effect;
  const attempt = state.attempts[of];
  const ladder = state.steps[step]?.ladder ?? null;
  const isOpen = ladder?.openedAt === openedAt && attempt !== undefined && attempt.ending === null;
  const counts = report.verdict !== "none" && isOpen && isWeak(state, attempt);
  const late = isOpen ? "the evidence is sure by now" : "the trouble is over by now";
  const why = counts || report.verdict === "none" ? report.why : `${report.why} (does not count: ${late})`;
  return [{ type: "TriageJudged", data: { step, attempt: of, verdict: report.verdict, counts, why } }];
}

/** The next remedy, as the answer has it. Everything that is sure by itself is not asked about any more. */
export function heedTriage(
  state: RunState,
  step: StepState,
  attempt: AttemptState,
  next: NextRemedy | null,
): NextRemedy | null {
  const triage = step.ladder?.triage ?? null;
  if (next === null || triage === null || !isWeak(state, attempt)) return next;
  const { limitMs, trustMs } = state.settings.triage;
  switch (triage.verdict) {
    case null:
      // Words do no harm while the answer is awaited.
      return isLighter(next.remedy, "restart") ? next : later(next, triage.askedAt + limitMs + GRACE_MS);
    case "continue":
      return later(next, triage.at + trustMs);
    case "restart":
    case "stop":
      return passedOver(state, step, attempt, next.remedy) === null ? next : { ...next, dueAt: triage.at };
    case "none":
      return next;
  }
}

const later = (next: NextRemedy, at: number): NextRemedy => ({ ...next, dueAt: Math.max(next.dueAt, at) });

/** Why a lighter remedy is not tried; null where the answer leaves it. */
export function passedOver(
  state: RunState,
  step: StepState,
  attempt: AttemptState,
  remedy: Remedy,
): string | null {
  const verdict = step.ladder?.triage?.verdict ?? null;
  if (!isWeak(state, attempt)) return null;
  if (verdict === "restart" && isLighter(remedy, "restart")) return "triage says that it needs a restart";
  if (verdict === "stop" && isLighter(remedy, "operator")) return "triage says that somebody must look at it";
  return null;
}

const isLighter = (one: Remedy, other: Remedy): boolean => REMEDIES.indexOf(one) < REMEDIES.indexOf(other);
