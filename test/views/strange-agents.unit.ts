import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { trace, type TraceMaker } from "./trace-maker.ts";

/**
 * Agents that nobody has seen before: their tools have names of their own, and what they do has to be told from what goes
 * in and what comes out.
 */
interface Case {
  readonly what: string;
  readonly does: (t: TraceMaker, index: number) => void;
  readonly times: number;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const letter = (index: number): string => LETTERS[index % LETTERS.length] ?? "";
const word = (index: number): string => `${letter(index)}${letter(index * 7 + 3)}${letter(index * 5 + 1)}`;
/** The same each time, and without a pattern that a period would find. */
const drawn = (index: number, below: number): number =>
  Math.floor(((Math.imul(index + 11, 2_654_435_761) >>> 8) % 10_007) / (10_007 / below));

const STUCK: readonly Case[] = [
  {
    what: "asks one thing of a tool with a made-up name",
    times: 4,
    does: (t) => t.step("frobnicate", { target: "the thing" }, "the thing is blue"),
  },
  {
    what: "asks one thing in another script",
    times: 4,
    does: (t) => t.step("查询", { 路径: "甲" }, "乙丙丁"),
  },
  {
    what: "thinks something new between two equal calls",
    times: 8,
    does: (t, index) =>
      t
        .step("acme.lookup", { key: "k" }, "value: v")
        .step(
          "think",
          { thought: `maybe ${word(index)} ${word(index + 40)}` },
          "Your thought has been logged.",
        ),
  },
  {
    what: "notes a plan between two equal failures",
    times: 6,
    does: (t, index) =>
      t
        .step("builder", { target: "all" }, `gcc: fatal: no input (job ${String(index * 31)})`, { ok: false })
        .step("sequentialthinking", { thought: `plan ${word(index)}`, nr: index }, "{}"),
  },
  {
    what: "makes one change again and again with an unknown tool; the file grows",
    times: 6,
    does: (t, index) =>
      t.step(
        "mutate_document",
        { file_path: "a.py", old_string: "x", new_string: "import os\nx" },
        `now ${"import os ".repeat(index + 1)}`,
      ),
  },
  {
    what: "writes the same content to one file with an unknown tool; the answer differs",
    times: 6,
    does: (t, index) =>
      t.step("doc.put", { path: "notes.md", content: "# Notes\n" }, `revision ${word(index)} stored`),
  },
  {
    what: "changes there and back with an unknown tool",
    times: 3,
    does: (t, index) =>
      t
        .step("tweak", { filename: "a", old_text: "1", new_text: "2" }, `${word(index)} lines`)
        .step("verify", {}, `other ${word(index + 9)}`, { ok: false })
        .step("tweak", { filename: "a", old_text: "2", new_text: "1" }, `${word(index + 60)} lines`)
        .step("verify", {}, `another ${word(index + 30)}`, { ok: false }),
  },
  {
    what: "edits through calls of functions in a notebook; the file grows",
    times: 6,
    does: (t, index) =>
      t.step(
        "execute_ipython_cell",
        { code: "insert_content_at_line('a.py', 1, 'import os')" },
        `[File updated] ${"import os ".repeat(index + 1)}`,
      ),
  },
  {
    what: "gets the same error as JSON that nobody marks",
    times: 9,
    does: (t, index) =>
      t.add("tool_call", { name: "api", args: { q: word(index) } }).add("tool_result", {
        name: "api",
        result: `{"error": "invalid token", "request": ${String(1_000 + index)}}`,
      }),
  },
  {
    what: "makes another change each time, and one test fails the same way, unmarked",
    times: 12,
    does: (t, index) =>
      t
        .step("modifier", { path: "a.py", new_string: `guess ${word(index)}` }, "saved")
        .step("tester", { suite: "unit" }, `F\nexpected None\n===== 1 failed in 0.${String(index)} s =====`),
  },
  {
    what: "calls the same three things at once, and they answer in changing order",
    times: 6,
    does: (t, index) => {
      for (const name of ["one", "two", "three"])
        t.add("tool_call", { name, args: "x", call_id: `${name}${String(index)}` });
      const order = [
        ["one", "two", "three"],
        ["three", "one", "two"],
        ["two", "three", "one"],
      ][drawn(index, 3)];
      for (const name of order ?? [])
        t.add("tool_result", {
          name,
          call_id: `${name}${String(index)}`,
          result: `answer of ${name}`,
          ok: true,
        });
    },
  },
  {
    what: "goes round eight tools whose answers differ in times alone",
    times: 4,
    does: (t, index) => {
      for (let at = 0; at < 8; at += 1)
        t.step(`tool_${letter(at)}`, {}, `state ${letter(at)} at 12:0${String(index)}:${String(10 + at)}`);
    },
  },
  {
    what: "goes round three calls that all fail in their own way",
    times: 4,
    does: (t) =>
      t
        .step("connect", {}, "refused by peer", { ok: false })
        .step("reset", {}, "nothing to reset", { ok: false })
        .step("reconnect", {}, "still closed", { ok: false }),
  },
  {
    what: "asks the same with a counter in the call, and gets one answer",
    times: 10,
    does: (t, index) =>
      t.step("query", { text: "where is it", attempt: index }, "it is in the cellar, as ever"),
  },
];

const HEALTHY: readonly Case[] = [
  {
    what: "reads one part after the other with an unknown tool",
    times: 40,
    does: (t, index) => t.step("peek", { part: index }, `part ${word(index)} ${word(index + 7)}`),
  },
  {
    what: "looks for many things that are not there",
    times: 14,
    does: (t, index) => t.step("find_route", { from: "A", to: word(index) }, "[]"),
  },
  {
    what: "asks for the state of a job until it is done",
    times: 9,
    does: (t, index) => t.step("get_job_status", { job: 7 }, index < 8 ? "pending" : "ready"),
  },
  {
    what: "asks how much is left, and it shrinks",
    times: 30,
    does: (t, index) => t.step("queue_info", { name: "q" }, `${String(60 - index)} jobs left`),
  },
  {
    what: "reads a log that grows",
    times: 20,
    does: (t, index) =>
      t.step("log_view", { id: 1 }, Array.from({ length: index + 1 }, (_none, at) => word(at)).join("\n")),
  },
  {
    what: "pages down through a long text",
    times: 7,
    does: (t, index) => t.step("page_down", {}, `lines ${word(index)} to ${word(index + 1)}`),
  },
  {
    what: "changes something and tests it, and it passes each time",
    times: 20,
    does: (t, index) =>
      t
        .step("modifier", { path: `${word(index)}.py`, new_string: word(index + 3) }, "saved")
        .step("tester", { suite: "unit" }, "all 12 passed"),
  },
  {
    what: "fixes one failure after the other",
    times: 12,
    does: (t, index) =>
      t
        .step("modifier", { path: "a.py", new_string: word(index) }, "saved")
        .step("tester", { suite: "unit" }, `FAILED ${word(index)}_test: ${word(index + 5)} is missing`, {
          ok: false,
        }),
  },
  {
    what: "thinks a lot between different acts",
    times: 20,
    does: (t, index) =>
      t
        .step("think", { thought: `about ${word(index)} and ${word(index + 2)}` }, "")
        .step("act", { on: word(index) }, `${word(index + 13)} happened`),
  },
  {
    what: "sends different orders and gets one acknowledgement",
    times: 20,
    does: (t, index) => t.step("send_order", { item: word(index), amount: index }, "OK"),
  },
  {
    what: "has a batch of which all fail alike, and goes on",
    times: 1,
    does: (t) => {
      for (let at = 0; at < 7; at += 1)
        t.add("tool_call", { name: "fetcher", args: word(at), call_id: `f${String(at)}` }, 5);
      for (let at = 0; at < 7; at += 1)
        t.add("tool_result", { name: "fetcher", call_id: `f${String(at)}`, result: "down", ok: false }, 5);
      t.step("fetcher", "other", "here it is");
    },
  },
  {
    what: "lists the same folder after each move into another one",
    times: 12,
    does: (t, index) =>
      t.step("cd", { to: word(index) }, "").step("ls", {}, `${word(index + 4)}\n${word(index + 8)}`),
  },
];

describe("L2 agents with tools that nobody knows", () => {
  for (const { what, does, times } of STUCK)
    test(`L2 an agent that ${what} is stuck`, () => {
      const verdict = work().times(times, does).assess();
      assert.equal(verdict.health, "stuck", JSON.stringify(verdict));
      assert.ok(verdict.evidence.length > 0);
    });

  for (const { what, does, times } of HEALTHY)
    test(`L3 an agent that ${what} is left alone`, () => {
      const verdict = work().times(times, does).assess();
      assert.equal(verdict.first_flagged_event, null, JSON.stringify(verdict));
    });
});

/** Honest work before, so that nothing is decided by how a session begins. */
const work = (): TraceMaker =>
  trace().times(5, (t, index) =>
    t.step("survey", { room: word(index) }, `room ${word(index)} has a ${word(index + 50)}`),
  );
