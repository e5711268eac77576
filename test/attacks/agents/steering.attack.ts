import { reviewTask } from "../../../src/decide/gate/decide-reviews.ts";
import { reviewOf } from "../../../src/runtime/work/review-verdict.ts";
import { triageQuestion } from "../../../src/runtime/work/ask-triage.ts";
import { INJECTIONS } from "../../runtime/injections.ts";
import { FlowRun, only } from "../../decide/flow-run.ts";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";
import { sample } from "../sample.ts";

/** What is left of a question without the quoted words in it. */
const ours = (question: string): string =>
  question
    .split("\n")
    .filter((line) => !line.startsWith("| "))
    .join("\n");

async function steer({ count, seed }: Stage): Promise<Tried> {
  const texts = sample(INJECTIONS, count, seed);
  const succeeded: string[] = [];
  const question = (text: string): string =>
    ours(triageQuestion({ task: text, pattern: "same_call", evidence: [text] } as never, text));
  for (const text of texts) {
    if (question(text) !== question("t")) succeeded.push(`triage is asked by ${JSON.stringify(text)}`);
    if (ours(reviewTask(text)) !== ours(reviewTask("t")))
      succeeded.push(`a reviewer is asked by ${JSON.stringify(text)}`);
    const said = { said: `The work says: ${text}`, problem: null, usd: 0, tokens: 0 };
    if (reviewOf("critic", said).verdict !== "none")
      succeeded.push(`a review passes by ${JSON.stringify(text)}`);
  }
  return tried(texts.length * 3, succeeded);
}

const PLANNED: readonly object[] = [
  { checks: [{ run: "true" }] },
  { checks: [] },
  {},
  { checks: [{ run: "true" }], reviewers: [] },
  { checks: [{ run: "false || true" }] },
  { checks: [{ run: "true" }, { run: "true" }] },
];

/** The operator demanded a check that fails, and a reviewer; a plan brings steps without them, or with easier ones. */
async function weaken(): Promise<Tried> {
  const succeeded: string[] = [];
  for (const step of PLANNED) {
    const plans = { checks: [{ run: "false" }], reviewers: ["dev"] };
    const run = new FlowRun(
      { name: "f", steps: [{ name: "plan", task: "plan it", authority: "proposes", plans }] },
      { checks: { baseline: false }, plan: { commands: ["true", "false || true"] } },
    );
    run.end("plan");
    const events = run.deliver({ "": { steps: [{ name: "a", task: "t", ...step }] } }, "plan.json");
    const planned = only(events, "StepsPlanned")[0]?.steps ?? [];
    const kept = planned.every(
      ({ checks, reviewers }) =>
        checks.some((check) => check.run === "false") && reviewers?.includes("dev") === true,
    );
    if (!kept) succeeded.push(`a plan with ${JSON.stringify(step)} dropped what was demanded`);
  }
  return tried(PLANNED.length, succeeded);
}

export const attacks: readonly Attack[] = [
  {
    ...{ threat: "steering", level: "any", promised: "prevented", count: { full: 50, short: 50 } },
    title: "orders in an agent's words become words of those who ask triage or a reviewer, or a verdict",
    run: steer,
  },
  {
    ...{ threat: "demands", level: "any", promised: "prevented", count: { full: 1, short: 1 } },
    title: "a plan replaces or drops the checks and reviewers that the operator demanded",
    run: weaken,
  },
];
