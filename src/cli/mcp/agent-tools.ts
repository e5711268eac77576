import { setTimeout as delay } from "node:timers/promises";
import type { System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import type { RunRequest } from "../../model/requests.ts";
import type { RunState } from "../../model/run-state.ts";
import type { McpTool } from "./mcp-stdio.ts";

/** Who speaks: one attempt of one run, and no other. */
export interface Speaker {
  readonly run: string;
  readonly attempt: string;
}

const TEXT_CHARS_MAX = 4_000;
const ANSWER_WAIT_MS = 30_000;
/** Callers give up on a tool after a minute or so. */
const PERSON_WAIT_MS = 45_000;
const LOOK_EVERY_MS = 500;

/** What an agent may ask of Holdfast while it works. All of it goes through the run's inbox. */
export function agentTools(system: System, speaker: Speaker): readonly McpTool[] {
  return [
    {
      name: "read_task",
      description: "Read your task, the goal of the whole run, and what is left of its budget.",
      inputSchema: { type: "object", properties: {} },
      call: async () => JSON.stringify(taskOf(await loadOwn(system, speaker), speaker), null, 1),
    },
    {
      name: "report_progress",
      description: "Tell the people who follow this run how far you are. Call it at each milestone.",
      inputSchema: {
        type: "object",
        properties: {
          text: { type: "string", description: "one sentence" },
          percent: { type: "number", minimum: 0, maximum: 100 },
        },
        required: ["text"],
      },
      call: async (given) => {
        const percent = percentIn(given);
        const pct = percent === undefined ? {} : { pct: percent };
        return ask(system, speaker, { say: "progress", text: textIn(given, "text"), ...pct });
      },
    },
    {
      name: "ask_person",
      description:
        "Ask a person a question that only a person can answer, and wait for the answer. If there is none yet, call it again with the same question.",
      inputSchema: {
        type: "object",
        properties: { question: { type: "string" } },
        required: ["question"],
      },
      call: async (given) => askPerson(system, speaker, textIn(given, "question")),
    },
  ];
}

type Report = Omit<Extract<RunRequest, { kind: "report" }>, "kind" | "attempt">;

async function ask(system: System, { run, attempt }: Speaker, report: Report): Promise<string> {
  const outcome = await system.requests.ask(
    run,
    { kind: "report", attempt, ...report },
    { by: `agent ${attempt}`, waitMs: ANSWER_WAIT_MS },
  );
  if (outcome.kind === "queued") return "stored; it is taken up as soon as the run is worked";
  if (outcome.answer.kind === "refused") throw new Fault("refused", outcome.answer.text);
  return outcome.answer.text;
}

/** The same question has one answer, however often it is asked. */
async function askPerson(system: System, speaker: Speaker, question: string): Promise<string> {
  const { step } = ownAttempt(await loadOwn(system, speaker), speaker);
  let asked = false;
  for (const until = Date.now() + PERSON_WAIT_MS; Date.now() < until; await delay(LOOK_EVERY_MS)) {
    const answer = await answerTo(system, speaker.run, step, question);
    if (answer.kind === "answered") return answer.text;
    if (answer.kind === "none" && !asked) await ask(system, speaker, { say: "question", text: question });
    asked = true;
  }
  return "nobody has answered yet; call ask_person again with the same question to go on waiting";
}

type Found = { readonly kind: "none" | "open" } | { readonly kind: "answered"; readonly text: string };

async function answerTo(system: System, run: string, step: string, question: string): Promise<Found> {
  let raised: string | null = null;
  let found: Found = { kind: "none" };
  for (let after = 0; ;) {
    const events = await system.rooms.journal.read(run, { after, limit: 1_000 });
    for (const event of events)
      if (event.type === "EscalationRaised") {
        const { id, detail, step: about } = event.data.escalation;
        if (detail !== question || about !== step) continue;
        raised = id;
        found = { kind: "open" };
      } else if (event.type === "EscalationResolved" && event.data.id === raised) {
        const { note, how, by } = event.data;
        found = {
          kind: "answered",
          text: note ?? `no words were left by ${by}; the run ${how.replace("_", " ")}`,
        };
      }
    const last = events.at(-1);
    if (last === undefined) return found;
    after = last.seq;
  }
}

async function loadOwn(system: System, speaker: Speaker): Promise<RunState> {
  const state = await system.loadRun(speaker.run);
  if (state === null) throw new Fault("not_found", `there is no run "${speaker.run}" in this store`);
  ownAttempt(state, speaker);
  return state;
}

/** One that is over speaks for nobody any more. */
function ownAttempt(state: RunState, { run, attempt }: Speaker): RunState["attempts"][string] {
  const own = state.attempts[attempt];
  if (own === undefined || own.ending !== null)
    throw new Fault(
      "refused",
      `${attempt} of ${run} is not at work any more; nothing more can be said for it`,
    );
  return own;
}

function taskOf(state: RunState, speaker: Speaker): object {
  const { step, number } = ownAttempt(state, speaker);
  const spec = state.steps[step]?.spec;
  const { usd, tokens } = state.budget;
  return {
    ...{ run: state.run, goal: state.goal, step, attempt: number, task: spec?.task ?? "" },
    checks: (spec?.checks ?? []).map(({ run }) => run),
    budgetLeft: {
      usd: usd === undefined ? "unlimited" : Math.max(0, usd - state.spent.usd),
      tokens: tokens === undefined ? "unlimited" : Math.max(0, tokens - state.spent.tokens),
    },
  };
}

function textIn(given: Readonly<Record<string, unknown>>, name: string): string {
  const text = given[name];
  if (typeof text !== "string" || text.trim() === "")
    throw new Fault("usage", `"${name}" is ${JSON.stringify(text) ?? "missing"}; expected some words`);
  return text.slice(0, TEXT_CHARS_MAX);
}

function percentIn({ percent }: Readonly<Record<string, unknown>>): number | undefined {
  if (percent === undefined || percent === null) return undefined;
  if (typeof percent !== "number" || !(percent >= 0 && percent <= 100))
    throw new Fault("usage", `"percent" is ${JSON.stringify(percent)}; expected a number from 0 to 100`);
  return percent;
}
