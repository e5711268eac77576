import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Blocked } from "../../../src/model/requests/blocked.ts";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";
import type { ModelScriptInput } from "../../../src/model/agent/model-script.ts";
import { countsOf } from "../../../src/model/agent/what-counts.ts";
import type { NamedPerformer } from "../real/performers.ts";
import { Show, story } from "../real/show.ts";
import { ranIn, type CellContext, type Played } from "./played.ts";

/** However slow the machine is. */
const LIMIT_MS = 420_000;
/** Each answer takes so long, as those of a quick model do. */
const ANSWER_MS = 300;
const QUIET_MS = 3_000;

const USED = { input: 1_000, output: 100 };
const TOKENS = USED.input + USED.output;

const IDENTICAL = "endless identical calls";
/** Agents that end a loop of identical calls themselves after a few, so that no budget need brake it. */
const ENDS_LOOPS = /^gemini [\d.]+$/;

export const LOOPS: Readonly<Record<string, ModelScriptInput>> = {
  [IDENTICAL]: {
    turns: [{ say: "I will look again.", acts: [{ run: "true" }], usage: USED, repeat: "forever" }],
  },
  "endless different calls": {
    turns: Array.from({ length: 2_000 }, (_, nth) => ({
      say: `Part ${String(nth)}.`,
      acts: [{ run: `echo part ${String(nth)} of many` }],
      usage: USED,
    })),
  },
};

/** Budgets by kind, and what one request uses of them; time is measured by the journal. */
export const BUDGETS = {
  usd: { budget: { usd: 0.04 }, requests: null },
  tokens: { budget: { tokens: 15 * TOKENS }, requests: 15 },
  turns: { budget: { turns: 15 }, requests: 15 },
  time: { budget: { timeMs: 20_000 }, requests: null },
} as const;
export type BudgetKind = keyof typeof BUDGETS;

/** The bound of the grace (5 % of 15, or one), the request that ends it, and those of the time that the end takes. */
const OVERSHOOT_REQUESTS_MAX = 1 + 1 + 20;
const OVERSHOOT_MS_MAX = 120_000;

/** Plays one cell: the run is refused before its start, or braked with the overshoot that is stated. */
export async function playBudget(
  t: CellContext,
  { name, performer }: NamedPerformer,
  kind: BudgetKind,
  loop: string,
): Promise<Played> {
  const { budget, requests } = BUDGETS[kind];
  const settings = {
    budget,
    startup: { termGraceMs: 1_000 },
    ladder: { nudgeMs: 600_000 },
    // The other models have a price of their own.
    prices: { "scripted-model": { input: 5, output: 25 } },
  };
  const show = await Show.open(t, { ...performer, settings }, LOOPS[loop] ?? assert.fail(loop), () =>
    delay(ANSWER_MS),
  );
  const counted = countsOf(performer.spec as unknown as AgentSpec)[kind];
  if (counted !== "live") {
    await refused(show);
    return { did: "refused before the start", sandbox: "" };
  }
  await show.begin("Do all parts");
  const blocked = await firstBlock(show);
  // A slow agent asks its model seldom: what its end takes is over once the attempt is.
  const ended = await show.journals("AttemptEnded");
  assert.ok(
    ended.some(({ type }) => type === "AttemptEnded"),
    `its session is not ended: ${story(ended)}`,
  );
  await untilQuiet(show);
  const asked = show.positions().length;
  const sandbox = ranIn(await show.events());
  const requested = `${String(asked)} requests at the model server`;
  if (blocked.reason !== "budget_exhausted" && loop === IDENTICAL && ENDS_LOOPS.test(name)) {
    const most = (requests ?? BUDGETS.turns.requests) + OVERSHOOT_REQUESTS_MAX;
    assert.ok(asked <= most, `${String(asked)} requests`);
    return { did: `it ended its loop itself: ${requested}`, sandbox };
  }
  assert.equal(blocked.reason, "budget_exhausted", story(await show.events()));
  assert.match(blocked.detail, /^budget (exceeded|reached): /);
  const within = kind === "usd" ? requestsFor(blocked.detail, asked) : requests;
  if (within !== null)
    assert.ok(asked <= within + OVERSHOOT_REQUESTS_MAX, `${String(asked)} requests: ${blocked.detail}`);
  else assert.ok((await workedMs(show)) <= BUDGETS.time.budget.timeMs + OVERSHOOT_MS_MAX, blocked.detail);
  t.diagnostic(`${blocked.detail}; ${requested}`);
  return { did: `${blocked.detail}; ${requested}`, sandbox };
}

async function firstBlock(show: Show): Promise<Blocked> {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await delay(500)) {
    const found = (await show.events()).find((event) => event.type === "RunBlocked");
    if (found !== undefined) return found.data.blocked;
  }
  assert.fail(`never blocked: ${story(await show.events())}`);
}

/** How many requests the budget was for, by what they have cost: the agent's model has a price of its own. */
function requestsFor(detail: string, asked: number): number {
  const [, spent = "", ceiling = ""] = /: \$([\d.]+) of \$([\d.]+)/.exec(detail) ?? [];
  return Math.ceil((asked * Number(ceiling)) / Number(spent));
}

async function refused(show: Show): Promise<void> {
  const words = ["run", "--agent", "real", "--id", show.run, "--", "Do all parts"];
  const ended = await show.bench.call(words, { cwd: show.stage.repo });
  assert.equal(ended.code, 2, ended.stdout + ended.stderr);
  assert.match(
    ended.stderr,
    /agent "real".*(reports|does not report).*--budget-by time=2h.*uncounted: allow/s,
  );
  assert.equal(show.model.requests().length, 0);
}

/** Nothing is asked of the model any more. */
async function untilQuiet(show: Show): Promise<void> {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end;) {
    const before = show.model.requests().length;
    await delay(QUIET_MS);
    if (show.model.requests().length === before) return;
  }
  assert.fail(`the model is asked on: ${story(await show.events())}`);
}

async function workedMs(show: Show): Promise<number> {
  const events = await show.events();
  const started = events.find(({ type }) => type === "AttemptStarted");
  const ended = events.find(({ type }) => type === "AttemptEnded");
  return (ended?.at ?? Infinity) - (started?.at ?? 0);
}
