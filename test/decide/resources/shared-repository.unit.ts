import assert from "node:assert/strict";
import { test } from "node:test";
import { nextDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import { newsOf } from "../../../src/decide/resources/shared-resource-news.ts";
import type { Effect } from "../../../src/model/effects/effects.ts";
import type { EffectOutcome } from "../../../src/model/effects/effect-outcome.ts";
import type { EventData, EventType, RunEvent } from "../../../src/model/events/events.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { troubledResources } from "../../../src/views/status/status-shared-resources.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { EXAMPLES } from "../../model/example-events.ts";
import { SharedResourceFacts } from "../shared-resource-facts.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const REPOSITORY = "repository:alpha:/project";

const only = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);

interface Order {
  readonly workspace?: unknown;
  readonly checks?: readonly string[];
  readonly host?: string;
  readonly repository?: string;
  readonly incidents?: unknown;
}

/** A run that was just taken: what it needs first is intended. */
function begun(run: string, order: Order = {}): RunState {
  const { workspace = { isolation: "run", setup: "npm ci" }, checks = [], host = "alpha" } = order;
  const { flow } = EXAMPLES.RunCreated;
  const steps = flow.steps.map((step) => ({ ...step, checks: checks.map((check) => ({ run: check })) }));
  const settings = runSettingsSchema.parse({
    workspace,
    commit: { when: "asked" },
    checks: { baseline: false },
    notify: { channels: { mail: { use: "command", command: ["mail"] } } },
    ...(order.incidents === undefined ? {} : { incidents: order.incidents }),
  });
  const data = {
    ...EXAMPLES.RunCreated,
    flow: { ...flow, steps },
    agents: { dev: { use: "demo" as const } },
    settings,
    ...(order.repository === undefined ? {} : { repository: order.repository }),
  };
  const state = evolve(null, { type: "RunCreated", data }, { run, seq: 1, at: 0 });
  takeTurn(state, [{ type: "RunClaimed", data: { owner: "own_1", epoch: 1, from: "nobody", host } }], SECOND);
  return state;
}

const openOf = (state: RunState, kind: Effect["kind"]): string | undefined =>
  Object.entries(state.effects).find(([, effect]) => effect.kind === kind)?.[0];

function settle(state: RunState, kind: Effect["kind"], outcome: EffectOutcome, at: number): RunEvent[] {
  const key = openOf(state, kind);
  assert.ok(key !== undefined, `${state.run}: no ${kind} among ${Object.keys(state.effects).join(", ")}`);
  return takeTurn(state, [{ type: "EffectSettled", data: { key, outcome } }], at);
}

/** Its worktree is made where there is none yet; answers whether the setup is run now. */
function makeTree(state: RunState, at: number): void {
  if (openOf(state, "CreateWorktree") === undefined) return;
  const tree = `/state/worktrees/${state.run}`;
  const worktree = { ...EXAMPLES.WorktreeCreated, tree, cwd: tree, branch: `holdfast/${state.run}` };
  settle(state, "CreateWorktree", { kind: "done", place: { kind: "created", worktree } }, at);
}

function setUp(
  state: RunState,
  verdict: "pass" | "fail",
  at: number,
  why = "lock file is broken",
): RunEvent[] {
  makeTree(state, at);
  const exitCode = verdict === "pass" ? 0 : 1;
  const excerpt = verdict === "pass" ? "" : `/state/worktrees/${state.run}/package.json: ${why}`;
  const evidence = { ...EXAMPLES.WorkspaceCommandEnded.evidence, verdict, exitCode, excerpt };
  return settle(state, "RunInTree", { kind: "done", place: { kind: "ran", evidence } }, at);
}

const isPreparing = (state: RunState): boolean =>
  openOf(state, "CreateWorktree") !== undefined || openOf(state, "RunInTree") !== undefined;

/** Lets time pass until the run makes its place ready, or begins; when that was. */
function goesOnAt(state: RunState, until: number): number | null {
  for (
    let now = nextDeadline(state, state.at);
    now !== null && now <= until;
    now = nextDeadline(state, now)
  ) {
    takeTurn(state, [], now);
    if (isPreparing(state) || openOf(state, "StartAgent") !== undefined) return now;
  }
  return null;
}

const NAMES = ["run_a", "run_b", "run_c", "run_d", "run_e"];

/** Three runs whose setup fails, and two that have not begun with theirs. */
function broken(resources: SharedResourceFacts): { readonly runs: RunState[]; readonly events: RunEvent[] } {
  const runs = NAMES.map((name) => begun(name));
  const events = runs
    .slice(0, 3)
    .flatMap((run) => [...setUp(run, "fail", 10 * SECOND), ...resources.spread([run], 10 * SECOND)]);
  for (const run of runs.slice(3)) makeTree(run, 9 * SECOND);
  events.push(...resources.spread(runs, 10 * SECOND));
  return { runs, events };
}

