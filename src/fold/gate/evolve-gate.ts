import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { EventData, EventType } from "../../model/events/events.ts";
import type { GATE_EVENTS } from "../../model/events/gate-events.ts";
import type { GateLook, GateState } from "../../model/flow/gate.ts";
import { REALITY, type RealityState } from "../../model/requests/reality.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { Place } from "../place.ts";
import { noteMoved, settleBound } from "../step/bound-evidence.ts";
import { forget, openGate } from "./gates.ts";

type GateType = Extract<EventType, keyof typeof GATE_EVENTS>;
type AtGate = Extract<Effect, { kind: "RunAtGate" }>;

/** So often a command is tried whose outcome cannot be learned; then a person is asked (I6). */
const UNKNOWNS_MAX = 3;

/** The part of the fold that concerns gates. */
export const evolveGate: {
  readonly [Type in GateType]: (state: RunState, data: EventData<Type>, place: Place) => void;
} = {
  GateChecked(state, { gate: key }) {
    const gate = state.gates[key];
    if (gate !== undefined) gate.checkFails += 1;
  },
  GateAsked(state, { gate: key, digest, snapshot }, { at }) {
    const gate = state.gates[key];
    if (gate === undefined) return;
    gate.asked = { digest, snapshot, changed: 0, at, ...weighedOf(gate.look) };
    gate.look = null;
    gate.approval = null;
    gate.confirmed = false;
    gate.expiries = 0;
  },
  GateApproved(state, { gate: key, digest, by, proof }, { at }) {
    const gate = state.gates[key];
    if (gate === undefined) return;
    gate.approval = { digest, by, at, ...(proof === undefined ? {} : { proof }) };
    // What failed, or is in doubt, is done again on a yes and on nothing else.
    if (gate.action?.ok === false) gate.action = null;
    // What is approved in the moment of the look needs no other.
    gate.confirmed = gate.look !== null;
    if (gate.look !== null) gate.asked = { ...gate.look, at };
    gate.look = null;
  },
  GateRejected(state, { gate: key }) {
    const gate = state.gates[key];
    if (gate !== undefined) forget(gate);
  },
  GateExpired(state, { gate: key, then }) {
    const gate = state.gates[key];
    if (gate !== undefined) gate.expiries += 1;
    if (then === "escalate" && state.blocked !== null)
      state.blocked = { ...state.blocked, owner: "operator" };
  },
  PhaseTimedOut(state, { phase, limitMs, then }) {
    const clock = state.phaseClocks[phase];
    if (clock !== undefined) clock.over = { limitMs, then };
  },
  GatePassed(state, { gate: key }) {
    const gate = state.gates[key];
    if (gate !== undefined && !gate.passed) openGate(state, gate);
  },
  RealityChecked(state, { verdict, why, digest }) {
    state.reality.digest = digest ?? null;
    state.reality.verdict = verdict;
    state.reality.why = why;
    if (verdict === "NOT READY") state.reality.rounds += 1;
  },
};

const weighedOf = (look: { readonly work?: GateLook["work"] | undefined } | null): Pick<GateLook, "work"> =>
  look?.work === undefined ? {} : { work: look.work };

/** A look at the files that a gate is about. Files that are as approved confirm the approval. */
export function noteLook(state: RunState, data: EventData<"CheckpointTaken">): void {
  const gate = state.gates[state.taken?.effect.gate ?? ""];
  if (gate === undefined) return;
  const { digest, id, changed = 0 } = data.snapshot;
  if (gate.approval !== null && changed === 0) gate.confirmed = true;
  else gate.look = { digest, snapshot: id, changed, ...weighedOf(data.snapshot) };
}

/** What is run at the end of a run has a place like that of a gate. */
const placeOf = (state: RunState, key: string): GateState | RealityState | undefined =>
  key === REALITY ? state.reality : state.gates[key];

export function intendAtGate(state: RunState, { gate }: AtGate): void {
  const place = placeOf(state, gate);
  if (place !== undefined) place.runs += 1;
}

export function settleAtGate(state: RunState, effect: AtGate, outcome: EffectOutcome): void {
  const { gate: key, part, command } = effect;
  const gate = placeOf(state, key);
  settleBound(state, effect, outcome);
  const evidence = outcome.kind === "done" ? outcome.evidence : undefined;
  if (gate === undefined) return;
  if (part === "action" && "action" in gate) {
    const how = evidence === undefined ? (outcome.kind === "done" ? "" : outcome.text) : evidence.excerpt;
    const code = evidence?.exitCode ?? null;
    const words = code === null ? "did not end by itself" : `ended with exit code ${String(code)}`;
    gate.action = { ok: evidence?.verdict === "pass", text: [words, how.trim()].join(": ").slice(0, 2_000) };
    return;
  }
  if (noteMoved(gate, command, outcome) || evidence === undefined) return;
  gate.unknowns = evidence.verdict === "unknown" ? gate.unknowns + 1 : 0;
  if (evidence.verdict === "unknown" && gate.unknowns < UNKNOWNS_MAX) return;
  gate.evidence.push(evidence);
}

/**
 * A gate's action is no effect that may be done twice. One that was under way when its supervisor was gone is in
 * doubt, and only a person has it run again.
 */
export function doubtActions(state: RunState): void {
  for (const [key, effect] of Object.entries(state.effects)) {
    if (effect.kind !== "RunAtGate" || effect.part !== "action") continue;
    Reflect.deleteProperty(state.effects, key);
    const gate = state.gates[effect.gate];
    const text = "it was under way when its supervisor was gone; whether it was done is not known";
    if (gate !== undefined) gate.action = { ok: false, text };
  }
}
