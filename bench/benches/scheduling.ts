import { evolve } from "../../src/fold/evolve.ts";
import type { AgentSpec, Flow, Step } from "../../src/model/flow/flow.ts";
import { flowProblems } from "../../src/model/flow/flow-problems.ts";
import { runSettingsSchema } from "../../src/model/settings/settings.ts";
import { takeTurn, turnAppend } from "../../src/runtime/take-turn.ts";
import type { Bench, BenchContext, Figure, Findings, Ratio } from "../harness/bench.ts";
import { spreadOf } from "../harness/statistics.ts";

const SIZES = [1_000, 10_000] as const;
const RATIO_MAX = 15;
const TIMES = SIZES[1] / SIZES[0];
const LAYER = 10;

export const schedulingBench: Bench = {
  name: "scheduling",
  title: "Scheduling large flows",
  onlyWhenAsked: true,
  run,
};

const step = (at: number, needs: readonly number[], authority: Step["authority"] = "writes"): Step => ({
  name: `s${String(at)}`,
  task: "t",
  agent: "dev",
  authority,
  checks: [],
  needs: needs.map((need) => `s${String(need)}`),
});

type Shape = readonly [name: string, make: (count: number) => Step[]];

const flowOf = (count: number, make: (at: number) => Step): Step[] =>
  Array.from({ length: count }, (_, at) => make(at));

const SHAPES: readonly Shape[] = [
  ["wide", (count) => flowOf(count, (at) => step(at, []))],
  ["wide, four at once", (count) => flowOf(count, (at) => step(at, [], "reviews"))],
  ["a chain", (count) => flowOf(count, (at) => step(at, at === 0 ? [] : [at - 1]))],
  ["layers", (count) => flowOf(count, (at) => step(at, at < LAYER ? [] : inLayer(at)))],
];

/** The one above it, and its neighbour. */
const inLayer = (at: number): number[] => [at - LAYER, at - LAYER - (at % LAYER) + ((at + 1) % LAYER)];

const AGENTS: Record<string, AgentSpec> = { dev: { use: "demo" } };

/** A whole life of the flow: what is heard, judged and folded, and what would be appended; nothing is stored. */
function work(flow: Flow): void {
  const settings = runSettingsSchema.parse({});
  const created = { goal: "g", flow, agents: AGENTS, settings, budget: {}, cwd: "/w", by: "bench" };
  const state = evolve(null, { type: "RunCreated", data: created }, { run: "run_1", seq: 1, at: 0 });
  let now = 1_000;
  const turn = (heard: Parameters<typeof takeTurn>[1]): void => {
    turnAppend(state, takeTurn(state, heard, now), { epoch: 1, now, consumed: [] });
    now += 1_000;
  };
  turn([]);
  for (let [live] = Object.keys(state.attempts); live !== undefined; [live] = Object.keys(state.attempts)) {
    const said = [
      { kind: "result", ok: true, text: "done" },
      { kind: "exit", how: "code", code: 0 },
    ] as const;
    turn([
      { type: "EffectSettled", data: { key: `${live}/StartAgent`, outcome: { kind: "done" } } },
      { type: "SignalsHeard", data: { attempt: live, cursor: "9", signals: [...said] } },
    ]);
  }
  if (state.status !== "completed") throw new Error(`the flow is ${state.status}, not completed`);
}

const PARTS: readonly (readonly [what: string, does: (flow: Flow) => void])[] = [
  ["scheduled to its end", work],
  [
    "validated",
    (flow) => {
      const problems = flowProblems(flow, AGENTS);
      if (problems.some(({ problem }) => !problem.startsWith("every step only reviews")))
        throw new Error(problems[0]?.problem);
    },
  ],
];

/** The processor's own time: neighbours on the machine do not count. */
function cpuMs(does: () => void): number {
  const before = process.cpuUsage();
  does();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function run({ quick, progress }: BenchContext): Promise<Findings> {
  const rounds = quick ? 1 : 5;
  const figures: Figure[] = [];
  const ratios: Ratio[] = [];
  for (const [shape, make] of SHAPES)
    for (const [what, does] of PARTS) {
      const [small, large] = SIZES.map((size): Flow => ({ name: "f", steps: make(size), phases: [] }));
      if (small === undefined || large === undefined) continue;
      does(small);
      const times = Array.from({ length: rounds }, () => [
        // So often that it takes about as long as the large one: chance weighs the same on both.
        cpuMs(() => Array.from({ length: TIMES }, () => does(small))) / TIMES,
        cpuMs(() => does(large)),
      ]);
      const ratio = spreadOf(times.map(([few = 1, many = 0]) => many / few));
      figures.push({
        what: `${shape}: ${String(SIZES[1])} steps ${what}`,
        unit: "ms",
        spread: spreadOf(times.map(([, many = 0]) => many)),
      });
      const target = does === work ? { target: { atMost: RATIO_MAX } } : {};
      ratios.push({ what: `${shape}, ${what}`, spread: ratio, ...target });
      progress(`${shape}, ${what}: ${ratio.median.toFixed(1)}`);
    }
  const says = `Flows of ${SIZES.join(" and ")} steps: all free to begin, one after the other, and in layers of ${String(LAYER)} in which each needs two of the layer before. Each is decided and folded from its first turn to its completion, with agents that say at once that they are done, and nothing is stored. The ratios are time for ${String(SIZES[1])} steps / time for ${String(SIZES[0])} steps, of the processor: ten would be exactly in proportion. ${String(rounds)} rounds.`;
  return Promise.resolve({ says, figures, ratios });
}
