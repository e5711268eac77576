import assert from "node:assert/strict";
import { test } from "node:test";
import { nextDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import { accountOf } from "../../../src/model/agent/account.ts";
import type { EventData, EventType, RunEvent } from "../../../src/model/events/events.ts";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { troubledResources } from "../../../src/views/status/status-shared-resources.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { EXAMPLES } from "../../model/example-events.ts";
import { SharedResourceFacts } from "../shared-resource-facts.ts";

const only = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);

const SECOND = 1_000;
const ACCOUNT = "account:claude";
const exit: Signal = { kind: "exit", how: "code", code: 1 };
const killed: Signal = { kind: "exit", how: "signal", signal: "SIGKILL" };
const limit = (resetsAt?: number): Signal[] => [
  { kind: "rate_limit", text: "Rate limit exceeded", ...(resetsAt === undefined ? {} : { resetsAt }) },
  { kind: "error", text: "Rate limit exceeded", terminal: false, status: 429 },
];
const outage: Signal[] = [{ kind: "error", text: "overloaded", terminal: false, status: 529 }, exit];
const progress = (text: string): Signal => ({ kind: "progress", text });

interface Order {
  readonly agent?: AgentSpec;
  readonly settings?: Parameters<typeof runSettingsSchema.parse>[0];
  readonly host?: string;
}

/** A run whose agent is at work from the first second on. */
function atWork(
  run: string,
  { agent = { use: "claude" }, settings = {}, host = "alpha" }: Order = {},
): RunState {
  const data = {
    ...EXAMPLES.RunCreated,
    agents: { dev: agent },
    settings: runSettingsSchema.parse(settings),
  };
  const state = evolve(null, { type: "RunCreated", data }, { run, seq: 1, at: 0 });
  takeTurn(state, [{ type: "RunClaimed", data: { owner: "own_1", epoch: 1, from: "nobody", host } }], SECOND);
  settleStart(state, SECOND);
  return state;
}

function settleStart(state: RunState, at: number): void {
  for (const [key, effect] of Object.entries(state.effects))
    if (effect.kind === "StartAgent")
      takeTurn(state, [{ type: "EffectSettled", data: { key, outcome: { kind: "done" } } }], at);
}

const says = (state: RunState, at: number, ...signals: Signal[]): RunEvent[] =>
  takeTurn(
    state,
    [{ type: "SignalsHeard", data: { attempt: Object.keys(state.attempts)[0] ?? "", cursor: "1", signals } }],
    at,
  );

/** Lets time pass until something is started; when that was. */
function startsAt(state: RunState, until: number): number | null {
  for (let now = nextDeadline(state, state.at); now !== null && now <= until; now = nextDeadline(state, now))
    if (only(takeTurn(state, [], now), "AttemptStarted").length > 0) return now;
  return null;
}

test("L5 when one run meets a limit, others on its account start nothing before it is over", () => {
  const resources = new SharedResourceFacts();
  const [one, other] = [atWork("run_1"), atWork("run_2")];
  says(one, 10 * SECOND, ...limit(7_200_000), exit);
  assert.equal(only(takeTurn(one, [], 10 * SECOND), "AttemptStarted").length, 0);
  resources.spread([one, other], 10 * SECOND);
  // The other's agent crashes for a reason of its own, and would be started again within seconds.
  says(other, 20 * SECOND, { kind: "error", text: "a bug", terminal: false }, exit);
  resources.spread([one, other], 20 * SECOND);
  assert.equal(startsAt(other, 7_199_999), null);
  assert.equal(startsAt(one, 7_300_000), 7_200_000, "the run that met the limit goes first");
  const followed = startsAt(other, 7_400_000) ?? 0;
  assert.ok(
    followed > 7_260_000 && followed < 7_290_000,
    "the other gives it a minute, and comes at a moment of its own",
  );
});