test("R5 the third run of a repository whose setup fails in the same way makes it one incident: it is not blocked, and people are notified once", () => {
  const resources = new SharedResourceFacts();
  const { runs, events } = broken(resources);
  assert.deepEqual(
    runs.map(({ status }) => status),
    ["blocked", "blocked", "running", "running", "running"],
  );
  const { incident, pause } = resources.of(REPOSITORY);
  assert.deepEqual([incident?.cause, incident?.by], ["repository", "run_c"]);
  assert.deepEqual(incident?.members, ["run_a/place", "run_b/place", "run_c/place"]);
  assert.deepEqual([pause?.why, pause?.until, pause?.first.run], ["broken", 130 * SECOND, "run_c"]);
  const reported = only(events, "NoticeQueued").filter(({ notice }) => notice.kind === "incident");
  assert.deepEqual(
    reported.map(({ notice }) => notice.id),
    [`${REPOSITORY}/i1/mail`],
  );
  assert.match(reported[0]?.notice.title ?? "", /the repository alpha:\/project: several runs fail there/);
  assert.match(
    reported[0]?.notice.text ?? "",
    /3 runs failed in the same way: .*npm ci.*Mend it there, once/,
  );
});

test("R5 a run that waits for its repository shows until when, and nothing of it is tried or charged before", () => {
  const resources = new SharedResourceFacts();
  const { runs } = broken(resources);
  const held = begun("run_f");
  makeTree(held, 2 * SECOND);
  // It was taken before it knew of anything: what was under way goes on, and its failure is part of the incident.
  resources.spread([held], 11 * SECOND);
  const said = setUp(held, "fail", 12 * SECOND);
  resources.spread([held], 12 * SECOND);
  assert.equal(only(said, "RunBlocked").length, 0);
  assert.equal(held.status, "running");
  assert.ok(resources.of(REPOSITORY).incident?.members.includes("run_f/place"));
  const { health, shared } = statusView(held, null, 20 * SECOND);
  assert.deepEqual([health.state, health.waitsFor], ["waiting", "guard"]);
  assert.match(
    health.evidence.join("\n"),
    /step work waits for the repository alpha:\/project, for \d+ min more/,
  );
  assert.deepEqual(
    shared.map(({ ground: resource, state, incident }) => [resource, state, incident]),
    [[REPOSITORY, "paused", `${REPOSITORY}/i1`]],
  );
  assert.equal(troubledResources([resources.of(REPOSITORY)], 20 * SECOND)[0]?.state, "paused");
  assert.equal(held.steps["work"]?.charged, 0);
  assert.equal(held.steps["work"]?.started, 0);
  assert.equal(runs[2]?.steps["work"]?.started, 0);
});

test("R5 when the pause is over one run tries first; as soon as its place is ready the others follow, each at its own moment", () => {
  const resources = new SharedResourceFacts();
  const { runs } = broken(resources);
  const probe = runs[2] as RunState;
  const late = ["run_f", "run_g", "run_h"].map((name) => {
    const run = begun(name);
    makeTree(run, 10 * SECOND);
    setUp(run, "fail", 12 * SECOND);
    return run;
  });
  resources.spread([probe, ...late], 12 * SECOND);
  assert.equal(goesOnAt(probe, 10 * MINUTE), 130 * SECOND);
  setUp(probe, "pass", 140 * SECOND);
  assert.equal(Object.keys(probe.attempts).length, 1);
  resources.spread([probe, ...late], 140 * SECOND);
  const { pause, incident } = resources.of(REPOSITORY);
  assert.deepEqual([pause?.reopenedAt, incident], [140 * SECOND, null]);
  const starts = late.map((run) => goesOnAt(run, 10 * MINUTE) ?? 0);
  assert.ok(
    starts.every((at) => at > 140 * SECOND && at <= 170 * SECOND),
    starts.join(" "),
  );
  assert.equal(new Set(starts).size, late.length, "they are staggered");
});

test("R5 a repository that stays broken is paused twice as long each time, so often; then each run goes on as if it were alone, and none waits for ever", () => {
  const resources = new SharedResourceFacts();
  const { runs } = broken(resources);
  const [probe, other] = [runs[2] as RunState, begun("run_f")];
  setUp(other, "fail", 12 * SECOND);
  resources.spread([probe, other], 12 * SECOND);
  const waits: number[] = [];
  while (probe.status === "running" && waits.length < 20) {
    const at = goesOnAt(probe, probe.at + 120 * MINUTE);
    assert.ok(at !== null, "it waits for ever");
    setUp(probe, "fail", at + SECOND);
    resources.spread([probe], at + SECOND);
    waits.push(at);
  }
  const gaps = waits.map((at, index) => Math.round((at - (waits[index - 1] ?? 10 * SECOND)) / MINUTE));
  assert.deepEqual(gaps, [2, 4, 8, 16, 32]);
  assert.deepEqual([probe.status, probe.blocked?.reason], ["blocked", "dispatch_error"]);
  resources.spread([other], probe.at);
  const last = goesOnAt(other, other.at + 120 * MINUTE);
  assert.ok(last !== null && last - probe.at < 3 * MINUTE, String(last));
  setUp(other, "fail", last + SECOND);
  resources.spread([other], last + SECOND);
  assert.equal(other.status, "blocked");
});

