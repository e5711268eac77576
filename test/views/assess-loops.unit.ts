import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TraceVerdict } from "../../src/views/assess/assess-trace.ts";
import { trace, type TraceMaker } from "./trace-maker.ts";

const stuckOf = (verdict: TraceVerdict, pattern: string): void => {
  assert.deepEqual([verdict.health, verdict.pattern], ["stuck", pattern], JSON.stringify(verdict));
  assert.ok(verdict.evidence.length > 0 && verdict.evidence.every((line) => line !== ""));
  assert.notEqual(verdict.first_flagged_event, null);
};
const neverFlagged = (verdict: TraceVerdict): void => {
  assert.equal(verdict.first_flagged_event, null, JSON.stringify(verdict));
  assert.notEqual(verdict.health, "stuck");
};

describe("L2 loops of calls", () => {
  test("L2 the same call with the same result is a loop at the fourth, and not at the third", () => {
    const three = trace().times(3, (t) => t.step("shell", { cmd: "git status" }, "clean"));
    neverFlagged(three.assess());
    const four = three.step("shell", { cmd: "git status" }, "clean").assess();
    stuckOf(four, "tool_loop");
    assert.equal(four.first_flagged_event, 7);
  });

  test("L2 the same failure of the same call is a loop at the third, also when a counter in it changes", () => {
    const failing = (t: TraceMaker, index: number): TraceMaker =>
      t.step("bash", "make all", `/bin/bash: line ${String(11_301 + index)}: make: not here`, { ok: false });
    stuckOf(trace().times(3, failing).assess(), "error_loop");
    neverFlagged(trace().times(2, failing).assess());
  });

  test("L2 one call that fails in four different ways is an error loop", () => {
    const ways = ["refused", "no route", "reset by peer", "name unknown"];
    const all = trace().times(4, (t, index) => t.step("connect", "db:1", ways[index] ?? "", { ok: false }));
    stuckOf(all.assess(), "error_loop");
  });

  for (const period of [2, 3, 4, 5, 6, 7, 8])
    test(`L2 a cycle of ${String(period)} different calls is found after three rounds`, () => {
      const round = (t: TraceMaker): void => {
        for (let index = 0; index < period; index += 1)
          t.step(
            "read_file",
            { path: `src/part-${"abcdefgh"[index] ?? ""}.ts` },
            `content ${"abcdefgh"[index] ?? ""}`,
          );
      };
      neverFlagged(trace().times(2, round).assess());
      stuckOf(trace().times(3, round).assess(), "tool_loop");
    });

  test("L2 a loop with something else thrown in now and then is still a loop", () => {
    const noisy = trace().times(4, (t) =>
      t
        .step("bash", "./configure", "cannot guess build type")
        .step("bash", "./configure", "cannot guess build type")
        .step("bash", "pwd", "/src"),
    );
    stuckOf(noisy.assess(), "tool_loop");
  });

  test("L2 the same edit again and again is a loop although the file grows and each result differs", () => {
    const edits = trace().times(6, (t, index) =>
      t.step(
        "edit",
        "insert 4: import os",
        `[File: a.py (${String(20 + index)} lines total)] ${"import os ".repeat(index)}`,
      ),
    );
    stuckOf(edits.assess(), "tool_loop");
  });

  test("L2 edits that are made and taken back are an alternation, no matter what is run in between", () => {
    const fields = (a: string, b: string): object => ({ path: "a.ts", old_string: a, new_string: b });
    const there = trace().times(3, (t, index) =>
      t
        .step("Edit", fields("x = 1", "x = 2"), "updated")
        .step("Bash", "npm test", `1 failing after ${"ab"[index % 2] ?? ""}`, { ok: false })
        .step("Edit", fields("x = 2", "x = 1"), "updated")
        .step("Bash", "npm test", `2 failing after ${"cd"[index % 2] ?? ""}`, { ok: false }),
    );
    stuckOf(there.assess(), "alternation");
  });

  test("L2 the same failure after eight different edits is an error loop; its twin that changes is not", () => {
    const edit = (t: TraceMaker, index: number): TraceMaker =>
      t.step("str_replace", { path: "a.py", new: `guess ${"abcdefghij"[index] ?? ""}` }, "ok, edited");
    const same = trace().times(9, (t, index) =>
      edit(t, index).step("bash", "pytest -q", "E assert None", { ok: false }),
    );
    stuckOf(same.assess(), "error_loop");
    const other = trace().times(30, (t, index) =>
      edit(t, index % 10).step("bash", "pytest -q", `E assert ${"ab".repeat(index)}`, { ok: false }),
    );
    neverFlagged(other.assess());
  });

  test("L2 different commands that all give the same failure are an error loop in the end", () => {
    const names = "abcdefgh";
    const all = trace().times(6, (t, index) =>
      t.step("bash", `${names[index] ?? ""}tool --fix`, "sh: cannot execute binary file", { ok: false }),
    );
    stuckOf(all.assess(), "error_loop");
  });

  test("L2 twelve calls that were all made before, in any order, bring nothing new", () => {
    const order = [0, 1, 2, 3, 4, 5, 3, 1, 0, 2, 5, 4, 1, 4, 2, 0, 3, 5];
    const shuffled = trace().times(order.length, (t, index) =>
      t.step(
        "open",
        `file-${"abcdef"[order[index] ?? 0] ?? ""}`,
        `text ${"abcdef"[order[index] ?? 0] ?? ""}`,
      ),
    );
    stuckOf(shuffled.assess(), "tool_loop");
  });

  test("L2 a trace without results: five identical calls are a loop, four are not", () => {
    neverFlagged(
      trace()
        .times(4, (t) => t.call("search", { q: "x" }))
        .assess(),
    );
    stuckOf(
      trace()
        .times(5, (t) => t.call("search", { q: "x" }))
        .assess(),
      "tool_loop",
    );
    stuckOf(
      trace()
        .times(5, (t) => t.call("search", { q: "x" }).call("read", { p: "y" }))
        .assess(),
      "tool_loop",
    );
  });

  test("L2 a result belongs to its call by id, or to the oldest open call of its name", () => {
    const byId = trace();
    for (let index = 0; index < 4; index += 1) {
      byId.add("tool_call", { name: "read", args: "same", call_id: `s${String(index)}` });
      byId.add("tool_call", {
        name: "read",
        args: `other ${"abcd"[index] ?? ""}`,
        call_id: `o${String(index)}`,
      });
      byId.add("tool_result", {
        name: "read",
        result: `news ${"abcd"[index] ?? ""}`,
        ok: true,
        call_id: `o${String(index)}`,
      });
      byId.add("tool_result", { name: "read", result: "same", ok: true, call_id: `s${String(index)}` });
    }
    neverFlagged(byId.assess());
    const byName = trace().times(4, (t) =>
      t.call("read", "a").call("list", "b").result("list", "x").result("read", "y"),
    );
    stuckOf(byName.assess(), "tool_loop");
  });

  test("L2 digests stand for texts that were cut", () => {
    const cut = (args: string, result: string): object[] => [
      { kind: "tool_call", name: "run", args: "same beginning…", args_sha: args },
      {
        kind: "tool_result",
        name: "run",
        result: "same beginning…",
        ok: true,
        result_sha: result,
        result_norm_sha: result,
      },
    ];
    const differing = trace();
    const same = trace();
    for (const digest of ["aa", "bb", "cc", "dd", "ee"]) {
      for (const { kind, ...fields } of cut(digest, digest) as { kind: string }[])
        differing.add(kind, fields);
      for (const { kind, ...fields } of cut("aa", "aa") as { kind: string }[]) same.add(kind, fields);
    }
    neverFlagged(differing.assess());
    stuckOf(same.assess(), "tool_loop");
  });
});