test("L5 the first that gets on lets the others follow at once, each at its own moment, and says so", () => {
  const resources = new SharedResourceFacts();
  const runs = Array.from({ length: 12 }, (_, index) => atWork(`run_${String(index)}`));
  for (const run of runs) says(run, 10 * SECOND, ...limit(7_200_000), exit);
  resources.spread(runs, 10 * SECOND);
  const [first, ...others] = runs as [RunState, ...RunState[]];
  assert.equal(startsAt(first, 7_200_000), 7_200_000);
  settleStart(first, 7_201_000);
  says(first, 7_205_000, { kind: "ready" }, progress("part 1"));
  resources.spread(runs, 7_205_000);
  assert.equal(resources.of(ACCOUNT).pause?.reopenedAt, 7_205_000);
  const starts = others.map((run) => startsAt(run, 7_300_000) ?? 0);
  assert.ok(
    starts.every((at) => at > 7_205_000 && at <= 7_235_000),
    starts.join(" "),
  );
  assert.ok(new Set(starts).size > 8, "they are staggered");
});

test("L5 a run of higher priority goes first when the account opens again", () => {
  const resources = new SharedResourceFacts();
  const [one, urgent] = [atWork("run_1"), atWork("run_2", { settings: { cooldown: { priority: 5 } } })];
  for (const run of [one, urgent]) says(run, 10 * SECOND, ...limit(), exit);
  resources.spread([one, urgent], 10 * SECOND);
  assert.equal(resources.of(ACCOUNT).pause?.first.run, "run_2");
  assert.equal(startsAt(urgent, 400_000), 310_000);
  assert.ok((startsAt(one, 500_000) ?? 0) > 370_000);
});

test("L5 a limit that names no end is waited for 300 s, then 150, then 100; after an hour without one it is 300 again", () => {
  const resources = new SharedResourceFacts();
  const run = atWork("run_1");
  const waits: number[] = [];
  for (let at = 10 * SECOND, nth = 1; nth <= 3; nth += 1) {
    says(run, at, ...limit(), exit);
    resources.spread([run], at);
    waits.push((resources.of(ACCOUNT).pause?.until ?? 0) - at);
    at = (startsAt(run, at + 400_000) ?? 0) + 20 * SECOND;
    settleStart(run, at);
  }
  assert.deepEqual(waits, [300_000, 150_000, 100_000]);
  const later = run.at + 3_700_000;
  says(run, later, ...limit(), exit);
  resources.spread([run], later);
  assert.equal((resources.of(ACCOUNT).pause?.until ?? 0) - later, 300_000);
});

test("L5 limits cost a step no attempt; after so many in a row a person is asked", () => {
  const resources = new SharedResourceFacts();
  const run = atWork("run_1", { settings: { cooldown: { waits: 6 } } });
  for (let nth = 1; nth <= 7; nth += 1) {
    const at = run.at + 20 * SECOND;
    settleStart(run, at);
    const ends: EventData<"AttemptEnded">[] = only(says(run, at, ...limit(), exit), "AttemptEnded");
    assert.deepEqual(
      ends.map(({ charged }) => charged),
      [false],
    );
    resources.spread([run], at);
    startsAt(run, at + 400_000);
  }
  assert.deepEqual([run.status, run.blocked?.reason], ["blocked", "rate_limited"]);
});

test("L5 a run that is not to go on by itself asks a person, and names when the limit ends", () => {
  const run = atWork("run_1", { settings: { cooldown: { resume: false } } });
  says(run, 10 * SECOND, ...limit(7_200_000), exit);
  assert.equal(run.blocked?.reason, "rate_limited");
  assert.match(run.blocked?.detail ?? "", /over at 1970-01-01T02:00:00.000Z.*cooldown\.resume/);
});

test("L5 a live agent is informed once that its limit is over, and restarted at the fourth", () => {
  const resources = new SharedResourceFacts();
  const run = atWork("run_1", { agent: { use: "acp", command: ["agent"], account: "claude" } });
  says(
    run,
    2 * SECOND,
    { kind: "tool_call", name: "a", args: "1" },
    { kind: "tool_result", name: "a", ok: true, text: "x" },
  );
  const reported: string[] = [];
  const pass = (until: number): void => {
    for (let now = nextDeadline(run, run.at); now !== null && now <= until; now = nextDeadline(run, now))
      for (const { effect } of only(takeTurn(run, [], now), "EffectIntended"))
        if (effect.kind === "TellAgent") reported.push(effect.text);
  };
  for (let nth = 1; nth <= 3; nth += 1) {
    const at = run.at + 10 * SECOND;
    says(run, at, ...limit());
    resources.spread([run], at);
    assert.equal(run.attempts["work#1"]?.assessed.until, at + Math.round(300_000 / nth));
    pass(at + 301_000);
    assert.equal(reported.length, nth, reported.join("\n"));
  }
  const events = says(run, run.at + 10 * SECOND, ...limit());
  assert.deepEqual(
    only(events, "AttemptEnding").map(({ to }) => to),
    ["limited"],
  );
});

