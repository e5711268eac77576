import { handedTo, missingInput, outputWords } from "../gate/decide-outputs.ts";
import { AGENTS } from "../../model/agent/kinds/registry.ts";
import type { Spent } from "../../model/requests/budget.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { AgentSpec } from "../../model/flow/flow.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { attemptId, sessionKey } from "../../model/ids.ts";
import { accountOfAgent } from "../resources/shared-resources.ts";
import { planWords } from "../dispatch/plan.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { spokenText } from "../../model/text/words.ts";
import { sealOf } from "../gate/seal-rule.ts";
import { cwdOf, environmentOf } from "../workspace/workspace-place.ts";

/** Gives a step to its agent: with a new conversation, or with the one it had where the agent can go on with it (A6). */
export function startAttempt(
  state: RunState,
  step: StepState,
  { reserved = {}, now }: { readonly reserved?: Partial<Spent>; readonly now: number },
): RunEvent[] {
  const { spec, started } = step;
  const number = started + 1;
  const attempt = attemptId(spec.name, number);
  const session = sessionKey(state.run, spec.name, number);
  const name = step.helper?.agent ?? spec.agent;
  const agent = state.agents[name];
  if (agent === undefined) return [cannotBegin(spec.name, `its agent "${name}" is not configured`)];
  const missing = missingInput(state, step);
  if (missing !== null) return [cannotBegin(spec.name, missing)];
  const order = { attempt, session, agent: name, step: spec.name, number };
  const artifacts = handedTo(state, step);
  // Met again and again with one conversation, a limit is tried with a new one.
  const isTired = step.limit !== null && step.limitWaits >= state.settings.cooldown.restartAfter;
  const goesOn = AGENTS[agent.use].capabilities.resume && !isTired && step.helper === null;
  const resume = goesOn ? conversationOf(step) : null;
  const effect = {
    kind: "StartAgent",
    ...order,
    spec: placed(state, agent, spec.name),
    task: step.helper?.task ?? taskText(state, step, resume !== null),
    cwd: cwdOf(state, spec.name),
    ...withheldFrom(state),
    ...(resume === null ? {} : { resume }),
    ...(artifacts.length === 0 ? {} : { artifacts }),
    ...sealOf(state, step, { attempt, now }),
  } as const;
  return [
    ...limitPassed(state, step, attempt),
    {
      type: "AttemptStarted",
      data: {
        ...order,
        ...(Object.keys(reserved).length > 0 ? { reserved } : {}),
        ...(step.helper === null ? {} : { helps: true }),
      },
    },
    { type: "EffectIntended", data: { key: effectKey(attempt, "StartAgent"), effect } },
  ];
}

/** The agent finds where it works, and which ports are its, in its environment. */
const placed = (state: RunState, agent: AgentSpec, step: string): AgentSpec =>
  state.workspace.worktree === null
    ? agent
    : { ...agent, env: { ...agent.env, ...environmentOf(state, step) } };

/** A limit that was waited for is over: that is said once, with the attempt that goes on. */
const limitPassed = (state: RunState, { spec, limit }: StepState, attempt: string): RunEvent[] =>
  limit === null
    ? []
    : [
        {
          type: "LimitPassed",
          data: { step: spec.name, attempt, ground: accountOfAgent(state, spec.agent) },
        },
      ];

/** Where receivers of notices are, and what signs what they get, is not for agents. */
function withheldFrom({ settings }: RunState): { readonly withheld?: string[] } {
  const names = Object.values(settings.notify.channels).flatMap((channel) =>
    channel.use === "webhook" ? [channel.urlEnv, channel.secretEnv] : [],
  );
  const withheld = names.filter((name) => name !== undefined);
  return withheld.length === 0 ? {} : { withheld };
}

/** A conversation belongs to the agent that had it. */
const conversationOf = ({ spec, conversation }: StepState): string | null =>
  conversation?.agent === spec.agent ? conversation.id : null;

/**
 * What the agent receives: its task, what its last work lacked, what people said about it, and what rang. One that
 * starts over on a step that others have worked is handed over what they noted (A6).
 */
const taskText = (state: RunState, step: StepState, goesOn: boolean): string => {
  const { spec, feedback, notes, rung, message } = step;
  const said = [...spokenText(notes), ...(rung.length === 0 ? [] : [rung.join("\n")])];
  // The conversation knows its task.
  if (goesOn && message !== null) return [message, ...said].join("\n\n");
  return [
    goesOn && feedback === null ? `You were interrupted. Go on with your task:\n${spec.task}` : spec.task,
    ...planWords(state, step),
    ...outputWords(step),
    ...(goesOn ? [] : handOver(state, step)),
    ...(feedback === null ? [] : [`Your last attempt did not pass. What was found:\n${feedback}`]),
    ...said,
  ].join("\n\n");
};

/** What the agents before this one noted, and which of their alarms are still to ring. */
function handOver({ alarms }: RunState, { spec, checkpoint }: StepState): string[] {
  const noted = (["done", "next", "questions"] as const).flatMap((part) => {
    const words = checkpoint?.[part];
    return words === undefined ? [] : [`${HAND_OVER[part]}\n${words}`];
  });
  const pending = Object.values(alarms)
    .filter(({ step, attempt }) => step === spec.name && attempt !== undefined)
    .map(({ id, dueAt, note }) => `${id} at ${isoTime(dueAt)}: ${note}`);
  return [
    ...(checkpoint === null || noted.length === 0
      ? []
      : [`Another agent worked on this before you (${checkpoint.attempt}). It noted:`, ...noted]),
    ...(pending.length === 0 ? [] : [`Alarms set before you that are still to ring:\n${pending.join("\n")}`]),
  ];
}

const HAND_OVER = { done: "Done:", next: "Next:", questions: "Open questions:" } as const;

const cannotBegin = (step: string, text: string): RunEvent => ({
  type: "StepFailed",
  data: { step, failure: { class: "terminal", text, fingerprint: text } },
});
