import type { Config } from "../../../src/model/settings/config.ts";
import { chain, Life, SECOND } from "../life.ts";
import { prove } from "../proof.ts";
import { evidence } from "../default-outcome.ts";

const failing = (text: string) => ({ kind: "done", evidence: evidence("fail", text) }) as const;

/** Work that never passes its check, each time for another reason. */
function triesAtCheck(config: Config): number {
  let nth = 0;
  const life = new Life(config, {
    check: ["npm test"],
    answers: { RunCheck: () => failing(`test ${"abcdefghij"[(nth += 1)] ?? ""} failed`) },
  });
  for (let round = 0; round < 12 && life.state.status === "running"; round += 1) life.end().pass(20 * SECOND);
  return life.all("StepChecked").length;
}

const PLANNED = [
  { name: "plan", task: "plan it", plans: {} },
  { name: "ship", task: "ship it", needs: ["plan"] },
];

/** A planner whose plan has so many steps, all of which fail. */
function planning(config: Config, count: number, checks: readonly object[] = []): Life {
  let round = 0;
  const plan = (): unknown => {
    round += 1;
    return {
      steps: Array.from({ length: count }, (_, at) => ({
        name: `r${String(round)}-${String(at)}`,
        task: "do it",
        ...(checks.length === 0 ? {} : { checks }),
      })),
    };
  };
  const artifact = (values: unknown) => ({
    path: "plan.json",
    digest: "aa".repeat(32),
    bytes: 9,
    values: { "": values },
  });
  const life = new Life(config, {
    steps: PLANNED,
    answers: {
      CollectOutputs: () => ({ kind: "done", outputs: { artifacts: [artifact(plan())], problems: [] } }),
    },
  });
  for (let turn = 0; turn < 60 && life.state.status === "running"; turn += 1) {
    const isPlanner = life.live[0]?.startsWith("plan#") === true;
    life.end(isPlanner, isPlanner ? "done" : `no ${"abcdefghij"[turn % 10] ?? ""}`).untilBegun();
  }
  return life;
}

/** How often the check of a run is run before its agent begins. */
const beforehand = (config: Config): number =>
  new Life(config, { check: ["npm test"] })
    .pass(SECOND)
    .all("EffectIntended")
    .filter(({ effect }) => effect.kind === "RunCheck" && effect.phase === "before").length;

export const QUALITY_PROOFS = [
  prove("checks.baseline", [true, false], beforehand, [1, 0]),
  prove("checks.tries", [1, 3], triesAtCheck, [1, 3], { attempts: { perStep: 10 } }),
  prove(
    "roles.expert",
    [undefined, "senior"],
    // One attempt more, of the expert's.
    triesAtCheck,
    [3, 4],
    { agents: { senior: { use: "acp", command: ["senior"] } } },
  ),
  prove(
    "reality.when",
    ["always", "never"],
    (config) =>
      new Life(config)
        .end()
        .all("RealityChecked")
        .map(({ verdict }) => verdict),
    [["NEEDS WORK"], []],
  ),
  prove("reality.demand", [true, false], (config) => new Life(config).end().stands, [
    "blocked: needs_human",
    "completed",
  ]),
  prove(
    "reality.checks",
    [["make proof"], []],
    (config) =>
      new Life(config)
        .end()
        .effects("RunAtGate")
        .map(({ command }) => command),
    [["make proof"], []],
  ),
  prove("plan.replans", [0, 1], (config) => planning(config, 1).all("StepsReplanned").length, [0, 1]),
  prove("plan.stepsMax", [2, 3], (config) => planning(config, 3).all("StepsPlanned").length > 0, [
    false,
    true,
  ]),
  prove(
    "plan.commands",
    [undefined, ["make test"]],
    (config) => planning(config, 1, [{ run: "make test" }]).all("StepsPlanned")[0]?.commands ?? [],
    [["make test"], []],
  ),
  prove(
    "progress.turns",
    [2, 3],
    (config) => {
      const life = new Life(config, { steps: chain(5) });
      for (let turn = 0; turn < 5; turn += 1) life.end();
      return life.all("StepSucceeded").length;
    },
    [2, 3],
    { checkpoints: { when: "always" } },
  ),
];
