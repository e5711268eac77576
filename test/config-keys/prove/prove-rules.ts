import type { Config } from "../../../src/model/settings/config.ts";
import { Life, MINUTE, SECOND } from "../life.ts";
import { publishDay } from "../../../src/cli/run/day-budget.ts";
import { openSystem } from "../../../src/main.ts";
import { Fault } from "../../../src/model/fault.ts";
import { prove, type Tree } from "../proof.ts";

const policy = (rule: Tree): Tree => ({ policies: [{ name: "rule", then: "block", ...rule }] });
const PAIR = { agents: { dev: { use: "acp", command: ["dev"] }, other: { use: "acp", command: ["other"] } } };

const applied = (life: Life): string[] =>
  life
    .all("PolicyApplied")
    .map(({ policy: name, then, step, moment }) => `${name}: ${then} ${moment} of ${step}`);

const WORD = { kind: "message", from: "agent", text: "now" };
const CALL = [
  { kind: "tool_call", name: "read" },
  { kind: "tool_result", name: "read", ok: true },
];

/** One step whose model has answered twice, and has cost 2 dollars and 20 tokens. */
const spending = (config: Config): Life =>
  new Life(config).say({ kind: "usage", usd: 2, tokensIn: 20 }, WORD, ...CALL, WORD);

const STEPS = [
  { name: "make", task: "make it", phase: "first", role: "maker" },
  { name: "test", task: "test it", phase: "second", role: "tester" },
];
const PHASES = [{ name: "first" }, { name: "second" }];
const ROLES = { maker: { agent: "dev" }, tester: { agent: "other" } };

/** Two steps by two agents, in two phases and roles, one after the other. */
function twoSteps(config: Config): string[] {
  const steps = STEPS.map((step, at) => (at === 0 ? step : { ...step, needs: ["make"] }));
  return applied(new Life(config, { steps, phases: PHASES, roles: ROLES }).end().end());
}

/** A rule that asks a person is no dead end of a flow. */
const asking = (rule: Tree): Tree => policy({ then: "escalate", ...rule });
const onlyOf = (step: string): string[] => [`rule: escalate dispatch of ${step}`];

export const POLICY_PROOFS = [
  prove(
    "policies.0.name",
    ["one", "two"],
    (config) => applied(spending(config)),
    [["one: block work of work"], ["two: block work of work"]],
    policy({ maxUsd: 1 }),
  ),
  prove(
    "policies.0.then",
    ["warn", "escalate"],
    (config) => spending(config).stands,
    ["running", "blocked: policy_escalation"],
    policy({ maxUsd: 1 }),
  ),
  prove(
    "policies.0.maxTurns",
    [1, 9],
    (config) => spending(config).stands,
    ["blocked: policy_escalation", "running"],
    policy({}),
  ),
  prove(
    "policies.0.maxUsd",
    [1, 9],
    (config) => spending(config).stands,
    ["blocked: policy_escalation", "running"],
    policy({}),
  ),
  prove(
    "policies.0.maxTokens",
    [10, 90],
    (config) => spending(config).stands,
    ["blocked: policy_escalation", "running"],
    policy({}),
  ),
  prove(
    "policies.0.sameInARow",
    [1, 2],
    (config) => new Life(config).end(false, "no bread").pass(10 * SECOND).stands,
    ["blocked: policy_escalation", "running"],
    policy({}),
  ),
  prove("policies.0.requires.step", ["make", "test"], twoSteps, [[], onlyOf("test")], {
    ...PAIR,
    ...asking({ requires: {}, step: "test" }),
  }),
  prove(
    "policies.0.requires.status",
    ["succeeded", "failed"],
    twoSteps,
    [[], ["rule: block dispatch of test"]],
    {
      ...PAIR,
      ...policy({ requires: { step: "make" }, step: "test" }),
    },
  ),
  prove("policies.0.forbidsAgent", ["dev", "other"], twoSteps, [onlyOf("make"), onlyOf("test")], {
    ...PAIR,
    ...asking({}),
  }),
  ...(["role", "step", "phase", "agent"] as const).map((part) => {
    const of = {
      role: ["maker", "tester"],
      step: ["make", "test"],
      phase: ["first", "second"],
      agent: ["dev", "other"],
    } as const;
    return prove(`policies.0.${part}`, of[part], twoSteps, [onlyOf("make"), onlyOf("test")], {
      ...PAIR,
      ...asking({ requires: { step: "make", status: "failed" } }),
    });
  }),
];

const hook = (more: Tree): Tree => ({
  hooks: [{ name: "lint", at: "before_dispatch", run: "lint", ...more }],
});

const assessed = (life: Life): string[] =>
  life
    .all("HookJudged")
    .map(({ hook: name, point, step, outcome }) => `${name} ${point} of ${step ?? "none"}: ${outcome}`);

