import { isOver } from "../../model/state/step-over.ts";
import { AGENTS } from "../../model/agent/kinds/registry.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { AgentSpec } from "../../model/flow/flow.ts";
import type { AskedPermission } from "../../model/flow/permission-rules.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import { isWhole } from "../../model/agent/signals.ts";
import { alarmMessage } from "./decide-alarms.ts";
import { permissionRuling } from "./permission-rule.ts";
import { wordsBy } from "../attempt/words-by.ts";
import { answered, refusedFor, type Verdict } from "../dispatch/verdict.ts";
import { cwdOf } from "../workspace/workspace-place.ts";

/** What an agent waits to be allowed is answered by its policy, or a person is asked (A9); null where it asks nothing. */
export function answerPermission(state: RunState, attempt: AttemptState): RunEvent[] | null {
  const [asked] = Object.entries(attempt.permissions);
  const spec = state.agents[attempt.agent];
  if (asked === undefined || spec === undefined) return null;
  const [askId, ask] = asked;
  const { what } = ask;
  const kept = isWhole(what)
    ? state.steps[attempt.step]?.permitted.find((one) => one.what === what)
    : undefined;
  if (kept !== undefined) return [permissionAnswer(attempt, spec, { askId, ...ask, ...kept })];
  // Whether a person has done something no policy knows.
  const policy = spec.use === "manual" ? "ask" : spec.permissions;
  const { then, rule } = permissionRuling(policy, ask, cwdOf(state, attempt.step));
  if (then !== "ask")
    return [permissionAnswer(attempt, spec, { askId, ...ask, allow: then === "allow", rule })];
  if (state.status !== "running") return null;
  const detail =
    spec.use === "manual"
      ? `step ${attempt.step} is for a person to do: ${what} — approve when it is done, or reject with a note if it cannot be`
      : `${attempt.agent} asks for permission: ${what}${typeof policy === "object" ? ` (${rule})` : ""}`;
  const blocked = {
    reason: "approval_transition",
    detail,
    step: attempt.step,
    attemptKept: true,
    guidance: [],
    ask: { attempt: attempt.id, askId, what },
  } as const;
  return [{ type: "RunBlocked", data: { blocked: { ...blocked, guidance: [] } } }];
}

/** The agent goes on without our answer, such as after somebody chose in its terminal: nobody needs to be asked any more. */
export const answeredElsewhere = (state: RunState, { id, permissions }: AttemptState): RunEvent[] =>
  state.blocked?.ask?.attempt === id && !Object.hasOwn(permissions, state.blocked.ask.askId)
    ? [{ type: "RunUnblocked", data: {} }]
    : [];

/** Who asked has ended, and was not suspended to be continued: there is nothing left to be answered. */
export function askerGone({ blocked, attempts, steps }: RunState): RunEvent[] {
  const ask = blocked?.ask;
  if (ask === undefined || Object.hasOwn(attempts, ask.attempt)) return [];
  const isKept = Object.values(steps).some(({ suspended }) => suspended?.attempt === ask.attempt);
  return isKept ? [] : [{ type: "RunUnblocked", data: {} }];
}

/** A step that a person is asked to do: nothing lives that would have to be watched meanwhile. */
export const isPersonsWork = (state: RunState, { id, agent, ending }: AttemptState): boolean =>
  state.agents[agent]?.use === "manual" && ending === null && state.blocked?.ask?.attempt === id;

interface Answer extends AskedPermission {
  readonly askId: string;
  readonly allow: boolean;
  readonly note?: string | undefined;
  readonly rule?: string;
}

function permissionAnswer(attempt: AttemptState, spec: AgentSpec, answer: Answer): RunEvent {
  const key = effectKey(attempt.id, "AnswerPermission", attempt.answers + 1);
  const effect = {
    kind: "AnswerPermission",
    attempt: attempt.id,
    session: attempt.session,
    spec,
    ...answer,
  } as const;
  return { type: "EffectIntended", data: { key, effect } };
}

/**
 * A person's answer to the permission that the run waits for; nothing where the asking is over by now. Where the session
 * that asked was suspended meanwhile, the answer is kept for the one that continues it.
 */
export function personAllows(
  state: RunState,
  { allow, note, by }: { readonly allow: boolean; readonly note: string | undefined; readonly by: string },
): RunEvent[] {
  const ask = state.blocked?.ask;
  const kept = keepAnswer(state, { allow, note, by });
  if (kept !== null) return kept;
  const attempt = ask === undefined ? undefined : state.attempts[ask.attempt];
  const spec = attempt === undefined ? undefined : state.agents[attempt.agent];
  const asked = attempt?.permissions[ask?.askId ?? ""];
  if (ask === undefined || attempt === undefined || spec === undefined || asked === undefined) return [];
  const said = note === undefined ? {} : { note };
  return [permissionAnswer(attempt, spec, { askId: ask.askId, ...asked, allow, ...said })];
}

