import { askPerson, say, type Speaker } from "./speaker.ts";
import type { McpTool } from "./mcp-stdio.ts";
import type { System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import { durationMs } from "../../model/text/duration.ts";
import { pendingAlarms, taskView } from "../../views/runs/task.ts";

const text = (description: string) => ({ type: "string", description });

/** What an agent may ask of Holdfast while it works. All of it goes through the run's inbox. */
export const agentTools = (system: System, speaker: Speaker): readonly McpTool[] => [
  tool("read_task", {
    description:
      "Read your task, the goal of the whole run, what is left of its budget, what was noted before, and your alarms.",
    does: async () =>
      JSON.stringify(taskView(await speaker.load(system), speaker.attempt, Date.now()), null, 1),
  }),
  tool("report_progress", {
    description: "Report your progress to the people who follow this run. Call it at each milestone.",
    properties: {
      text: text("one sentence"),
      percent: { type: "number", minimum: 0, maximum: 100 },
    },
    required: ["text"],
    does: (given) => reportProgress(system, speaker, given),
  }),
  tool("save_checkpoint", {
    description:
      "Note where you stand: if you are interrupted, the next agent of this task receives the last note. Call it when something is finished.",
    properties: {
      done: text("what is done"),
      next: text("what is to be done next"),
      questions: text("what is still open"),
    },
    does: (given) => {
      const note = wordsIn(given, ["done", "next", "questions"]);
      return say(system, speaker, { kind: "checkpoint_note", attempt: speaker.attempt, note });
    },
  }),
  ...alarmTools(system, speaker),
  tool("ask_person", {
    description:
      "Ask a person a question that only a person can answer, and wait for the answer. If there is none yet, call it again with the same question.",
    properties: { question: { type: "string" } },
    required: ["question"],
    does: (given) => askPerson(system, speaker, textIn(given, "question")),
  }),
];

const alarmTools = (system: System, speaker: Speaker): McpTool[] => [
  tool("set_alarm", {
    description:
      "Be woken later with a note, for instance when something slow should be ready. Then end your turn: you are started again when it rings. It survives crashes and restarts.",
    properties: {
      in: text("how long from now, such as 90s, 20m, 2h"),
      note: text("the note that you receive then"),
    },
    required: ["in", "note"],
    does: (given) => {
      const afterMs = durationMs(textIn(given, "in"));
      const [dueAt, note] = [Date.now() + afterMs, textIn(given, "note")];
      return say(system, speaker, { kind: "alarm", attempt: speaker.attempt, dueAt, afterMs, note });
    },
  }),
  tool("cancel_alarm", {
    description: "Take an alarm back that has not rung, for instance because your task is done already.",
    properties: { alarm: text("its id, as set_alarm and read_task return it") },
    required: ["alarm"],
    does: async (given) => {
      const alarm = textIn(given, "alarm");
      const known = pendingAlarms(await speaker.load(system)).some(({ id }) => id === alarm);
      if (!known) throw new Fault("not_found", `there is no pending alarm "${alarm}"`);
      return say(system, speaker, { kind: "cancel_alarm", alarm, attempt: speaker.attempt });
    },
  }),
];

interface ToolParts {
  readonly description: string;
  readonly properties?: object;
  readonly required?: readonly string[];
  readonly does: (given: Given) => Promise<string>;
}

const tool = (name: string, { description, properties = {}, required = [], does }: ToolParts): McpTool => ({
  name,
  description,
  inputSchema: { type: "object", properties, ...(required.length === 0 ? {} : { required }) },
  call: async (given) => does(given),
});

async function reportProgress(system: System, speaker: Speaker, given: Given): Promise<string> {
  const percent = percentIn(given);
  const pct = percent === undefined ? {} : { pct: percent };
  const { attempt } = speaker;
  return say(system, speaker, {
    kind: "report",
    attempt,
    say: "progress",
    text: textIn(given, "text"),
    ...pct,
  });
}

/** What an agent gave to a tool. */
type Given = Readonly<Record<string, unknown>>;

const TEXT_CHARS_MAX = 4_000;

function textIn(given: Given, name: string): string {
  const text = given[name];
  if (typeof text !== "string" || text.trim() === "")
    throw new Fault("usage", `"${name}" is ${JSON.stringify(text) ?? "missing"}; expected some words`);
  return text.slice(0, TEXT_CHARS_MAX);
}

/** Those of the names that were given; at least one must be. What is too long is for the run to refuse. */
function wordsIn<Name extends string>(
  given: Given,
  names: readonly Name[],
): { readonly [N in Name]?: string } {
  const said = names.flatMap((name) => {
    const text = given[name];
    if (text === undefined || text === null || text === "") return [];
    if (typeof text !== "string")
      throw new Fault("usage", `"${name}" is ${JSON.stringify(text)}; expected words`);
    return [[name, text] as const];
  });
  if (said.length === 0)
    throw new Fault("usage", `nothing is said; expected words in one of ${names.join(", ")}`);
  return Object.fromEntries(said) as { readonly [N in Name]?: string };
}

function percentIn({ percent }: Given): number | undefined {
  if (percent === undefined || percent === null) return undefined;
  if (typeof percent !== "number" || !(percent >= 0 && percent <= 100))
    throw new Fault("usage", `"percent" is ${JSON.stringify(percent)}; expected a number from 0 to 100`);
  return percent;
}
