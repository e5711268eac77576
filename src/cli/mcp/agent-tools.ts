import type { System } from "../../main.ts";
import { durationMs } from "../../model/text/duration.ts";
import { Fault } from "../../model/fault.ts";
import { pendingAlarms } from "../../views/runs/alarms.ts";
import { taskView } from "../../views/runs/task.ts";
import { askPerson } from "./ask-person.ts";
import type { McpTool } from "./mcp-stdio.ts";
import { say, type Speaker } from "./speaker.ts";
import { percentIn, textIn, wordsIn, type Given } from "./tool-input.ts";

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
