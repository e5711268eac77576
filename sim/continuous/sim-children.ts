import type { InboxRow, Journal, Owner } from "../../src/journal/journal.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import { invariant } from "../../src/model/fault.ts";
import type { Budget } from "../../src/model/requests/budget.ts";
import { readRequest } from "../../src/model/requests/read-request.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { isEnded } from "../../src/model/state/run-status.ts";
import type { World } from "../../src/model/world.ts";
import { evolve } from "../../src/fold/evolve.ts";
import { loadRun } from "../../src/runtime/load-run.ts";

export const FATES = ["works", "ghost", "asks", "fails"] as const;
/** A planner is asked by the session alone. */
export const PLANS = "plans";
type Fate = (typeof FATES)[number] | typeof PLANS;

/** So many goals a planner names in all, and what it may say instead of naming any. */
const PLANNED_AT_MOST = 3;
const USELESS = ["no idea", '{"goals":[{"goal":"x","checks":["rm -rf /"]}]}', '{"goals":[]}'] as const;

/** What one request to a model costs at most. */
export const REQUEST_USD = 0.25;
const STEP_CHANCE = 0.6;
const FINISH_CHANCE = 0.4;
const ATTEMPT = "work#1";

/** Works the runs of a session in the place of a supervisor's owners: each by the fate that its agent is named after. */
export class SimChildren {
  readonly #journal: Journal;
  readonly #world: World;
  readonly #owner: Owner;

  constructor(journal: Journal, world: World) {
    this.#journal = journal;
    this.#world = world;
    this.#owner = { id: world.id("own"), process: world.self };
  }