/** Two steps, one after the other. */
const chained = (config: Config): Life =>
  new Life(config, {
    steps: [
      { name: "make", task: "make it" },
      { name: "test", task: "test it", needs: ["make"] },
    ],
  });

export const HOOK_PROOFS = [
  prove(
    "hooks.0.name",
    ["lint", "scan"],
    (config) => assessed(new Life(config)),
    [["lint before_dispatch of work: passed"], ["scan before_dispatch of work: passed"]],
    hook({}),
  ),
  prove(
    "hooks.0.at",
    ["before_dispatch", "after_acceptance"],
    (config) => [assessed(new Life(config)).length, assessed(new Life(config).end()).length],
    [
      [1, 1],
      [0, 1],
    ],
    hook({}),
  ),
  prove(
    "hooks.0.step",
    ["make", "test"],
    (config) => assessed(chained(config).end()),
    [["lint before_dispatch of make: passed"], ["lint before_dispatch of test: passed"]],
    hook({}),
  ),
  prove(
    "hooks.0.onFailure",
    ["block", "warn"],
    (config) => {
      const failed = { kind: "failed", text: "cannot be started", terminal: true } as const;
      return new Life(config, { answers: { RunHook: () => failed } }).stands;
    },
    ["blocked: hook_block", "running"],
    hook({}),
  ),
  prove(
    "hooks.0.idempotent",
    [true, false],
    (config) => {
      // Its supervisor dies while the hook is under way, and another one takes the run over.
      const life = new Life(config, { answers: { RunHook: () => null } });
      life.turn(
        [{ type: "RunClaimed", data: { owner: "own_2", epoch: 2, from: "gone", host: "alpha" } }],
        SECOND,
      );
      return life.stands;
    },
    ["running", "blocked: in_doubt"],
    hook({}),
  ),
];

const PURSE = (life: Life): unknown[] => [
  life.all("BudgetPressed").map(({ kind, level }) => `${kind} ${level}`),
  life.end(false, "no bread").pass(10 * SECOND).stands,
];
/** What a configuration sets for all runs of a store. */
async function dayOfStore(config: Config): Promise<unknown> {
  const system = await openSystem({ store: "memory:", settings: config });
  try {
    await publishDay(config, system);
    return (await system.store.standing()).day?.budget;
  } finally {
    await system.close();
  }
}

const STOPPED = "blocked: budget_exhausted";

/** What a run of an agent that reports money late comes to: the refusal, or that it begins. */
function begins(config: Config): string {
  try {
    return new Life(config).stands;
  } catch (fault) {
    return fault instanceof Fault ? fault.code : "another error";
  }
}

export const BUDGET_PROOFS = [
  prove("budget.usd", [1, 9], (config) => PURSE(spending(config)), [
    [["usd spent"], STOPPED],
    [[], "running"],
  ]),
  prove("budget.tokens", [10, 90], (config) => PURSE(spending(config)), [
    [["tokens spent"], STOPPED],
    [[], "running"],
  ]),
  prove("budget.turns", [1, 9], (config) => PURSE(spending(config)), [
    [["turns spent"], STOPPED],
    [[], "running"],
  ]),
  prove("budget.iterations", [1, 9], (config) => PURSE(spending(config)), [
    [["turns spent"], STOPPED],
    [[], "running"],
  ]),
  prove("budget.timeMs", [MINUTE, 10 * MINUTE], (config) => PURSE(spending(config).pass(2 * MINUTE)), [
    [["timeMs near", "timeMs spent"], STOPPED],
    [[], "running"],
  ]),
  prove(
    "budget.onExceed",
    ["stop", "warn"],
    (config) => PURSE(spending(config)),
    [
      [["usd spent"], STOPPED],
      [["usd spent"], "running"],
    ],
    { budget: { usd: 1 } },
  ),
  prove("budget.warnPct", [40, 90], (config) => PURSE(spending(config))[0], [["usd near"], []], {
    budget: { usd: 4 },
  }),
  prove(
    "budget.graceMs",
    [MINUTE, 10 * MINUTE],
    (config) => spending(config).pass(2 * MINUTE).stands,
    [STOPPED, "running"],
    { budget: { usd: 1.99 } },
  ),
  prove(
    "budget.gracePct",
    [10, 50],
    (config) => new Life(config).say(...Array.from({ length: 12 }, () => ({ kind: "usage", usd: 1 }))).stands,
    [STOPPED, "running"],
    { budget: { usd: 10 } },
  ),
  prove("budget.uncounted", ["refuse", "allow"], begins, ["usage", "running"], {
    agents: { dev: { use: "codex", model: "home-made-7b" } },
    budget: { usd: 5 },
  }),
  ...(["usd", "tokens"] as const).map((kind) =>
    prove(`budget.day.${kind}`, [1, 1_000], dayOfStore, [{ [kind]: 1 }, { [kind]: 1_000 }]),
  ),
];