test("L5 nothing is said to an agent whose account is known not to answer", () => {
  const resources = new SharedResourceFacts();
  const acp: AgentSpec = { use: "acp", command: ["agent"], account: "claude" };
  const [one, other] = [atWork("run_1"), atWork("run_2", { agent: acp })];
  says(one, 10 * SECOND, ...limit(7_200_000), exit);
  resources.spread([one, other], 10 * SECOND);
  const calls = Array.from({ length: 6 }, (): Signal[] => [
    { kind: "tool_call", name: "bash", args: "ls" },
    { kind: "tool_result", name: "bash", ok: true, text: "a b" },
  ]);
  says(other, 20 * SECOND, ...calls.flat());
  assert.equal(other.attempts["work#1"]?.assessed.state, "stuck");
  const remedies: number[] = [];
  for (
    let now = nextDeadline(other, other.at);
    now !== null && now <= 7_500_000;
    now = nextDeadline(other, now)
  )
    if (only(takeTurn(other, [], now), "RemedyTaken").length > 0) remedies.push(now);
  assert.ok(remedies.length > 0 && remedies.every((at) => at >= 7_260_000), remedies.join(" "));
});

test("L5 the circuit breaker opens after five failures in a row, lets one try after 300 s, and closes after two successes", () => {
  const resources = new SharedResourceFacts();
  const runs = Array.from({ length: 5 }, (_, index) => atWork(`run_${String(index)}`));
  for (const run of runs) says(run, 10 * SECOND, ...outage);
  resources.spread(runs, 10 * SECOND);
  const { pause } = resources.of(ACCOUNT);
  assert.deepEqual([pause?.why, pause?.until], ["breaker", 310_000]);
  const [one, two, three] = runs as [RunState, RunState, RunState];
  const first = runs.find(({ run }) => run === pause?.first.run) ?? one;
  assert.equal(startsAt(first, 400_000), 310_000);
  settleStart(first, 311_000);
  // It fails again: open at once, and this time at no cost to the step.
  const [ended] = only(says(first, 320_000, ...outage), "AttemptEnded");
  assert.equal(ended?.charged, false);
  resources.spread(runs, 320_000);
  assert.equal(resources.of(ACCOUNT).pause?.until, 620_000);
  for (const [nth, run] of [first, first === one ? two : three].entries()) {
    assert.equal(resources.of(ACCOUNT).pause?.reopenedAt, null, `after ${String(nth)} successes`);
    const at = startsAt(run, 900_000) ?? 0;
    settleStart(run, at + SECOND);
    says(run, at + 5 * SECOND, { kind: "ready" }, progress("on"));
    resources.spread(runs, at + 5 * SECOND);
  }
  assert.notEqual(resources.of(ACCOUNT).pause?.reopenedAt, null);
});

test("R5 the same trouble of three runs is one incident, reported once, by one of them, and over when it works again", () => {
  const resources = new SharedResourceFacts();
  const settings = { notify: { channels: { mail: { use: "command", command: ["mail"] } } } };
  const runs = Array.from({ length: 6 }, (_, index) => atWork(`run_${String(index)}`, { settings }));
  const events = runs.flatMap((run) => [
    ...says(run, 10 * SECOND, ...limit(7_200_000), exit),
    ...resources.spread(runs, 10 * SECOND),
  ]);
  const notices = only(events, "NoticeQueued").map(({ notice }) => notice);
  assert.deepEqual(
    notices.map(({ id, kind, run }) => [id, kind, run]),
    [["account:claude/i1/mail", "incident", "run_2"]],
  );
  assert.ok(runs.every((run) => run.sharedResources[ACCOUNT]?.news.incident?.id === "account:claude/i1"));
  assert.ok(runs.every((run) => run.blocked === null));
  const [first] = runs as [RunState];
  startsAt(first, 7_200_000);
  settleStart(first, 7_200_500);
  says(first, 7_210_000, { kind: "ready" }, progress("on"));
  resources.spread(runs, 7_210_000);
  assert.ok(runs.every((run) => run.sharedResources[ACCOUNT]?.news.incident === null));
});

