import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TraceMaker } from "./trace-maker.ts";
import { trace } from "./trace-maker.ts";

const MINUTE = 60_000;
const worked = (): TraceMaker => trace().user("do it").step("bash", "make", "built", { tookMs: 2_000 });
const after = (maker: TraceMaker, ms: number): ReturnType<TraceMaker["assess"]> =>
  maker.assess({ timed: true, evaluatedAtMs: maker.now + ms });

describe("L1 silence", () => {
  test("L1 a model that does not answer is degraded after five minutes and stuck after fifteen", () => {
    assert.equal(after(worked(), 4 * MINUTE).health, "waiting");
    assert.equal(after(worked(), 7 * MINUTE).health, "degraded");
    const late = after(worked(), 20 * MINUTE);
    assert.deepEqual([late.health, late.pattern], ["stuck", "no_progress"]);
    assert.match(late.evidence[0] ?? "", /model has not answered/);
    assert.equal(late.first_flagged_event, 2);
  });

  test("L3 long thinking, a long commit and a long compile are waited for", () => {
    assert.equal(after(worked(), 7 * MINUTE).first_flagged_event, null);
    const compiling = worked().call("bash", "cargo build --release");
    assert.deepEqual(
      [after(compiling, 19 * MINUTE).health, after(compiling, 19 * MINUTE).first_flagged_event],
      ["waiting", null],
    );
  });

  test("L1 a call that outlives every limit is a timeout; one that names a longer limit is not", () => {
    const hanging = after(worked().call("bash", "nc -l 80"), 65 * MINUTE);
    assert.deepEqual([hanging.health, hanging.pattern], ["stuck", "timeout"]);
    const announced = after(worked().call("bash", { command: "train", timeout: 7_200_000 }), 65 * MINUTE);
    assert.notEqual(announced.health, "stuck");
  });

  test("L1 a question to a person is waited for as long as it takes", () => {
    const asking = after(worked().call("AskUserQuestion", { question: "Which one?" }), 1_000 * MINUTE);
    assert.deepEqual([asking.health, asking.first_flagged_event], ["waiting", null]);
    assert.match(asking.evidence[0] ?? "", /a person/);
    const spoken = after(worked().says("It is done. What next?"), 1_000 * MINUTE);
    assert.deepEqual([spoken.health, spoken.first_flagged_event], ["waiting", null]);
    const permission = after(worked().add("permission", { name: "bash", call_id: "p1" }), 1_000 * MINUTE);
    assert.equal(permission.health, "waiting");
  });

  test("L1 an invented clock says nothing about silence", () => {
    const maker = worked();
    assert.equal(maker.assess({ timed: false, evaluatedAtMs: maker.now + 1_000 * MINUTE }).health, "healthy");
  });

  test("L1 a trace with years between its events is assessed at once", () => {
    const verdict = worked()
      .add("user", { result: "hello again" }, 400 * 365 * 24 * 60 * MINUTE)
      .assess({ timed: true });
    assert.notEqual(verdict.first_flagged_event, null);
  });

  test("L1 a heartbeat and moving seconds on the screen are no answer of the model", () => {
    const maker = worked();
    for (let minute = 0; minute < 20; minute += 1)
      maker
        .add("screen", { lines: [`Working (${String(minute)}m 3s) ⠋`], at_prompt: false }, MINUTE)
        .add("heartbeat");
    assert.equal(maker.assess({ timed: true }).health, "stuck");
  });
});

describe("L1 process, rates and context", () => {
  test("L1 a dead process is a crash at once; a probe that failed says nothing", () => {
    assert.equal(
      worked().add("process", { alive: false, exit_code: 137 }).assess({ timed: true }).health,
      "crashed",
    );
    assert.equal(worked().add("process", { alive: false }).assess().health, "crashed");
    assert.equal(
      worked().add("process", { alive: false, exit_code: 0 }).assess().health === "crashed",
      false,
    );
    assert.equal(worked().add("process", { alive: null }).assess().health, "healthy");
  });

  test("L1 a full context is degraded after two ticks and stuck after three more; after a while of room it is healthy again", () => {
    const full = (pct: number): TraceMaker => worked().says("Go on?").add("context", { used_pct: pct });
    const at = (maker: TraceMaker, ms: number): string => after(maker, ms).health;
    assert.notEqual(at(full(96), 50_000), "stuck");
    const stuck = after(full(96), 151_000);
    assert.deepEqual([stuck.health, stuck.pattern], ["stuck", "resource_exhaustion"]);
    assert.notEqual(at(full(90), 600_000), "stuck");
    const eased = full(96).add("context", { used_pct: 20 }, 200_000);
    assert.equal(at(eased, 30_000), "stuck");
    assert.notEqual(at(eased, 70_000), "stuck");
  });

  test("L1 half of the calls failing with nothing new is stuck once it lasts; with news among them it is only degraded", () => {
    const slow = { tookMs: 20_000 };
    const mixed = (news: boolean): TraceMaker =>
      trace().times(26, (t, index) => {
        const word = "x".repeat(index);
        if (index % 2 === 0) t.step("bash", `try ${word}`, `no ${word}`, { ok: false, ...slow });
        else t.step("bash", news ? `look ${word}` : "pwd", news ? `seen ${word}` : "/src", slow);
      });
    assert.equal(mixed(false).assess({ timed: true }).health, "stuck");
    assert.equal(mixed(true).assess({ timed: true }).first_flagged_event, null);
  });
});

describe("L4 limits in a trace", () => {
  test("L4 a limit is waited for until its reset, and what comes after it is the agent's again", () => {
    const limited = trace()
      .user("go")
      .add("error", { result: "You've hit your usage limit. Try again in 2 hours." });
    const waiting = after(limited, 60 * MINUTE);
    assert.deepEqual([waiting.health, waiting.first_flagged_event], ["waiting", null]);
    assert.match(waiting.evidence[0] ?? "", /limit/);
    assert.equal(after(limited, 3 * 60 * MINUTE).health, "stuck");
    const resumed = limited.add("assistant", { result: "Going on." }, 121 * MINUTE);
    assert.equal(resumed.assess({ timed: true }).first_flagged_event, null);
  });

  test("L4 a tool's output that speaks of limits is none", () => {
    const reading = worked().step("bash", "cat notes", "You've hit your usage limit. Try again in 2 hours.");
    assert.equal(reading.assess({ timed: true }).health, "healthy");
  });

  test("L4 a screen that shows a limit is waited for, and is no early stop", () => {
    const shown = { lines: ["You've hit your limit · resets 7pm (UTC)", "> "], at_prompt: true };
    const maker = worked().times(5, (t) => t.add("screen", shown));
    assert.equal(maker.assess({ timed: true }).health, "waiting");
  });
});