test("R5 failures that differ, of another repository, of another host or long ago are not the same trouble", () => {
  const resources = new SharedResourceFacts();
  const others = [
    begun("run_1"),
    begun("run_2"),
    begun("run_3", { host: "beta" }),
    begun("run_4", { repository: "/elsewhere" }),
    begun("run_5"),
    begun("run_6"),
  ];
  const [one, two, three, four, five, six] = others as [
    RunState,
    RunState,
    RunState,
    RunState,
    RunState,
    RunState,
  ];
  const fail = (run: RunState, at: number, why?: string): void => {
    setUp(run, "fail", at, why);
    resources.spread([run], at);
  };
  fail(one, 10 * SECOND);
  fail(two, 10 * SECOND, "the network is away");
  fail(three, 11 * SECOND);
  fail(four, 12 * SECOND);
  fail(five, 13 * SECOND);
  fail(six, 13 * SECOND + 11 * MINUTE);
  assert.ok(others.every(({ status }) => status === "blocked"));
  for (const resource of [REPOSITORY, "repository:beta:/project", "repository:alpha:/elsewhere"])
    assert.deepEqual([resources.of(resource).incident, resources.of(resource).pause], [null, null], resource);
});

test("R5 only what needs the failing part waits: a run whose place is ready works on", () => {
  const resources = new SharedResourceFacts();
  const ready = begun("run_z");
  setUp(ready, "pass", 5 * SECOND);
  const started = settle(ready, "StartAgent", { kind: "done" }, 6 * SECOND);
  assert.equal(only(started, "RunBlocked").length, 0);
  const crash: Signal[] = [
    { kind: "error", text: "a bug", terminal: false },
    { kind: "exit", how: "code", code: 1 },
  ];
  broken(resources);
  resources.spread([ready], 11 * SECOND);
  takeTurn(
    ready,
    [{ type: "SignalsHeard", data: { attempt: "work#1", cursor: "1", signals: crash } }],
    12 * SECOND,
  );
  assert.ok(ready.sharedResources[REPOSITORY]?.news.pause !== null);
  const next = goesOnAt(ready, 2 * MINUTE);
  assert.ok(next !== null && next < 60 * SECOND, String(next));
});

test("R5 a worktree that git refuses to make is reported after its tries; a person who lets one run go on lets it try at once", () => {
  const resources = new SharedResourceFacts();
  const runs = NAMES.slice(0, 3).map((name) => begun(name, { workspace: { isolation: "run" } }));
  for (const run of runs) {
    for (let tries = 0; tries < 3; tries += 1) {
      const text = `fatal: cannot lock ref 'refs/heads/holdfast/${run.run}': no space left on device`;
      settle(run, "CreateWorktree", { kind: "failed", text, terminal: false }, 10 * SECOND);
    }
    resources.spread(runs, 10 * SECOND);
  }
  const [first, , held] = runs as [RunState, RunState, RunState];
  assert.deepEqual([first.status, held.status], ["blocked", "running"]);
  assert.equal(resources.of(REPOSITORY).incident?.members.length, 3);
  takeTurn(first, [{ type: "RunUnblocked", data: {} }], 20 * SECOND);
  assert.ok(openOf(first, "CreateWorktree") !== undefined, "it was mended: nothing is waited for");
  makeTree(first, 21 * SECOND);
  resources.spread(runs, 21 * SECOND);
  assert.equal(resources.of(REPOSITORY).pause?.reopenedAt, 21 * SECOND);
  assert.ok(openOf(held, "CreateWorktree") !== undefined, "and the others need not wait it out");
});