test("L7 many sessions of a host that die at once speak against the host: nothing is charged, nothing started for a while", () => {
  const resources = new SharedResourceFacts();
  const runs = Array.from({ length: 5 }, (_, index) =>
    atWork(`run_${String(index)}`, { agent: { use: "demo" } }),
  );
  for (const run of runs) says(run, 10 * SECOND, killed);
  assert.ok(runs.every((run) => run.steps["work"]?.charged === 1));
  resources.spread(runs, 11 * SECOND);
  resources.spread(runs, 11 * SECOND);
  assert.ok(runs.every((run) => run.steps["work"]?.charged === 0));
  const starts = runs.map((run) => startsAt(run, 600_000) ?? 0);
  assert.equal(starts.filter((at) => at === 131_000).length, 1, "one goes first");
  assert.ok(starts.every((at) => at >= 131_000));
  const elsewhere = atWork("run_9", { agent: { use: "demo" }, host: "beta" });
  resources.spread([elsewhere], 11 * SECOND);
  says(elsewhere, 12 * SECOND, killed);
  resources.spread([elsewhere], 12 * SECOND);
  assert.ok((startsAt(elsewhere, 60_000) ?? 0) > 0, "another host goes on");
});

test("L7 three crashes within two minutes pause the run for two; ten within ten minutes ask an operator", () => {
  const run = atWork("run_1", {
    agent: { use: "demo" },
    settings: { attempts: { perStep: 10, sameFailure: 10 } },
  });
  const crash = (text: string): RunEvent[] => {
    const at = run.at + 5 * SECOND;
    settleStart(run, at);
    return says(run, at, { kind: "error", text, terminal: false }, exit);
  };
  const events: RunEvent[] = [];
  const gaps: number[] = [];
  for (let nth = 1; nth <= 10 && run.blocked === null; nth += 1) {
    events.push(...crash(`way ${"x".repeat(nth)} to fail`));
    const since = run.at;
    const at = startsAt(run, run.at + 300_000);
    if (at !== null) gaps.push(at - since);
  }
  const tripped = only(events, "CrashGuardTripped");
  assert.ok(tripped.length >= 2, `${String(tripped.length)} times`);
  assert.equal(gaps.filter((gap) => gap >= 120_000).length, tripped.length);
  assert.ok(gaps.filter((gap) => gap < 120_000).every((gap) => gap <= 8_000));
  assert.equal(run.crashes.length, 10);
  assert.ok(["crash_loop", "retries_exhausted"].includes(run.blocked?.reason ?? ""));
  assert.equal(only(events, "RunBlocked")[0]?.blocked.reason, "crash_loop");
});

test("L5 an account is named, or distinguished by the provider and a digest of what identifies it; a secret is never in it", () => {
  assert.equal(accountOf({ use: "claude" }), "claude");
  assert.equal(accountOf({ use: "claude", account: "team/a" }), "team/a");
  assert.equal(accountOf({ use: "acp", command: ["/usr/bin/opencode", "acp"] }), "acp/opencode");
  assert.equal(accountOf({ use: "function" }), null);
  const one = accountOf({ use: "claude", env: { CLAUDE_CONFIG_DIR: "/home/a", EDITOR: "vi" } });
  assert.match(one ?? "", /^claude\/[A-Za-z0-9]+$/);
  assert.equal(one, accountOf({ use: "claude", env: { CLAUDE_CONFIG_DIR: "/home/a", EDITOR: "ed" } }));
  assert.notEqual(one, accountOf({ use: "claude", env: { CLAUDE_CONFIG_DIR: "/home/b" } }));
});

test("L5 a fact that is reported twice counts once", () => {
  const resources = new SharedResourceFacts();
  const run = atWork("run_1");
  says(run, 10 * SECOND, ...limit(), exit);
  const effect = Object.values(run.effects).find(({ kind }) => kind === "TellGround");
  assert.ok(effect?.kind === "TellGround");
  assert.equal(resources.tell(ACCOUNT, effect.fact, effect.rules, 10 * SECOND).length, 1);
  assert.equal(resources.tell(ACCOUNT, effect.fact, effect.rules, 400 * SECOND).length, 0);
});

