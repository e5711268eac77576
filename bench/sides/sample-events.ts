import type { EventData, RunEvent } from "../../src/model/events/events.ts";
import { runSettingsSchema } from "../../src/model/settings/settings.ts";

/** The usual event of a long run: an agent said something and called a tool; about 200 bytes of data. */
export const heardEvent = (number: number): RunEvent => ({
  type: "SignalsHeard",
  data: {
    attempt: "work#1",
    cursor: String(number * 120),
    signals: [
      { kind: "message", from: "agent", text: "The third test still fails; looking at the parser again." },
      { kind: "tool_call", name: "edit", args: "src/parser.ts" },
    ],
  },
});

export const SAMPLE_GOAL = "mend the tests";

const created: EventData<"RunCreated"> = {
  goal: SAMPLE_GOAL,
  flow: {
    name: "goal",
    steps: [{ name: "work", task: SAMPLE_GOAL, agent: "dev", needs: [], authority: "writes", checks: [] }],
    phases: [],
  },
  agents: { dev: { use: "demo", script: "hello" } },
  settings: runSettingsSchema.parse({}),
  budget: {},
  cwd: "/project",
  by: "bench",
};

/** How every run begins. */
export const FIRST_EVENTS: readonly RunEvent[] = [
  { type: "RunCreated", data: created },
  { type: "RunClaimed", data: { owner: "own_bench", epoch: 1, from: "nobody" } },
  { type: "RunStarted", data: {} },
  {
    type: "AttemptStarted",
    data: { attempt: "work#1", step: "work", number: 1, agent: "dev", session: "bench.work.1" },
  },
];