function keepAnswer(
  { blocked, steps }: RunState,
  { allow, note, by }: { readonly allow: boolean; readonly note: string | undefined; readonly by: string },
): RunEvent[] | null {
  const { ask, step } = blocked ?? {};
  if (ask?.what === undefined || step === undefined || steps[step]?.suspended?.attempt !== ask.attempt)
    return null;
  const said = note === undefined ? {} : { note };
  return [{ type: "PermissionKept", data: { step, what: ask.what, allow, by, ...said } }];
}

/** Words for an agent: at once where it can be accepts messages at work, else with its next attempt. */
export function sendToAgent(
  state: RunState,
  { text, step, now = false }: Extract<RunRequest, { kind: "tell" }>,
  by: string,
): Verdict {
  if (step !== undefined && !Object.hasOwn(state.steps, step))
    return refusedFor(
      `tell is refused: the run has no step "${step}"; its steps are ${Object.keys(state.steps).join(", ")}`,
    );
  const live = Object.values(state.attempts).filter(
    (attempt) => (step === undefined || attempt.step === step) && attempt.ending === null,
  );
  const [attempt, ...others] = live;
  if (others.length > 0)
    return refusedFor(
      `tell is refused: several agents are running; name one with --step: ${live.map((one) => one.step).join(", ")}`,
    );
  const spec = attempt === undefined ? undefined : state.agents[attempt.agent];
  if (attempt !== undefined && spec !== undefined && AGENTS[spec.use].capabilities.steer === "live") {
    return answered("the message is being sent to the agent", [alarmMessage(state, attempt, { text, by })]);
  }
  const about = attempt?.step ?? step ?? waitingStep(state);
  if (about === undefined) return refusedFor("tell is refused: no step is left that could receive a message");
  const advised: RunEvent = { type: "StepAdvised", data: { step: about, note: text, by } };
  if (now && attempt !== undefined) return sendNow(state, attempt, advised);
  const sooner =
    attempt !== undefined && wordsBy(state, attempt) === "resume" ? "; --now ends its turn for it" : "";
  return answered(
    `kept for the next attempt of step ${about}: its agent does not accept messages while it works${sooner}`,
    [advised],
  );
}

/** The turn is ended at no charge, and the conversation continues with the message. */
function sendNow(state: RunState, attempt: AttemptState, advised: RunEvent): Verdict {
  if (wordsBy(state, attempt) !== "resume")
    return refusedFor(
      `tell --now is refused: ${attempt.agent} (${state.agents[attempt.agent]?.use ?? "unknown"}) has no conversation that could be continued; without --now the message is kept for the next attempt of step ${attempt.step}`,
    );
  const why = "a person has a message for it, and it accepts none at work";
  return answered("its turn is ended, and its conversation continues with your message", [
    advised,
    { type: "AttemptEnding", data: { attempt: attempt.id, to: "message", why } },
  ]);
}

/** An agent's own word that did not come through its output. Only one that is at work counts. */
export function report(
  state: RunState,
  { attempt: id, say, text, pct }: Extract<RunRequest, { kind: "report" }>,
): Verdict {
  const attempt = state.attempts[id];
  if (attempt === undefined || attempt.ending !== null || attempt.exit !== null)
    return refusedFor(
      `report is refused: ${id} is not at work; at work are: ${Object.keys(state.attempts).join(", ") || "none"}`,
    );
  const data = pct === undefined ? {} : { pct };
  const signal =
    say === "progress"
      ? ({ kind: "progress", text, ...data } as const)
      : ({ kind: "blocked", reason: "needs_human", text } as const);
  // Where its output is read on does not change.
  const news = { attempt: id, cursor: attempt.cursor, signals: [signal] };
  return answered(say === "progress" ? "noted" : "a person is asked", [{ type: "SignalsHeard", data: news }]);
}

/** Keeps what an agent notes of where it stands. */
export function noteCheckpoint(
  state: RunState,
  { attempt: id, note }: Extract<RunRequest, { kind: "checkpoint_note" }>,
): Verdict {
  const attempt = state.attempts[id];
  if (attempt === undefined || attempt.ending !== null || attempt.exit !== null)
    return refusedFor(`the note is refused: ${id} is not at work any more`);
  const words = Object.values(note).join("");
  if (words.trim() === "") return refusedFor("the note is refused: it says nothing");
  const charsMax = state.settings.checkpoints.noteChars;
  if (words.length > charsMax)
    return refusedFor(
      `the note is refused: it has ${String(words.length)} characters; expected at most ${String(charsMax)}`,
    );
  return answered("noted; the next agent of this step receives it", [
    { type: "CheckpointNoted", data: { attempt: id, step: attempt.step, note } },
  ]);
}

const waitingStep = (state: RunState): string | undefined =>
  Object.values(state.steps).find((step) => !isOver(step) && step.needsLeft === 0)?.spec.name;

/** Words that did not reach an agent are not lost: its step's next attempt has them, from the one who said them. */
export const keepUntold = (state: RunState): RunEvent[] =>
  state.untold.map(({ step, text, by }) => ({ type: "StepAdvised", data: { step, note: text, by } }));
