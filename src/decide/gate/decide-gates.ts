import type { Blocked } from "../../model/requests/blocked.ts";
import { boundOfRun } from "./bound-evidence.ts";
import type { AutoFindings } from "../../model/auto-approval.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { COMPLETION_GATE, phaseOfKey, type Gate, type GateState } from "../../model/flow/gate.ts";
import { commandsText } from "../../model/flow/plan.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { approvesItself, autoFindings, autoText, weighedAgainst } from "../auto-approval.ts";
import { reworkOf } from "./gates.ts";
import { replan } from "../dispatch/plan.ts";
import { remindAbout } from "../requests/decide-escalations.ts";
import { areFilesInHand, takeCheckpoint } from "../workspace/decide-checkpoints.ts";
import { hooksFirst } from "../../fold/gate/evolve-hook.ts";
import { feedbackOf } from "./decide-checks.ts";
import { treeForGate } from "../workspace/decide-workspace.ts";
import { cleanCopy, environmentOf } from "../workspace/workspace-place.ts";

interface At {
  readonly key: string;
  readonly gate: GateState;
  readonly now: number;
}

/** A phase is over when its steps are done and its gate is passed (G4); only then those of the next may start. */
export function decideGates(state: RunState, now: number): RunEvent[] {
  // What is shown, checked or acted on is not there before the run is where it was put back to.
  if (state.restoring !== null) return [];
  for (const key in state.gates) {
    const gate = state.gates[key];
    if (gate === undefined || gate.of === "completion" || gate.passed || gate.left > 0) continue;
    if (gate.previous !== null && state.gates[gate.previous]?.passed !== true) continue;
    const events = decideGate(state, { key, gate, now });
    if (events.length > 0) return events;
  }
  return [];
}

/** Whether a gate is still shut behind the last step: the run ends only when all are passed. */
export const isGateShut = ({ gates, stepsLeft }: RunState): boolean =>
  stepsLeft === 0 && Object.values(gates).some(({ of, passed: isOpen }) => of !== "completion" && !isOpen);

/** Null where nothing stands between the last step and the run's completion. */
export function beforeCompletion(state: RunState, now: number): RunEvent[] | null {
  const gate = state.gates[COMPLETION_GATE];
  return gate === undefined || gate.passed ? null : decideGate(state, { key: COMPLETION_GATE, gate, now });
}

function decideGate(state: RunState, at: At): RunEvent[] {
  const { spec } = at.gate;
  if (spec === null) return [passed(at, "holdfast")];
  return (
    treeForGate(state) ??
    hooksFirst(state, { point: "before_gate", subject: `${at.key}#${String(at.gate.checkFails + 1)}` }) ??
    decideEvidence(state, at, spec) ??
    (spec.kind === "approval" ? decideApproval(state, at, spec) : null) ??
    decideAction(state, at, spec) ?? [passed(at, at.gate.approval?.by ?? "holdfast")]
  );
}

const passed = ({ key, gate }: At, by: string): RunEvent => ({
  type: "GatePassed",
  data: { gate: key, by, ...(gate.approval === null ? {} : { digest: gate.approval.digest }) },
});

/** Null where all checks of the gate have passed. */
function decideEvidence(state: RunState, at: At, { checks = [] }: Gate): RunEvent[] | null {
  const { gate } = at;
  const last = gate.evidence.at(-1);
  if (last !== undefined && last.verdict !== "pass") return notPassed(state, at);
  const check = checks[gate.evidence.length];
  if (check === undefined) return null;
  const limitMs = check.limitMs ?? state.settings.checks.limitMs;
  const clean = check.clean === true ? { clean: cleanCopy(state, at.now) } : {};
  return intend(state, at, { part: "check", command: check.run, limitMs, ...clean });
}

/** The work goes back with what was found; when that was to no avail so often, a person is asked. */
function notPassed(state: RunState, { key, gate }: At): RunEvent[] {
  const last = gate.evidence.at(-1);
  if (last === undefined) return [];
  const feedback = feedbackOf(last);
  const verdict = last.verdict === "fail" ? "fail" : "unknown";
  const isLast = verdict === "unknown" || gate.checkFails + 1 >= state.settings.checks.tries;
  const rework = isLast ? [] : reworkOf(state, gate);
  const checked: RunEvent = { type: "GateChecked", data: { gate: key, verdict, feedback, rework } };
  if (rework.length > 0) return [checked, ...worked(state, rework, feedback, "holdfast")];
  const times = `${String(gate.checkFails + 1)} times`;
  const detail = `the gate "${gate.name}" was not passed ${times}; the last time: ${feedback}`;
  return [checked, blockedAt(gate, { reason: "retries_exhausted", detail, guidance: [PROOF] })];
}

