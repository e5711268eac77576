import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Recorded, RunEvent } from "../../../src/model/events/events.ts";
import { flowSchema, type Flow } from "../../../src/model/flow/flow.ts";

const STEPS = ["look", "write", "check"];

/** Three steps of an agent that looks, waits for its model, uses tools and says what it did. */
export function goodFlow(): Flow {
  const steps = STEPS.map((name, nth) => ({
    name,
    task: `${name} with care`,
    agent: "dev",
    needs: nth === 0 ? [] : [STEPS[nth - 1]],
    checks: name === "write" ? [{ run: "test -s made.txt" }] : [],
  }));
  return flowSchema.parse({ name: "good", steps });
}

/** The script of its agent; `thinkMs` is how long its model takes. */
export function goodScript(folder: string, thinkMs: number): string {
  const file = path.join(folder, "good.json");
  const acts = [
    { do: "say", text: "I begin with {step}" },
    { do: "tool", name: "bash", args: "ls", result: "made.txt" },
    { do: "sleep", ms: thinkMs },
    { do: "append", file: "made.txt", line: "{step} {number}" },
    { do: "usage", tokensIn: 1_000, tokensOut: 50 },
    { do: "claim", ok: true, text: "{step} is done", value: { step: "{step}" } },
  ];
  writeFileSync(file, JSON.stringify({ attempts: [acts] }));
  return file;
}

/** What is part of the story of a run, no matter who works beside it. */
const TOLD: ReadonlySet<RunEvent["type"]> = new Set([
  "RunCreated",
  "RunStarted",
  "AttemptStarted",
  "AttemptEnded",
  "StepSucceeded",
  "StepRetryScheduled",
  "StepFailed",
  "RunBlocked",
  "RunPaused",
  "RunCompleted",
  "RunFailed",
  "AttemptEnding",
  "RemedyTaken",
]);

/** The story of a run without ids, times and places: two runs of the same kind have the same one. */
export function storyOf(run: string, events: readonly Recorded[]): string[] {
  const plain = (value: unknown): string =>
    JSON.stringify(value)
      .replaceAll(run, "RUN")
      .replaceAll(/good-[a-z]+-\d+/g, "RUN")
      .replaceAll(/"(durationMs|at|since)":\d+/g, `"$1":0`);
  const said: Record<string, string[]> = {};
  for (const event of events)
    if (event.type === "SignalsHeard")
      (said[event.data.attempt] ??= []).push(...event.data.signals.map((signal) => plain(signal)));
  const reported = events
    .filter(({ type }) => TOLD.has(type))
    .map(({ type, data }) => `${type} ${plain(data)}`);
  const received = Object.entries(said).map(([attempt, signals]) => `${attempt} said ${signals.join(" ")}`);
  return [...reported.filter((line) => !line.startsWith("RunCreated")), ...received.sort()];
}
