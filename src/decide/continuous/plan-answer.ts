import type { GoalState } from "../../model/continuous/continuous-state.ts";
import type { Goal } from "../../model/continuous/continuous-spec.ts";
import { planAnswerSchema } from "../../model/continuous/plan-answer.ts";
import type { Recorded, RunEvent } from "../../model/events/events.ts";
import { answerIn, shownAnswer } from "../../model/text/answer-in.ts";

/** The planner's last word in the journal of its run; null where it said none. */
export function lastWordIn(events: readonly Recorded[]): unknown {
  let said: unknown = null;
  for (const event of events) {
    if (event.type !== "SignalsHeard") continue;
    for (const signal of event.data.signals) {
      if (signal.kind === "message" && signal.from === "agent") said = signal.text;
      if (signal.kind === "result") said = signal.value ?? signal.text ?? said;
    }
  }
  return said;
}

/** Ends a planner's goal with what it has answered. It names words and priorities; anything else is refused as a whole. */
export function answeredPlan({ goal: { id } }: GoalState, run: string, said: unknown): RunEvent[] {
  const { error, data } = planAnswerSchema.safeParse(answerIn(said));
  if (error !== undefined) {
    const [issue] = error.issues;
    const where = issue === undefined ? "" : ` (${[...issue.path, issue.message].join(" ")})`;
    const text = `the planner's answer is not usable${where}: ${shownAnswer(said)}`;
    return [{ type: "GoalEnded", data: { goal: id, end: "failed", text } }];
  }
  const goals = data.goals.map(({ goal, priority = 0 }, at): Goal => ({
    id: `${id}-${String(at + 1)}`,
    goal,
    priority,
  }));
  const text = goals.length === 0 ? "nothing is to be done now" : `${String(goals.length)} goals planned`;
  return [
    { type: "PlanAnswered", data: { goal: id, run, goals } },
    { type: "GoalEnded", data: { goal: id, end: "done", text } },
  ];
}