const PROOF = "proof_not_strong_enough";

/** Those steps are worked again, and all that was built on them; they are given the reason. */
export function worked(state: RunState, steps: readonly string[], note: string, by: string): RunEvent[] {
  const reopening = new Set<string>();
  const open = [...steps];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (reopening.has(name) || (state.steps[name]?.started ?? 0) === 0) continue;
    reopening.add(name);
    open.push(...(state.dependents[name] ?? []));
  }
  return [
    ...[...reopening].flatMap((step): RunEvent[] => workedAgain(state, step, { why: note, by })),
    ...steps.map((step): RunEvent => ({ type: "StepAdvised", data: { step, note, by } })),
  ];
}

/** What was planned and is not done goes with its plan: the next one may use other steps. */
function workedAgain(
  state: RunState,
  name: string,
  reason: { readonly why: string; readonly by: string },
): RunEvent[] {
  const step = state.steps[name];
  if (step?.spec.plans !== undefined && step.status === "succeeded") return replan(state, step, reason);
  return [{ type: "StepReset", data: { step: name } }];
}

/** Null where it is approved, and the files are those that were. */
function decideApproval(state: RunState, at: At, spec: Gate): RunEvent[] | null {
  const { gate, key } = at;
  if (gate.approval !== null && gate.confirmed) return null;
  // Nothing may be at work on what is approved.
  if (!isQuiet(state)) return [];
  if (gate.look === null) return lookAt(state, at);
  const { digest, snapshot } = gate.look;
  const found = autoFindings(state, gate);
  const policy = found === null ? {} : { policy: found };
  if (approvesItself(spec, found))
    return [{ type: "GateApproved", data: { gate: key, digest, by: "policy", ...policy } }];
  const again = gate.approval === null ? {} : { again: true };
  return [
    { type: "GateAsked", data: { gate: key, digest, snapshot, ...again, ...policy } },
    asked(at, digest, found),
  ];
}

const isQuiet = (state: RunState): boolean =>
  Object.keys(state.attempts).length === 0 &&
  state.ready.count === 0 &&
  Object.keys(state.checking).length === 0;

/** The files are kept as they are: what is approved can be looked at, and distinguished from what comes later. */
function lookAt(state: RunState, { key, gate, now }: At): RunEvent[] {
  if (areFilesInHand(state)) return [];
  const since = gate.approval === null ? {} : { since: gate.asked?.snapshot };
  const weigh = weighedAgainst(state, gate);
  return takeCheckpoint(state, "asked", now, { note: `what the gate "${gate.name}" is about` }).map(
    (event) =>
      event.type === "EffectIntended" && event.data.effect.kind === "TakeCheckpoint"
        ? {
            ...event,
            data: { ...event.data, effect: { ...event.data.effect, gate: key, ...since, ...weigh } },
          }
        : event,
  );
}

/** What is approved, and the gate where its name says more. */
function whatOf(key: string, { of, name, commands = [] }: GateState): { what: string; gate: string } {
  if (commands.length > 0)
    return {
      what: `the commands that an agent has planned, which Holdfast would run: ${commandsText(commands)}`,
      gate: "",
    };
  if (of === "phase") return { what: `${phaseOfKey(key)} phase`, gate: `gate ${name}, ` };
  return { what: of === "plan" ? "the plan" : "the result of the run", gate: "" };
}

function asked({ key, gate }: At, digest: string, found: AutoFindings | null): RunEvent {
  const { what, gate: name } = whatOf(key, gate);
  const changed = gate.approval === null ? "" : "; what was approved has changed since";
  const by = gate.spec?.approvers === undefined ? "" : `; it is for ${gate.spec.approvers.join(", ")}`;
  return blockedAt(gate, {
    reason: gate.of === "completion" ? "approval_completion" : "approval_transition",
    detail: `Approval needed: ${what} (${name}${shortDigest(digest)})${changed}${by}${autoText(found)}`,
    digest,
  });
}

export const shortDigest = (digest: string): string => digest.slice(0, 12);

const blockedAt = (
  gate: GateState,
  blocked: Pick<Blocked, "reason" | "detail"> & Partial<Pick<Blocked, "guidance" | "digest">>,
): RunEvent => ({
  type: "RunBlocked",
  data: { blocked: { attemptKept: false, guidance: [], gate: gate.name, ...blocked } },
});

