import assert from "node:assert/strict";
import { test } from "node:test";
import { continuousSpecSchema } from "../../../src/model/continuous/continuous-spec.ts";
import { PlayedSession } from "./played-session.ts";

const idle = { policy: "plan", vision: "/VISION.md", everyMs: 1_000, maxMs: 1_000 } as const;
const said = (...goals: readonly object[]) => ({ answer: { said: JSON.stringify({ goals }) } });

/** Without goals of its own: everything is planned. */
function planned(spec: ConstructorParameters<typeof PlayedSession>[1] = {}): PlayedSession {
  const session = new PlayedSession([], { idle, ...spec });
  session.evidence = "one";
  session.turn(1_000);
  return session;
}

const asked = ({ events }: PlayedSession): string[] =>
  events.flatMap((event) => (event.type === "PlanWanted" ? [event.data.goal] : []));

test("G14 where nothing is left a planner is asked, and what it names is worked by priority, each under an id of its own", () => {
  const session = planned();
  assert.deepEqual(session.issued, ["s.plan-1.1"]);
  session.done("s.plan-1.1", said({ goal: "water" }, { goal: "dig", priority: 3 }));
  assert.deepEqual(session.issued.slice(1), ["s.plan-1-2.1"]);
  session.done("s.plan-1-2.1");
  session.done("s.plan-1-1.1");
  assert.deepEqual(session.ends, ["plan-1 done", "plan-1-1 done", "plan-1-2 done", "plan-2 issued"]);
  assert.deepEqual(asked(session), ["plan-1", "plan-2"], "what became of the goals is new to it");
});

test("G14 without new evidence a planner is not asked again; an edited vision or a commit is new", () => {
  const session = planned();
  session.done("s.plan-1.1", said());
  for (let round = 0; round < 5; round += 1) session.turn(1_000);
  assert.deepEqual(asked(session), ["plan-1"]);
  assert.ok(session.state.intake.idleRounds >= 5);
  session.evidence = "two";
  session.turn(1_000);
  assert.deepEqual(session.issued, ["s.plan-1.1", "s.plan-2.1"]);
});

test("G14 a planner that sees nothing to do for so many rounds ends the session", () => {
  const session = planned({ idle: { ...idle, rounds: 3 } });
  session.done("s.plan-1.1", said());
  for (let round = 0; round < 3; round += 1) session.turn(1_000);
  assert.equal(session.state.end?.kind, "idle");
});

test("G14 an answer that names anything but words and priorities is refused as a whole", () => {
  for (const answer of [
    JSON.stringify({ goals: [{ goal: "x", checks: ["rm -rf /"] }] }),
    JSON.stringify({ goals: [{ goal: "x", agent: "command:sh" }] }),
    JSON.stringify({ goals: [{ goal: "x", cron: "* * * * *" }] }),
    JSON.stringify({ goals: [{ goal: "x", flow: "evil.yaml" }], command: "x" }),
    JSON.stringify({ goals: Array.from({ length: 11 }, () => ({ goal: "x" })) }),
    JSON.stringify({ goals: [{ goal: "" }] }),
    "I would mend the build.",
    null,
  ]) {
    const session = planned({ onFailed: "skip" });
    session.done("s.plan-1.1", { answer: { said: answer } });
    assert.deepEqual(session.ends, ["plan-1 failed"], String(answer));
    assert.match(session.state.goals["plan-1"]?.end?.text ?? "", /^the planner's answer is not usable/);
    session.turn(1_000);
    assert.deepEqual(asked(session), ["plan-1"], "it is not asked the same again");
  }
});

test("G14 what a planner spends counts, and a spent budget asks no other", () => {
  const session = planned({ budget: { usd: 1 } });
  const spent = { usd: 1, tokens: 5, turns: 1, timeMs: 1 };
  session.done("s.plan-1.1", { ...said({ goal: "dig" }), spent });
  assert.deepEqual(
    [session.state.end?.kind, session.state.end?.left],
    ["session_budget_exhausted", ["plan-1-1"]],
  );
});

test("G14 a paused or stopped session asks no planner", () => {
  for (const kind of ["pause", "stop"] as const) {
    const session = new PlayedSession([], { idle });
    session.ask({ kind });
    session.evidence = "one";
    session.turn(10_000);
    assert.deepEqual(asked(session), []);
    session.ask({ kind: "resume" });
    session.turn(1_000);
    assert.deepEqual(asked(session), ["plan-1"]);
  }
});

test("G14 an intake may have a goal of a planner's name: both are worked", () => {
  const session = new PlayedSession([{ id: "plan-1" }], { idle });
  session.evidence = "one";
  session.done("s.plan-1.1");
  session.turn(1_000);
  assert.deepEqual(session.issued, ["s.plan-1.1", "s.plan-2.1"]);
});

test("G14 to plan without a vision is refused with what is missing", () => {
  const { error } = continuousSpecSchema.safeParse({
    intake: { kind: "file", path: "/g" },
    cwd: "/",
    idle: { policy: "plan" },
  });
  assert.match(error?.message ?? "", /expected the file that the planner goes by/);
});
