import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readPlain } from "../../files/plain-file.ts";
import type { ContinuousSpec, EndedGoal, Goal } from "../../model/continuous/continuous-spec.ts";
import { PLANNED_MAX } from "../../model/continuous/plan-answer.ts";
import { Fault } from "../../model/fault.ts";
import { flowSchema } from "../../model/flow/flow.ts";
import { quotedWords } from "../../model/text/quoted-words.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { orderOf, type OrderedGoal } from "./goal-order.ts";

const VISION_BYTES_MAX = 64 * 1_024;
const VISION_CHARS_MAX = 12_000;
const ENDED_CHARS_MAX = 6_000;
const LIMIT_MS = 10_000;

/** The run in which a planner is asked for the next goals: it looks at a copy, and answers in words. */
export function planOrderOf(
  spec: ContinuousSpec,
  goal: Goal,
  { loaded, ended }: { readonly loaded: LoadedConfig; readonly ended: readonly EndedGoal[] },
): OrderedGoal {
  const agent = spec.idle.planner ?? spec.agent;
  const question = planQuestion(visionOf(spec), ended);
  const plain = { ...spec };
  delete plain.checks;
  delete plain.flow;
  const { order, obeying } = orderOf(
    plain,
    { id: goal.id, priority: 0, goal: question, ...(agent === undefined ? {} : { agent }) },
    loaded,
  );
  const steps = order.flow.steps.map((step) => ({ ...step, name: "plan", authority: "proposes" as const }));
  const flow = flowSchema.parse({ ...order.flow, name: "plan", steps });
  return { order: { ...order, goal: goal.goal, flow }, obeying };
}

function visionOf({ idle: { vision = "" } }: ContinuousSpec): string {
  const read = readPlain(vision, { bytesMax: VISION_BYTES_MAX, links: "follow" });
  if (read.kind === "read") return new TextDecoder().decode(read.bytes);
  const problem = read.kind === "absent" ? "there is no such file" : read.problem;
  throw new Fault("config_invalid", `the vision ${vision} cannot be read: ${problem}`);
}

/** What others wrote is shown as material: it cannot give orders to the reader of the answer. */
export function planQuestion(vision: string, ended: readonly EndedGoal[]): string {
  const done = ended.map(({ goal, kind, text }) => `${kind}: ${goal.slice(0, 300)} (${text.slice(0, 200)})`);
  return `Choose what is to be done next in this repository. Others do it: change nothing. Read the vision, look at the repository as it is now, and name goals that an agent can reach by itself without asking, the most useful first. Name none that was done, and none where nothing is worth doing now.

The vision:
${quotedWords(vision.slice(0, VISION_CHARS_MAX))}

What became of earlier goals, newest first:
${done.length === 0 ? "| nothing yet" : quotedWords(done.join("\n").slice(0, ENDED_CHARS_MAX))}

Answer with one JSON object and nothing else, with at most ${String(PLANNED_MAX)} goals:
{"goals": [{"goal": "what is to be done, and how one sees that it is", "priority": 0}]}`;
}

/** What a planner would see, as a digest: its vision and what the repository has. It rejects where there is no vision. */
export async function planEvidence(spec: ContinuousSpec): Promise<string> {
  const head = await headOf(spec.cwd);
  return createHash("sha256")
    .update(JSON.stringify([visionOf(spec), head]))
    .digest("hex")
    .slice(0, 24);
}

/** Where git has no answer there is nothing to see of commits. */
const headOf = (cwd: string): Promise<string> =>
  new Promise((resolve) => {
    execFile("git", ["rev-parse", "HEAD"], { cwd, timeout: LIMIT_MS }, (error, stdout) =>
      resolve(error === null ? stdout.trim() : ""),
    );
  });
