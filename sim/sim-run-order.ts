import type { EventData } from "../src/model/events.ts";
import type { Step } from "../src/model/flow.ts";
import { runSettingsSchema } from "../src/model/settings.ts";

const MINUTE = 60_000;

const nameOf = (step: number): string => `s${String(step)}`;
const someBefore = (step: number, chance: () => number): string[] =>
  Array.from({ length: step }, (_, other) => nameOf(other)).filter(() => chance() < 0.35);

/** A run with a random graph of steps, some worked by agents that outlive their supervisor, some inside it. */
export function drawRun(
  chance: () => number,
  { stepsMax = 5, chain }: { readonly stepsMax?: number; readonly chain?: number },
): EventData<"RunCreated"> {
  const count = chain ?? 1 + Math.floor(chance() * stepsMax);
  const steps = Array.from({ length: count }, (_, index): Step => {
    const needs = chain === undefined ? someBefore(index, chance) : index === 0 ? [] : [nameOf(index - 1)];
    return {
      name: nameOf(index),
      task: "simulated work",
      agent: chance() < 0.6 ? "outside" : "inside",
      needs,
      authority: "writes",
      checks: [],
    };
  });
  return {
    goal: "simulated",
    flow: { name: "simulated", steps, phases: [] },
    agents: { outside: { use: "demo" }, inside: { use: "function" } },
    settings: runSettingsSchema.parse({
      attempts: { perStep: 3, atOnce: 1 + Math.floor(chance() * 4), limitMs: 20 * MINUTE },
      startup: { firstOutputMs: 3 * MINUTE, termGraceMs: 10_000 },
    }),
    budget: {},
    cwd: "/simulated",
    by: "sim",
  };
}