  /** Lets some of them get on. */
  async step(): Promise<void> {
    for (const { run, status } of await this.#journal.runs())
      if (!isEnded(status) && this.#world.chance() < STEP_CHANCE) await this.#stepOf(run);
  }

  async #stepOf(run: string): Promise<void> {
    const claimed = await this.#journal.claim(run, this.#owner);
    const { kind } = claimed;
    // Whoever created it died before it let go.
    const taken =
      kind === "claimed" ? claimed : await this.#journal.takeOver(run, this.#owner, claimed.lease);
    if (taken.kind !== "claimed") return;
    const state = await loadRun(this.#journal, run);
    invariant(state !== null, "a run that is listed can be folded");
    // One at a time: what the next one finds follows from this one.
    const mail = (await this.#journal.inbox(run)).slice(0, 1);
    const events =
      mail.length > 0 ? mail.flatMap((row) => answer(state, row)) : next(state, () => this.#world.chance());
    if (events.length > 0 || mail.length > 0) await this.#append(state, { events, mail, epoch: taken.epoch });
    await this.#journal.release(run, taken.epoch);
  }

  async #append(
    state: RunState,
    { events, mail, epoch }: { events: readonly RunEvent[]; mail: readonly InboxRow[]; epoch: number },
  ): Promise<void> {
    const expected = state.seq;
    const at = this.#world.now();
    // Something is appended, so that what was asked is consumed.
    const all: readonly RunEvent[] = events.length > 0 ? events : [{ type: "LimitReached", data: NOTHING }];
    for (const event of all) evolve(state, event, { run: state.run, seq: state.seq + 1, at });
    const consumed = mail.map(({ id }) => id);
    const listing = { status: state.status, goal: state.goal, wakeAt: null };
    const outcome = await this.#journal.append({
      run: state.run,
      expected,
      epoch,
      at,
      events: all,
      consumed,
      listing,
    });
    invariant(outcome.kind === "appended", "nobody else writes to a run that is owned");
  }
}

const NOTHING = { what: "request", bound: 0, detail: "nothing to do" };

function answer(state: RunState, row: InboxRow): RunEvent[] {
  const read = readRequest(row);
  if (read.kind === "refused") return [];
  const { request } = read;
  const { status } = state;
  if (request.kind === "pause")
    return status === "running" || status === "queued"
      ? [{ type: "RunPaused", data: { stop: "operator" } }]
      : [];
  if (request.kind === "resume") return status === "paused" ? [{ type: "RunResumed", data: {} }] : [];
  if (request.kind === "cancel") return [{ type: "RunCancelled", data: { stop: "operator" } }];
  if (request.kind === "unblock") return status === "blocked" ? [{ type: "RunUnblocked", data: {} }] : [];
  return request.kind === "budget" ? giveMore(state, request.budget) : [];
}

function giveMore(state: RunState, more: Budget): RunEvent[] {
  const budget = { ...state.budget, ...more };
  const isEnough = state.spent.usd < (budget.usd ?? Infinity);
  const isBlocked = state.blocked?.reason === "budget_exhausted";
  return [
    { type: "RunBudgetSet", data: { budget, by: "session" } },
    ...(isEnough && isBlocked ? [{ type: "RunUnblocked" as const, data: {} }] : []),
  ];
}

/** What the agent of a run does next, by its name. */
function next(state: RunState, chance: () => number): RunEvent[] {
  const fate = Object.keys(state.agents)[0] as Fate;
  if (state.status === "queued") return begin(state);
  if (state.status !== "running") return [];
  switch (fate) {
    case "ghost":
      return [...ended("crashed", "exit code 3"), failed("exit code 3")];
    case "fails":
      return [said(), ...ended("failed", "the tests fail"), failed("the tests fail")];
    case "asks":
      return state.escalated === 0 && state.blockedAt === 0
        ? [said(), blocked("needs_human")]
        : work(state, chance);
    case "works":
      return work(state, chance);
    case "plans":
      return [said(planOf(state, chance)), { type: "RunCompleted", data: {} }];
  }
}

/** The first planners of a session name goals, now and then; the others see nothing to do. */
function planOf({ run }: RunState, chance: () => number): string {
  const nth = Number(/plan-(\d+)/.exec(run)?.[1] ?? 1);
  if (nth > PLANNED_AT_MOST || chance() < 0.3) return USELESS[Math.floor(chance() * USELESS.length)] ?? "";
  const count = 1 + Math.floor(chance() * 2);
  return JSON.stringify({
    goals: Array.from({ length: count }, (_, at) => ({ goal: `planned ${String(at)}`, priority: at })),
  });
}

const begin = (state: RunState): RunEvent[] => [
  { type: "RunStarted", data: {} },
  {
    type: "AttemptStarted",
    data: {
      attempt: ATTEMPT,
      step: "work",
      number: 1,
      agent: Object.keys(state.agents)[0] ?? "works",
      session: `${state.run}.work.1`,
    },
  },
];

function work(state: RunState, chance: () => number): RunEvent[] {
  if (state.spent.usd >= (state.budget.usd ?? Infinity)) return [blocked("budget_exhausted")];
  if (chance() < FINISH_CHANCE) return [said(), { type: "RunCompleted", data: {} }];
  return [heard([{ kind: "usage", usd: chance() * REQUEST_USD, tokensIn: 10, tokensOut: 10, requests: 1 }])];
}

const said = (text = "at work"): RunEvent => heard([{ kind: "message", from: "agent", text }]);

const heard = (signals: Extract<RunEvent, { type: "SignalsHeard" }>["data"]["signals"]): RunEvent => ({
  type: "SignalsHeard",
  data: { attempt: ATTEMPT, cursor: "0", signals },
});

const blocked = (reason: "needs_human" | "budget_exhausted"): RunEvent => ({
  type: "RunBlocked",
  data: { blocked: { reason, detail: reason, attemptKept: true, guidance: [] } },
});

const ended = (outcome: "crashed" | "failed", why: string): RunEvent[] => [
  { type: "AttemptEnded", data: { attempt: ATTEMPT, outcome, charged: true, why } },
];

const failed = (text: string): RunEvent => ({
  type: "RunFailed",
  data: { step: "work", failure: { class: "agent_failed", text, fingerprint: text } },
});
