import assert from "node:assert/strict";
import { test } from "node:test";
import type { Recorded, RunEvent } from "../../../src/model/events/events.ts";
import { reportOf } from "../../../src/views/report/report.ts";
import { reportHtml, reportMarkdown } from "../../../src/views/report/report-text.ts";
import { blockedBy } from "../../decide/states.ts";
import { EXAMPLES } from "../../model/example-events.ts";

/** Words by which an agent, a check or a person might try to be more than words. */
const HOSTILE = [
  "<script>alert(1)</script>",
  `"><img src=x onerror=alert(1)>`,
  "[click](javascript:alert(1))",
  "![x](http://evil.example/x.png)",
  "</td></table></html><iframe src=//evil.example>",
  "| a | b |\n# heading\n<!-- comment",
  "\u001b[2J\u001b]0;title\u0007\u202egnp.exe",
  "`code` ${x} *bold* &lt; @everyone https://evil.example www.evil.example",
].join(" ");

const journalOf = (...events: readonly RunEvent[]): Recorded[] =>
  [{ type: "RunCreated", data: { ...EXAMPLES.RunCreated, goal: HOSTILE } } as RunEvent, ...events].map(
    (event, index) => ({ ...event, run: "run_1", seq: index + 1, at: index * 60_000, hash: "" }),
  );

const failure = { class: "agent_failed", text: HOSTILE, fingerprint: "x" } as const;
const evidence = {
  command: `npm test ${HOSTILE}`,
  verdict: "fail",
  exitCode: 7,
  signal: null,
  timedOut: false,
  outputBytes: 3,
  digest: "abcdef0123456789",
  excerpt: HOSTILE,
  durationMs: 2_500,
} as const;

const EVENTS = journalOf(
  { type: "RunStarted", data: {} },
  { type: "AttemptStarted", data: EXAMPLES.AttemptStarted },
  {
    type: "AttemptEnded",
    data: { attempt: "work#1", outcome: "failed", charged: true, why: HOSTILE, failure },
  },
  { type: "EffectSettled", data: { key: "work#1/RunCheck", outcome: { kind: "done", evidence } } },
  { type: "StepFailed", data: { step: "work", failure } },
  blockedBy({ reason: "retries_exhausted", detail: HOSTILE }),
  { type: "EscalationRaised", data: EXAMPLES.EscalationRaised },
  {
    type: "RequestHeard",
    data: { requestId: "q", request: { kind: "unblock", escalation: "run_1.e1", note: HOSTILE }, by: "ada" },
  },
  { type: "EscalationResolved", data: { id: "run_1.e1", how: "unblocked", by: "ada", note: HOSTILE } },
  { type: "StepReset", data: { step: "work" } },
  { type: "RunUnblocked", data: {} },
  { type: "RequestAnswered", data: { requestId: "q", answer: { kind: "done", text: "unblocked" } } },
  { type: "RunStopping", data: { to: "paused", stop: "operator" } },
  { type: "RunPaused", data: { stop: "operator" } },
);

test("G13 a report shows goal, outcome, steps, checks, questions, decisions, cost, and what is left with its command", () => {
  const { parts } = reportOf(EVENTS, "sqlite:/a b.db");
  const titles = parts.map(({ title }) => title);
  for (const title of [
    "Goal",
    "Outcome",
    "What is left to do",
    "Steps",
    "Attempts",
    "Checks",
    "Questions to people",
    "Decisions of people",
    "Cost",
    "Timeline",
  ])
    assert.ok(titles.includes(title), title);
  const part = (title: string) => parts.find((one) => one.title === title);
  assert.deepEqual(part("What is left to do")?.commands, ["holdfast resume run_1 --store 'sqlite:/a b.db'"]);
  assert.deepEqual(part("Checks")?.table?.rows[0]?.slice(2, 6), ["fail", "7", "2.5 s", "abcdef012345"]);
  assert.deepEqual(
    part("Questions to people")?.table?.rows[0]?.slice(4, 6),
    ["120 s", "ada"].map((cell) => (cell === "120 s" ? "2 min" : cell)),
  );
  assert.equal(part("Decisions of people")?.table?.rows[0]?.[2], "ada");
});

test("G13 no word from elsewhere becomes markup of the page", () => {
  const page = reportHtml(reportOf(EVENTS, null));
  const allowed =
    /^<(!doctype html|!-- holdfast report --|\/?(html|head|body|title|style|h1|h2|p|pre|table|tr|th|td)|html lang="en"|meta [^<>]*)>$/;
  const tags = page.match(/<[^>]*>/g) ?? [];
  assert.ok(tags.length > 50);
  for (const tag of tags) assert.match(tag, allowed);
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  assert.doesNotMatch(page, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
});

test("G13 no word from elsewhere becomes markup of the Markdown", () => {
  const text = reportMarkdown(reportOf(EVENTS, null));
  assert.match(text, /\n```sh\nholdfast resume run_1\n```\n/);
  assert.match(text, /&#60;script&#62;alert/, "what stands for a character is whole");
  const rest = text.replace("<!-- holdfast report -->", "").replaceAll(/\n```sh\n.*\n```\n/g, "");
  assert.doesNotMatch(rest, /[<>]/, "no HTML");
  assert.doesNotMatch(rest, /(?<!\\)[[\]`*_!]/, "no links, images, code or emphasis");
  assert.doesNotMatch(rest, /(?<!\\):\/\//, "no addresses that link themselves");
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  assert.doesNotMatch(rest, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
  for (const line of rest.split("\n").filter((one) => one.startsWith("|")))
    assert.ok([3, 5, 6, 7].includes((line.match(/(?<!\\)\|/g) ?? []).length - 1), line);
});
