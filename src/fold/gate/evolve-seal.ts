import type { Place } from "../place.ts";
import { writes } from "../workspace/workspace-place.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { EventData } from "../../model/events/events.ts";
import { isBreach, nothingMoved, type SealAct } from "../../model/requests/seal.ts";
import type { RunState } from "../../model/state/run-state.ts";

const ACTS_SAID_MAX = 5;

/** What an agent did to the real repository, and where that is kept. */
function breachText(agent: string, acts: readonly SealAct[]): string {
  const proved = acts.filter((act) => act.proved);
  const said = proved.slice(0, ACTS_SAID_MAX).map(({ what, undone, kept }) => {
    const where = kept === null ? "" : `, kept as ${kept}`;
    return `${what} (${undone ? "put back" : "NOT put back: it has changed since"}${where})`;
  });
  const more = proved.length > said.length ? ` and ${String(proved.length - said.length)} more` : "";
  return `${agent} may not write to the repository and has changed ${said.join(", ")}${more}; its work does not count`;
}

/** So many findings are kept for people to look at. */
const FOUND_MAX = 10;

/** Effects by which files of the real tree change with authority. */
const WRITING: ReadonlySet<Effect["kind"]> = new Set([
  "ApplyProposal",
  "AcceptWork",
  "CommitWork",
  "JoinWork",
  "RestoreCheckpoint",
  "RunCheck",
]);

/** Where somebody writes who may, changed files say nothing about those who may not. */
export function noteWriting(state: RunState, effect: Effect): void {
  const isWriter = effect.kind === "StartAgent" && writes(state.steps[effect.step]);
  if (!isWriter && !WRITING.has(effect.kind)) return;
  for (const seal of Object.values(state.seals.open)) seal.shared = true;
}

export function noteSeal(state: RunState, effect: Extract<Effect, { kind: "StartAgent" }>): void {
  const { attempt, step, agent, session, seal } = effect;
  if (seal === undefined) return;
  const shared =
    Object.values(state.attempts).some((other) => writes(state.steps[other.step])) ||
    Object.keys(state.checking).some((name) => writes(state.steps[name]));
  state.seals.open[attempt] = {
    ...{ ...seal, step, agent, session },
    ...{ looks: 0, failures: 0, failure: "", shared },
  };
}

export function intendOpening(state: RunState, { of }: Extract<Effect, { kind: "OpenSeal" }>): void {
  const seal = state.seals.open[of];
  if (seal !== undefined) seal.looks += 1;
}

export function settleOpening(
  state: RunState,
  { of }: Extract<Effect, { kind: "OpenSeal" }>,
  outcome: EffectOutcome,
): void {
  const seal = state.seals.open[of];
  if (seal === undefined) return;
  if (outcome.kind !== "done" || outcome.seal === undefined) {
    seal.failures += 1;
    seal.failure = outcome.kind === "done" ? "it has shown nothing" : outcome.text;
    return;
  }
  Reflect.deleteProperty(state.seals.open, of);
  const { step, agent } = seal;
  noteFound(state, { attempt: of, step, agent, report: outcome.seal });
}

/** A reviewer that was broken off is compared by the one that ended it. */
export function noteReviewerEnded(
  state: RunState,
  { attempt, sealed }: Extract<Effect, { kind: "EndAgent" }>,
  outcome: EffectOutcome,
): void {
  if (sealed === undefined || outcome.kind !== "done" || outcome.seal === undefined) return;
  noteFound(state, { attempt, step: sealed.step, agent: sealed.agent, report: outcome.seal });
}

export function noteFound(state: RunState, found: RunState["seals"]["reports"][number]): void {
  if (!nothingMoved(found.report)) state.seals.reports.push(found);
}

/** Somebody had a say: what could not be compared is tried again. */
export function sealsAfterPerson({ seals }: RunState): void {
  for (const seal of Object.values(seals.open)) seal.failures = 0;
}

export const evolveSeal = {
  RepositoryMoved(state: RunState, data: EventData<"RepositoryMoved">, { at }: Place): void {
    const { attempt, step, agent, breach, ...report } = data;
    const { seals } = state;
    seals.reports = seals.reports.filter((found) => found.attempt !== attempt || found.agent !== agent);
    seals.found = [...seals.found, { attempt, step, agent, report, at }].slice(-FOUND_MAX);
    if (!breach) return;
    seals.breaches += 1;
    const checking = state.steps[step]?.checking ?? null;
    if (checking?.attempt === attempt && isBreach(report)) checking.breach = breachText(agent, report.acts);
  },
};
