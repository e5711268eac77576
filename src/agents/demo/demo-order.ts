import type { StartOrder } from "../agent-driver.ts";
import type { Act, DemoScript } from "./demo-script.ts";

/** What the driver leaves in the session's folder for the agent: the script is resolved already, so later edits do not matter. */
export interface DemoOrder {
  readonly run: string;
  readonly step: string;
  readonly attempt: string;
  readonly number: number;
  readonly task: string;
  readonly script: DemoScript;
}

export const demoOrder = (order: StartOrder, script: DemoScript): DemoOrder => {
  const { run, step, attempt, number, task } = order;
  return { run, step, attempt, number, task, script };
};

export const actsOf = ({ script, number }: DemoOrder): readonly Act[] =>
  script.attempts[Math.min(number, script.attempts.length) - 1] ?? [];