test("R5 a person who lets a run go on that nobody works lets it try at once, although it learns of the pause only then", () => {
  const resources = new SharedResourceFacts();
  broken(resources);
  const away = begun("run_z");
  setUp(away, "fail", 10 * SECOND);
  settle(away, "TellGround", { kind: "failed", text: "store_busy", terminal: false }, 11 * SECOND);
  assert.equal(away.status, "blocked");
  // The one that answers a person for a run that nobody works does nothing else.
  const place = { run: away.run, seq: away.seq + 1, at: 30 * SECOND };
  evolve(away, { type: "RunUnblocked", data: {} }, place);
  const news = newsOf(resources.of(REPOSITORY), away.run);
  takeTurn(away, [{ type: "GroundHeard", data: { ground: REPOSITORY, news } }], 31 * SECOND);
  assert.equal(away.sharedResources[REPOSITORY]?.news.pause?.about, "place", "it has heard of the pause");
  assert.ok(isPreparing(away), "and does not wait for it");
  setUp(away, "fail", 40 * SECOND);
  resources.spread([away], 40 * SECOND);
  assert.deepEqual(
    [away.status, isPreparing(away)],
    ["running", false],
    "it was not mended: it waits like the others",
  );
});

/** A run whose agent says that it is done, and whose work is being checked. */
function checked(run: string, checks: readonly string[] = ["npm test"]): RunState {
  const state = begun(run, { workspace: {}, checks });
  claim(state, 5 * SECOND);
  return state;
}

function claim(state: RunState, at: number): void {
  settle(state, "StartAgent", { kind: "done" }, at);
  const attempt = Object.keys(state.attempts)[0] ?? "";
  const signals: Signal[] = [
    { kind: "result", ok: true, text: "done" },
    { kind: "exit", how: "code", code: 0 },
  ];
  takeTurn(state, [{ type: "SignalsHeard", data: { attempt, cursor: "1", signals } }], at);
}

function check(
  state: RunState,
  verdict: "pass" | "fail",
  at: number,
  excerpt = "1 of 90 failed",
): RunEvent[] {
  const key = openOf(state, "RunCheck") ?? "";
  const effect = state.effects[key];
  assert.ok(effect?.kind === "RunCheck");
  const evidence = {
    ...EXAMPLES.WorkspaceCommandEnded.evidence,
    command: effect.command,
    verdict,
    exitCode: verdict === "pass" ? 0 : 1,
    excerpt,
  };
  return settle(state, "RunCheck", { kind: "done", evidence }, at);
}

test("R5 a check that fails several runs in the same way holds the next attempts of all that have it, and one that passes it lets them go", () => {
  const resources = new SharedResourceFacts();
  const runs = NAMES.map((name) => checked(name));
  const other = checked("run_o", ["npm run lint"]);
  const [one, two, three, four, five] = runs as [RunState, RunState, RunState, RunState, RunState];
  for (const [nth, run] of [one, two, three, four].entries())
    check(run, "fail", 10 * SECOND, `not ok 7 - the base is broken (${String(nth)}7 ms)`);
  check(other, "fail", 10 * SECOND, "a rule");
  const events = resources.spread([...runs, other], 10 * SECOND);
  const { incident, pause } = resources.of(REPOSITORY);
  assert.deepEqual(
    [incident?.cause, incident?.members.length, pause?.until],
    ["repository", 4, 130 * SECOND],
  );
  assert.equal(only(events, "NoticeQueued").filter(({ notice }) => notice.kind === "incident").length, 1);
  assert.deepEqual(
    [one, two, three, four].map((run) => openOf(run, "StartAgent") !== undefined),
    [true, true, false, false],
    "from the third on no attempt is burnt",
  );
  assert.ok(openOf(other, "StartAgent") !== undefined, "a run without that check goes on");
  check(five, "pass", 40 * SECOND, "");
  resources.spread([...runs, other], 40 * SECOND);
  assert.equal(resources.of(REPOSITORY).pause?.reopenedAt, 40 * SECOND);
  assert.ok(openOf(three, "StartAgent") !== undefined, "the one that would go first goes at once");
  const starts = [four].map((run) => goesOnAt(run, 10 * MINUTE) ?? 0);
  assert.ok(
    starts.every((at) => at >= 40 * SECOND && at <= 70 * SECOND),
    starts.join(" "),
  );
  assert.ok(runs.every((run) => run.status !== "blocked"));
});

test("R5 a check that fails without a word is the same as no other", () => {
  const resources = new SharedResourceFacts();
  const runs = NAMES.map((name) => checked(name));
  for (const run of runs) check(run, "fail", 10 * SECOND, "");
  resources.spread(runs, 10 * SECOND);
  assert.equal(resources.of(REPOSITORY).incident, null);
  assert.ok(runs.every((run) => openOf(run, "StartAgent") !== undefined));
});

test("R5 a report that cannot be done keeps nobody: the run asks a person as it would alone", () => {
  const run = begun("run_a");
  setUp(run, "fail", 10 * SECOND);
  assert.equal(run.status, "running");
  settle(run, "TellGround", { kind: "failed", text: "store_busy", terminal: false }, 11 * SECOND);
  assert.deepEqual([run.status, run.blocked?.reason], ["blocked", "dispatch_error"]);
});
