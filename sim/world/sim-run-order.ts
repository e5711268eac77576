import type { EventData } from "../../src/model/events/events.ts";
import type { Step } from "../../src/model/flow/flow.ts";
import { runSettingsSchema } from "../../src/model/settings/settings.ts";
import { withGates } from "../people/draw-gates.ts";
import { drawFlowParts, drawPlanner } from "../agents/sim-flow.ts";

const MINUTE = 60_000;

const nameOf = (step: number): string => `s${String(step)}`;
const someBefore = (step: number, chance: () => number): string[] =>
  Array.from({ length: step }, (_, other) => nameOf(other)).filter(() => chance() < 0.35);

/** A run with a random graph of steps, some worked by agents that outlive their supervisor, some inside it. */
export function drawRun(
  chance: () => number,
  {
    stepsMax = 5,
    chain,
    flows = false,
  }: { readonly stepsMax?: number; readonly chain?: number; readonly flows?: boolean },
  /** Of its own, so that what is drawn of flows changes nothing else of a seed. */
  flowChance: () => number,
): EventData<"RunCreated"> {
  const count = chain ?? 1 + Math.floor(chance() * stepsMax);
  const plain = Array.from({ length: count }, (_, index): Step => {
    const needs = chain === undefined ? someBefore(index, chance) : index === 0 ? [] : [nameOf(index - 1)];
    return {
      name: nameOf(index),
      task: "simulated work",
      agent: chance() < 0.6 ? "outside" : "inside",
      needs,
      authority: "writes",
      checks: chain === undefined && chance() < 0.35 ? drawChecks(chance) : [],
      ...(chain === undefined && chance() < 0.15 ? { budget: drawBudget(chance) } : {}),
      ...(chain === undefined && chance() < 0.3 ? { outputs: [{ path: `${nameOf(index)}.json` }] } : {}),
    };
  });
  const hasParts = chain === undefined && (flowChance() < 0.4 || flows);
  const steps = hasParts ? drawFlowParts(drawPlanner(plain, flowChance), flowChance) : plain;
  const budget = chain === undefined ? drawBudget(chance) : {};
  const flow = { name: "simulated", steps, phases: [] };
  return {
    goal: "simulated",
    flow: chain === undefined ? withGates(flow, flowChance) : flow,
    agents: {
      outside: { use: "demo", account: "shared" },
      inside: { use: "function" },
      second: { use: "demo" },
    },
    settings: runSettingsSchema.parse({
      attempts: { perStep: 3, atOnce: 1 + Math.floor(chance() * 4), limitMs: 20 * MINUTE },
      startup: { firstOutputMs: 3 * MINUTE, termGraceMs: 10_000 },
      ladder: { nudgeMs: 5_000, strategyMs: 5_000, restartMs: 5_000, nextAgent: "second" },
      // Lives are small: two runs are several, and three sessions are many.
      incidents: { runs: 2 },
      crashes: { count: 2, deaths: 3 },
      ...(chain === undefined
        ? {
            notify: drawNotify(chance),
            ...drawProtected(chance),
            ...drawCheckpoints(chance),
            ...drawDrift(chance),
            ...drawWorkspace(chance),
            ...(chance() < 0.2 ? { time: { runMs: MINUTE * (5 + Math.floor(chance() * 60)) } } : {}),
          }
        : {}),
    }),
    budget,
    cwd: "/simulated",
    by: "sim",
  };
}

const drawChecks = (chance: () => number): Step["checks"] =>
  Array.from({ length: 1 + Math.floor(chance() * 3) }, (_, index) => ({
    run: `check ${String(index)}`,
    limitMs: MINUTE * (1 + Math.floor(chance() * 10)),
  }));

const drawDrift = (chance: () => number) =>
  chance() < 0.35
    ? { drift: { when: "always", everyMs: MINUTE, forward: chance() < 0.5 ? "ask" : "go_on" } }
    : {};

const drawCheckpoints = (chance: () => number) =>
  chance() < 0.4
    ? {
        checkpoints: {
          when: "always",
          everyMs: MINUTE * (2 + Math.floor(chance() * 10)),
          keep: 1 + Math.floor(chance() * 4),
        },
      }
    : {};

/** Some runs work in a worktree of their own, or in one per step; what is done there may fail. */
const drawWorkspace = (chance: () => number) => {
  const drawn = chance();
  return drawn < 0.3
    ? {
        workspace: {
          isolation: drawn < 0.12 ? "attempt" : "run",
          lock: chance() < 0.7 ? "always" : "never",
          cleanup: chance() < 0.5 ? "ended" : "never",
          commandMs: MINUTE,
          ...(chance() < 0.5 ? { setup: "set up" } : {}),
          ...(chance() < 0.3 ? { run: "make ready" } : {}),
          ...(chance() < 0.3 ? { teardown: "tear down" } : {}),
        },
      }
    : {};
};

const drawProtected = (chance: () => number) =>
  chance() < 0.4
    ? { protected: { paths: ["rules/**"], everyMs: MINUTE * (2 + Math.floor(chance() * 10)) } }
    : {};

/** None, one or two receivers; reminders come soon and tries are few, so that three hours see them all. */
const drawNotify = (chance: () => number) => ({
  channels: Object.fromEntries(
    ["mail", "chat", "pager"]
      .filter((name) => name === "pager" || chance() < 0.4)
      .map((name) => [name, { use: "command", command: ["tell", name] } as const]),
  ),
  external: ["pager"],
  remindMs: MINUTE * (10 + Math.floor(chance() * 50)),
  retryMs: MINUTE,
  retryCapMs: 10 * MINUTE,
  tries: 1 + Math.floor(chance() * 8),
});

/** Agents use about a cent and several hundred tokens each. */
const drawBudget = (chance: () => number): EventData<"RunCreated">["budget"] => ({
  ...(chance() < 0.25 ? { usd: 0.01 * (1 + Math.floor(chance() * 6)) } : {}),
  ...(chance() < 0.25 ? { tokens: 500 * (1 + Math.floor(chance() * 6)) } : {}),
  ...(chance() < 0.1 ? { timeMs: MINUTE * (5 + Math.floor(chance() * 60)) } : {}),
  ...(chance() < 0.2 ? { onExceed: "warn" as const } : {}),
});
