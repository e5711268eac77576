import assert from "node:assert/strict";
import { test } from "node:test";
import { settingRequests } from "../../../src/cli/run/run-settings.ts";
import { isAtRest } from "../../../src/decide/decide.ts";
import { nextDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import { recoveryArguments } from "../../../src/decide/recovery/recovery.ts";
import { AGENTS, AGENT_KINDS, type AgentKind } from "../../../src/model/agent/kinds/registry.ts";
import { BLOCKED_REASONS, type BlockedReason } from "../../../src/model/requests/blocked.ts";
import type { EventData, RunEvent } from "../../../src/model/events/events.ts";
import { flowSchema } from "../../../src/model/flow/flow.ts";
import type { RunRequest } from "../../../src/model/requests/requests.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { Circling, only } from "../circling.ts";

const MINUTE = 60_000;

interface Limit {
  readonly name: string;
  readonly budget?: EventData<"RunCreated">["budget"];
  readonly step?: object;
  readonly phase?: object;
  readonly settings?: object;
  /** Its attempt has failed; otherwise it is only interrupted and costs nothing. */
  readonly charged?: true;
}

const AMOUNTS = [{ usd: 1 }, { tokens: 10_000 }, { turns: 8 }, { timeMs: 10 * MINUTE }] as const;
const kindOf = (amount: object): string => Object.keys(amount)[0] ?? "";
const policy = (rule: object): object => ({ policies: [{ name: "bound", then: "block", ...rule }] });

const LIMITS: readonly Limit[] = [
  ...AMOUNTS.map((budget) => ({ name: `the run's budget of ${kindOf(budget)}`, budget })),
  ...AMOUNTS.map((budget) => ({ name: `the step's budget of ${kindOf(budget)}`, step: { budget } })),
  {
    name: "the attempt's time",
    settings: { attempts: { perStep: 1, limitMs: 10 * MINUTE } },
    charged: true,
  },
  {
    name: "the step's time",
    step: { limitMs: 10 * MINUTE },
    settings: { attempts: { perStep: 1 } },
    charged: true,
  },
  { name: "the phase's time", phase: { limitMs: 10 * MINUTE } },
  { name: "the run's time", settings: { time: { runMs: 10 * MINUTE } } },
  { name: "a policy about turns", settings: policy({ maxTurns: 8 }) },
  { name: "a policy about tokens", settings: policy({ maxTokens: 10_000 }) },
  { name: "a policy about money", settings: policy({ maxUsd: 1 }) },
];

/** An agent at work that has a conversation, and no limits but the one. */
function working(use: AgentKind, { budget = {}, step, phase, settings }: Limit): Circling {
  const steps = [{ name: "work", task: "mend the tests", agent: "dev", phase: "only", ...step }];
  const flow = flowSchema.parse({ name: "goal", steps, phases: [{ name: "only", ...phase }] });
  const run = new Circling({ use }, settings, {}, [], { budget, flow });
  run.loops = false;
  run.receive("work#1", [{ kind: "conversation", id: "talk" }]);
  return run;
}

/** It asks its model every minute, as long as it has a session. */
function works(run: Circling, minutes: number): void {
  for (let minute = 0; minute < minutes; minute += 1) {
    passed(run, run.now + MINUTE);
    for (const attempt of Object.keys(run.state.attempts))
      run.receive(attempt, [
        { kind: "message", from: "agent", text: `part ${String(run.now)}` },
        { kind: "usage", tokensIn: 900, tokensOut: 100, usd: 0.1 },
        { kind: "tool_call", name: "bash", args: `make ${String(run.now)}` },
        { kind: "tool_result", name: "bash", ok: true, text: `news ${"x".repeat(run.now % 89)}` },
      ]);
  }
}

function passed(run: Circling, until: number): void {
  for (;;) {
    const due = nextDeadline(run.state, run.now);
    if (due === null || due > until) break;
    run.turn([], due);
  }
  run.turn([], until);
}

let requests = 0;
const received = (request: RunRequest): RunEvent => ({
  type: "RequestHeard",
  data: { requestId: `req_${String((requests += 1))}`, request, by: "ann" },
});

/** The request that a printed command makes; null for one that only shows something, or goes on elsewhere. */
function requestsOf([verb, , ...words]: readonly string[], escalation: string): RunRequest[] | null {
  if (verb === "set") return settingRequests(words);
  if (verb === "retry") return [{ kind: "retry", ...(words[1] === undefined ? {} : { step: words[1] }) }];
  if (verb === "unblock") return [{ kind: "unblock", escalation }];
  return verb === "approve" ? [{ kind: "approve" }] : null;
}

/** Pastes the printed command; answers with what the next session is started. */
function continued(run: Circling): { readonly resume: string | undefined } | null {
  const { blocked } = run.state;
  assert.ok(blocked !== null);
  const [escalation = ""] = Object.keys(run.state.escalations);
  const words = recoveryArguments(run.state, blocked);
  const pasted = requestsOf(words, words[0] === "unblock" ? (words[1] ?? "") : escalation);
  if (pasted === null) return null;
  run.turn(pasted.map(received));
  passed(run, run.now + MINUTE);
  const starts = only(run.events, "EffectIntended").flatMap(({ effect }) =>
    effect.kind === "StartAgent" ? [effect] : [],
  );
  assert.equal(starts.length, 2, `${words.join(" ")}: ${JSON.stringify(run.events.at(-1))}`);
  return { resume: starts[1]?.resume };
}

const drivers = AGENT_KINDS.filter((use) => use !== "manual");

test("B1 for every limit and every driver no session is left two minutes later, and the printed command continues the same conversation", () => {
  for (const use of drivers)
    for (const limit of LIMITS) {
      const cell = `${use}, ${limit.name}`;
      const run = working(use, limit);
      works(run, 12);
      assert.equal(run.state.status, "blocked", cell);
      passed(run, run.state.blockedAt + 2 * MINUTE);
      assert.deepEqual(Object.keys(run.state.attempts), [], cell);
      assert.equal(isAtRest(run.state, run.now), true, cell);
      const { charged, conversation } = run.state.steps["work"] ?? assert.fail(cell);
      assert.deepEqual([charged, conversation?.id], [limit.charged === true ? 1 : 0, "talk"], cell);
      const { blocked } = statusView(run.state, null);
      assert.equal(blocked?.session, limit.charged === true ? "none" : "suspended", cell);
      assert.equal(continued(run)?.resume, AGENTS[use].capabilities.resume ? "talk" : undefined, cell);
    }
});

/** Reasons whose safe command shows what differs or is known, or has the work done again. */
const FIRST_SOMETHING_ELSE: readonly BlockedReason[] = [
  "hook_tamper",
  "conflict_loop",
  "operator_commit_refused",
  "in_doubt",
  "protected_files",
];

test("B1 for every blocked reason the printed command continues the same conversation, or does something else first", () => {
  const others = new Set<BlockedReason>();
  for (const use of drivers)
    for (const reason of BLOCKED_REASONS) {
      const cell = `${use}, ${reason}`;
      const run = working(use, { name: reason });
      const blocked = { reason, detail: "look", step: "work", attemptKept: true, guidance: [] };
      run.turn([{ type: "RunBlocked", data: { blocked } }]);
      passed(run, run.now + 2 * MINUTE);
      assert.equal(statusView(run.state, null).blocked?.session, "suspended", cell);
      const next = continued(run);
      if (next === null) others.add(reason);
      else assert.equal(next.resume, AGENTS[use].capabilities.resume ? "talk" : undefined, cell);
    }
  assert.deepEqual([...others].toSorted(), FIRST_SOMETHING_ELSE.toSorted());
});
