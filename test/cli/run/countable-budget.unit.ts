import assert from "node:assert/strict";
import { test } from "node:test";
import { tmpdir } from "node:os";
import { dayChanges } from "../../../src/cli/run/day-budget.ts";
import { budgetOf } from "../../../src/cli/run/run-limits.ts";
import { runOrder, type RunWish } from "../../../src/cli/run/run-order.ts";
import { configSchema, type Config } from "../../../src/model/settings/config.ts";
import { isFault } from "../../../src/model/fault.ts";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";
import { countsOf } from "../../../src/model/agent/what-counts.ts";

const AGENTS = {
  demo: { use: "demo" },
  function: { use: "function", module: "/agent.ts" },
  claude: { use: "claude" },
  codex: { use: "codex" },
  opencode: { use: "opencode" },
  gemini: { use: "gemini" },
  acp: { use: "acp", command: ["agent"] },
  "opencode-acp": { use: "acp", command: ["opencode", "acp"] },
  "codex-acp": { use: "acp", command: ["npx", "-y", "@agentclientprotocol/codex-acp@2.6.0"] },
  goose: { use: "acp", command: ["goose", "acp"] },
  tmux: { use: "tmux", command: ["agent"], prompt: "^> $" },
  manual: { use: "manual" },
  unpriced: { use: "claude", model: "home-made-7b" },
} as const;

const config = (more: object = {}): Config => configSchema.parse({ agents: AGENTS, ...more });

/** The budget that the run would have, or why it is refused. */
function ordered(wish: Partial<RunWish>, configuration = config()): unknown {
  try {
    return runOrder({ goal: "g", ...wish }, configuration, tmpdir()).budget;
  } catch (fault) {
    if (!isFault(fault, "usage")) throw fault;
    return fault.message;
  }
}

for (const agent of Object.keys(AGENTS) as (keyof typeof AGENTS)[]) {
  const { use } = AGENTS[agent];
  const isUnpriced = agent === "unpriced";
  const isCounted = use === "manual" || (countsOf(AGENTS[agent] as AgentSpec).usd === "live" && !isUnpriced);
  test(`B2 run --budget ${isCounted ? "is accepted for" : "is refused before the start for"} ${agent}`, () => {
    const budget = ordered({ agent, budget: "5" });
    if (isCounted) {
      assert.equal((budget as { usd: number }).usd, 5);
      return;
    }
    assert.match(String(budget), new RegExp(`limits money, but agent "${agent}" \\(${use}\\)`));
    assert.match(String(budget), /--budget-by time=2h or --budget-by turns=40.*uncounted: allow/);
    assert.equal(
      (ordered({ agent, budget: "5", budgetBy: ["time=2h"] }) as { timeMs: number }).timeMs,
      7_200_000,
    );
    const allowed = config({ budget: { uncounted: "allow" } });
    const warnings: string[] = [];
    const wish = { agent, budget: "5", warn: (text: string) => void warnings.push(text) };
    assert.equal((ordered(wish, allowed) as { usd: number }).usd, 5);
    assert.match(warnings.join("\n"), /brakes only between turns/);
  });
}

test("B2 a budget of turns stands in for money only where the agent's turns are seen", () => {
  assert.equal(
    (ordered({ agent: "codex", budget: "5", budgetBy: ["turns=40"] }) as { turns: number }).turns,
    40,
  );
  assert.match(
    String(ordered({ agent: "tmux", budget: "5", budgetBy: ["turns=40"] })),
    /limits turns, but agent "tmux"/,
  );
});

test("B2 reviewers, and budgets of the configuration, are checked as well; one that only warns is not", () => {
  const reviewed = ordered({ agent: "demo", reviewer: "acp", budget: "5" });
  assert.match(String(reviewed), /agent "acp" \(acp\) reports money only when its turn ends/);
  const tokens = config({ budget: { tokens: 1_000 } });
  assert.match(String(ordered({ agent: "tmux" }, tokens)), /limits tokens, but agent "tmux"/);
  const warns = config({ budget: { tokens: 1_000, onExceed: "warn" } });
  assert.equal((ordered({ agent: "tmux" }, warns) as { tokens: number }).tokens, 1_000);
});

test("B2 a budget of tokens is accepted for each agent of the protocol that is known to report them live", () => {
  for (const agent of ["opencode-acp", "codex-acp", "goose"])
    assert.equal(
      (ordered({ agent }, config({ budget: { tokens: 1_000 } })) as { tokens: number }).tokens,
      1_000,
      agent,
    );
  assert.match(
    String(ordered({ agent: "acp" }, config({ budget: { tokens: 1_000 } }))),
    /agent "acp" \(acp\) reports tokens only when its turn ends/,
  );
});

test("P4 a --budget-by or a budget of the day that is none is refused with what was expected", () => {
  for (const text of ["", "time", "time=", "time=-1h", "turns=0", "turns=1.5", "usd=5", "money=5"])
    assert.throws(() => budgetOf({ budgetBy: [text] }), /no budget; expected time=2h|no duration/, text);
  assert.deepEqual(budgetOf({ budget: "2.5", budgetBy: ["time=90m", "turns=7"] }), {
    usd: 2.5,
    timeMs: 5_400_000,
    turns: 7,
  });
  assert.deepEqual(dayChanges(["budget.day.usd=40", "budget.day.tokens=1000"]), { usd: 40, tokens: 1_000 });
  for (const word of ["budget.usd=4", "budget.day.usd", "budget.day.usd=0", "budget.day.tokens=1.5"])
    assert.throws(() => dayChanges([word]), /expected budget\.day\.usd=AMOUNT/, word);
});
