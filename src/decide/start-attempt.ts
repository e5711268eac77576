import { CAPABILITIES } from "../model/agent-kinds.ts";
import { effectKey } from "../model/effects.ts";
import type { RunEvent } from "../model/events.ts";
import { attemptId, sessionKey } from "../model/ids.ts";
import type { RunState, StepState } from "../model/run-state.ts";

/** Gives a step to its agent: with a new conversation, or with the one it had where the agent can go on with it (A6). */
export function startAttempt(state: RunState, step: StepState): RunEvent[] {
  const { spec, started } = step;
  const number = started + 1;
  const attempt = attemptId(spec.name, number);
  const session = sessionKey(state.run, spec.name, number);
  const agent = state.agents[spec.agent];
  if (agent === undefined) return [missingAgent(spec.name, spec.agent)];
  const order = { attempt, session, agent: spec.agent, step: spec.name, number };
  const resume = CAPABILITIES[agent.use].resume ? conversationOf(step) : null;
  const effect = {
    kind: "StartAgent",
    ...order,
    spec: agent,
    task: taskText(step, resume !== null),
    cwd: state.cwd,
    ...(resume === null ? {} : { resume }),
  } as const;
  return [
    { type: "AttemptStarted", data: order },
    { type: "EffectIntended", data: { key: effectKey(attempt, "StartAgent"), effect } },
  ];
}

/** A conversation belongs to the agent that had it. */
const conversationOf = ({ spec, conversation }: StepState): string | null =>
  conversation?.agent === spec.agent ? conversation.id : null;

/** What the agent is told: its task, what its last work lacked, and what people said about it. */
const taskText = ({ spec, feedback, notes }: StepState, goesOn: boolean): string =>
  [
    goesOn && feedback === null ? `You were interrupted. Go on with your task:\n${spec.task}` : spec.task,
    ...(feedback === null ? [] : [`Your last attempt did not pass. What was found:\n${feedback}`]),
    ...(notes.length === 0 ? [] : [`A person says:\n${notes.join("\n")}`]),
  ].join("\n\n");

const missingAgent = (step: string, agent: string): RunEvent => {
  const text = `its agent "${agent}" is not configured`;
  return { type: "StepFailed", data: { step, failure: { class: "terminal", text, fingerprint: text } } };
};