/** Null where the gate has no action, or it has succeeded. */
function decideAction(state: RunState, at: At, { action }: Gate): RunEvent[] | null {
  const { gate } = at;
  if (action === undefined || gate.action?.ok === true) return null;
  if (gate.action !== null) {
    const detail = `the action of the gate "${gate.name}" failed: \`${action.run}\` ${gate.action.text}`;
    const digest = gate.approval === null ? {} : { digest: gate.approval.digest };
    return [blockedAt(gate, { reason: "gate_action_failed", detail, ...digest })];
  }
  const limitMs = action.limitMs ?? state.settings.gates.actionMs;
  return intend(state, at, { part: "action", command: action.run, limitMs });
}

interface Command {
  readonly part: "check" | "action";
  readonly command: string;
  readonly limitMs: number;
  readonly clean?: ReturnType<typeof cleanCopy>;
}

const writtenAt = (spec: Gate | null): string[] => (spec?.checks ?? []).flatMap(({ writes }) => writes ?? []);

function intend(
  state: RunState,
  { key: gate, gate: { runs, approval, bound, spec }, now }: At,
  order: Command,
): RunEvent[] {
  const isUnderWay = Object.values(state.effects).some(
    (effect) => effect.kind === "RunAtGate" && effect.gate === gate,
  );
  if (isUnderWay) return [];
  const ordered = { slot: `seen/gate/${gate}`, since: bound.seen, writes: writtenAt(spec), now };
  const effect = {
    kind: "RunAtGate",
    gate,
    ...order,
    ...(order.part === "check" ? boundOfRun(state, ordered) : {}),
    cwd: state.cwd,
    outputBytesMax: state.settings.checks.outputBytesMax,
    env: { ...environmentOf(state), ...(approval === null ? {} : { HOLDFAST_DIGEST: approval.digest }) },
  } as const;
  return [
    { type: "EffectIntended", data: { key: effectKey(`gate/${gate}`, "RunAtGate", runs + 1), effect } },
  ];
}

/** The gate that a person is asked about now. */
export function askedGate(state: RunState): { readonly key: string; readonly gate: GateState } | null {
  const name = state.blocked?.gate;
  if (name === undefined) return null;
  for (const [key, gate] of Object.entries(state.gates))
    if (gate.name === name && !gate.passed) return { key, gate };
  return null;
}

/** A question whose work was given out again is withdrawn: the gate asks once that is done, and nothing else would. */
export function withdrawn(state: RunState): RunEvent[] {
  if (state.status !== "awaiting_approval" || state.blocked?.gate === undefined) return [];
  const { gate } = askedGate(state) ?? {};
  const stands = gate !== undefined && (gate.asked !== null || gate.approval !== null);
  return stands ? [] : [{ type: "RunUnblocked", data: {} }];
}

/** When an approval that nobody gives expires next; Infinity for never. */
export function expiresAt(state: RunState): number {
  if (state.status !== "awaiting_approval") return Infinity;
  const { gate } = askedGate(state) ?? {};
  const expiry = gate?.spec?.expiry;
  if (gate === undefined || gate.asked === null || expiry === undefined) return Infinity;
  const isOnce = thenOf(gate) !== "remind";
  if (isOnce && gate.expiries > 0) return Infinity;
  return gate.asked.at + expiry.afterMs * (gate.expiries + 1);
}

/** Only a person opens a credentialed gate: where time would, people are reminded instead. */
const thenOf = ({ spec }: GateState) =>
  spec?.credentialed === true && spec.expiry?.then === "go_on" ? "remind" : (spec?.expiry?.then ?? "remind");

export function decideExpiry(state: RunState, now: number): RunEvent[] {
  const at = askedGate(state);
  if (at === null || at.gate.asked === null || now < expiresAt(state)) return [];
  const { key, gate } = at;
  const then = thenOf(at.gate);
  const nth = gate.expiries + 1;
  const expired: RunEvent = { type: "GateExpired", data: { gate: key, then, nth } };
  switch (then) {
    case "remind":
      return [expired, ...remindAbout(state, `g${String(nth)}`, now)];
    case "escalate":
      return [expired];
    case "cancel":
      return [expired, { type: "RunStopping", data: { to: "cancelled", stop: "timeout" } }];
    case "go_on":
      return [
        expired,
        { type: "GateApproved", data: { gate: key, digest: at.gate.asked.digest, by: "expiry" } },
        { type: "RunUnblocked", data: {} },
      ];
  }
}