describe("L3 healthy work", () => {
  test("L3 polling with changing output is left alone, and so is a wait for something that takes its time", () => {
    neverFlagged(
      trace()
        .times(60, (t, index) =>
          t.step("bash", "curl -s localhost/job", `{"done": ${String(index)}}% 12/${String(index)}`),
        )
        .assess(),
    );
    neverFlagged(
      trace()
        .times(9, (t) => t.step("bash", "sleep 30 && gh run view 7", "in progress"))
        .assess(),
    );
    neverFlagged(
      trace()
        .times(9, (t) => t.step("TaskOutput", { id: "b1", block: true }, "still running"))
        .assess(),
    );
  });

  test("L3 the same test is run again with edits in between, and passes each time", () => {
    const work = trace().times(34, (t, index) =>
      t
        .step(
          "edit",
          { path: "a.ts", text: `line ${"abcdefghijklmnopqrstuvwxyzABCDEFGH"[index] ?? ""}` },
          "The file has been updated",
        )
        .step("bash", "npm run check", "all good"),
    );
    neverFlagged(work.assess());
  });

  test("L3 a growing log, a walk through a file and a listing after each change of folder are news", () => {
    let log = "";
    neverFlagged(
      trace()
        .times(20, (t, index) => t.step("bash", "tail -n 200 log", (log += `entry ${"x".repeat(index)}\n`)))
        .assess(),
    );
    neverFlagged(
      trace()
        .times(7, (t, index) => t.step("scroll_down", "", `page ${"abcdefg"[index] ?? ""}`))
        .assess(),
    );
    neverFlagged(
      trace()
        .times(8, (t, index) =>
          t
            .step("bash", `cd ${"abcdefgh"[index] ?? ""}`, "")
            .step("bash", "ls", `in ${"abcdefgh"[index] ?? ""}`),
        )
        .assess(),
    );
  });

  test("L3 a parallel batch that fails as a whole is one failure", () => {
    const batch = trace();
    for (let index = 0; index < 8; index += 1)
      batch.add(
        "tool_call",
        { name: "Read", args: `f${"abcdefgh"[index] ?? ""}`, call_id: String(index) },
        5,
      );
    for (let index = 0; index < 8; index += 1)
      batch.add(
        "tool_result",
        { name: "Read", result: "no such folder", ok: false, call_id: String(index) },
        5,
      );
    neverFlagged(batch.step("Glob", "**/*.ts", "a.ts b.ts").assess());
    const cancelled = trace().times(8, (t, index) =>
      t.step("Read", `f${"abcdefgh"[index] ?? ""}`, "Skipped because another call of this batch failed", {
        ok: false,
      }),
    );
    neverFlagged(cancelled.assess());
  });

  test("L3 acknowledgements are the same for different acts", () => {
    neverFlagged(
      trace()
        .times(14, (t, index) => t.step("todo_write", { item: "x".repeat(index) }, "Saved successfully"))
        .assess(),
    );
    neverFlagged(
      trace()
        .times(14, (t, index) => t.step("bash", `mkdir d${"x".repeat(index)}`, ""))
        .assess(),
    );
  });

  test("L3 new words of a person excuse a repetition; the same words again do not", () => {
    const asks = [
      "And his booking?",
      "What of the bag?",
      "Look again, please.",
      "And the seat?",
      "Is it paid?",
    ];
    const answering = trace().times(5, (t, index) =>
      t
        .user(asks[index] ?? "")
        .step("get_booking", { id: 7 }, "booked")
        .says(`Answer ${"abcde"[index] ?? ""} is here.`),
    );
    neverFlagged(answering.assess());
    const pushed = trace().times(5, (t) => t.user("continue").step("get_booking", { id: 7 }, "booked"));
    stuckOf(pushed.assess(), "tool_loop");
  });
});

describe("L2 what clears a verdict", () => {
  const looped = (): TraceMaker =>
    trace().times(4, (t) => t.step("submit", "wrong", "not accepted", { ok: false }));

  test("L2 something new that succeeds ends it, and the trace shows when", () => {
    const verdict = looped().step("submit", "right", "accepted").assess();
    assert.equal(verdict.health, "healthy");
    assert.deepEqual([verdict.first_flagged_event, verdict.cleared_event], [5, 9]);
  });

  test("L2 a recovery that was granted ends it until it comes again", () => {
    const granted = looped().add("system", { name: "loop_cleared", result: "one more try" });
    assert.notEqual(granted.assess().health, "stuck");
    stuckOf(granted.step("submit", "wrong", "not accepted", { ok: false }).assess(), "error_loop");
  });

  test("L2 another failure does not end it", () => {
    stuckOf(looped().step("submit", "other", "not accepted either", { ok: false }).assess(), "error_loop");
  });
});