test("L5 R5 status counts down to the moment at which a run goes on, and names the incident it is part of", () => {
  const resources = new SharedResourceFacts();
  const runs = ["run_1", "run_2", "run_3", "run_4"].map((run) => atWork(run));
  const [first, , , held] = runs as [RunState, RunState, RunState, RunState];
  for (const run of runs.slice(0, 3)) says(run, 10 * SECOND, ...limit(3_610_000), exit);
  resources.spread(runs, 10 * SECOND);
  says(held, 20 * SECOND, { kind: "error", text: "a bug", terminal: false }, exit);
  for (const run of [first, held]) {
    const { health, shared } = statusView(run, null, 20 * SECOND);
    assert.deepEqual([health.state, health.waitsFor], ["waiting", "limit"]);
    assert.deepEqual(
      shared.map(({ ground: resource, state, incident }) => [resource, state, incident]),
      [[ACCOUNT, "paused", "account:claude/i1"]],
    );
    const text = health.evidence.join("\n");
    assert.match(
      text,
      /the account claude has met a limit: nothing is started on it before .*, for 1 h 0 min more/,
    );
    assert.match(text, /incident account:claude\/i1, a limit since/);
  }
  assert.match(
    statusView(held, null, 20 * SECOND).health.evidence.join("\n"),
    /step work waits for the account claude/,
  );
  assert.deepEqual(
    troubledResources([resources.of(ACCOUNT)], 20 * SECOND).map(({ state, until }) => [state, until]),
    [["paused", "1970-01-01T01:00:10.000Z"]],
  );
  assert.equal(troubledResources([resources.of(ACCOUNT)], 3_700_000)[0]?.state, "trying");
});

/** Lets time pass with nothing received. */
function silence(state: RunState, until: number): RunEvent[] {
  const events: RunEvent[] = [];
  for (let now = nextDeadline(state, state.at); now !== null && now <= until; now = nextDeadline(state, now))
    events.push(...takeTurn(state, [], now));
  return events;
}

const called: Signal[] = [
  { kind: "tool_call", name: "bash", args: "ls" },
  { kind: "tool_result", name: "bash", ok: true, text: "a" },
];

test("R5 L1 several agents that get no answer are one incident of their provider, with one notice, and one that waits for a tool is none", () => {
  const resources = new SharedResourceFacts();
  const settings = { notify: { channels: { ops: { use: "command", command: ["tell"] } } } };
  const runs = ["a", "b", "c"].map((name) => atWork(`run_${name}`, { settings }));
  const builds = atWork("run_d", { settings });
  for (const run of runs) says(run, 10 * SECOND, { kind: "ready" }, ...called);
  says(builds, 10 * SECOND, { kind: "ready" }, ...called, { kind: "tool_call", name: "bash", args: "make" });
  const reported = [...runs, builds].map((run) => silence(run, 1_100 * SECOND));
  const received = resources.spread([...runs, builds], 1_100 * SECOND);
  const facts = reported.map((events) =>
    only(events, "EffectIntended").flatMap(({ effect }) =>
      effect.kind === "TellGround" ? effect.fact.kind : [],
    ),
  );
  assert.deepEqual(facts, [["failed"], ["failed"], ["failed"], []]);
  assert.equal(resources.of(ACCOUNT).incident?.cause, "outage");
  assert.deepEqual(resources.of(ACCOUNT).incident?.members.length, 3);
  const notices = only(received, "NoticeQueued").filter(({ notice }) => notice.kind === "incident");
  assert.equal(notices.length, 1);
  assert.match(notices[0]?.notice.title ?? "", /the provider fails several runs/);
});

test("R5 R3 an agent that meets the same failure of its provider again and again reports it to its account, and one whose own calls fail does not", () => {
  const resources = new SharedResourceFacts();
  const [down, clumsy] = [atWork("run_1"), atWork("run_2")];
  for (let times = 0; times < 5; times += 1) {
    says(down, (10 + times) * SECOND, {
      kind: "error",
      text: "server_error (500), tried again",
      terminal: false,
      status: 500,
    });
    says(clumsy, (10 + times) * SECOND, { kind: "error", text: "no such file", terminal: false });
  }
  assert.equal(Object.values(clumsy.attempts)[0]?.assessed.pattern, "error_loop");
  resources.spread([down, clumsy], 20 * SECOND);
  assert.deepEqual(
    resources.of(ACCOUNT).troubles.map(({ run, kind }) => [run, kind]),
    [["run_1", "failed"]],
  );
});
