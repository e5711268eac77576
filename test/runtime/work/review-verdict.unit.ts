import assert from "node:assert/strict";
import { test } from "node:test";
import { reviewOf } from "../../../src/runtime/work/review-verdict.ts";

const finding = { severity: "high", text: "the error is not handled", file: "src/mail.ts" };
const FAIL = { verdict: "fail", findings: [finding] };
const assessed = (said: unknown) => reviewOf("critic", { said, problem: null, usd: 0.5, tokens: 20 });
const verdictOf = (said: unknown): string => assessed(said).verdict;

test("G6 a verdict is one JSON object, as a value, as text or in one fence, with what it cost and the digest of what was said", () => {
  assert.equal(verdictOf({ verdict: "pass", findings: [] }), "pass");
  assert.equal(verdictOf(JSON.stringify(FAIL)), "fail");
  assert.equal(verdictOf(`\n${JSON.stringify(FAIL, null, 2)}\n`), "fail");
  assert.equal(verdictOf(`\`\`\`json\n${JSON.stringify(FAIL)}\n\`\`\`\n`), "fail");
  assert.equal(verdictOf(`\`\`\`\n${JSON.stringify(FAIL)}\n\`\`\``), "fail");
  const { findings, usd, tokens, digest, agent } = assessed(FAIL);
  assert.deepEqual([agent, findings, usd, tokens], ["critic", [finding], 0.5, 20]);
  assert.notEqual(digest, assessed({ verdict: "pass", findings: [] }).digest);
});

const NONE: readonly (readonly [string, unknown])[] = [
  ["nothing", null],
  ["an empty text", ""],
  ["prose", "looks good to me"],
  ["prose before the JSON", `Here is my verdict: ${JSON.stringify(FAIL)}`],
  ["prose after the JSON", `${JSON.stringify(FAIL)}\nThat is all.`],
  ["prose around a fence", `I think:\n\`\`\`json\n${JSON.stringify(FAIL)}\n\`\`\`\nThat is all.`],
  ["two objects", `${JSON.stringify(FAIL)}\n{"verdict":"pass","findings":[]}`],
  ["JSON that is cut short", JSON.stringify(FAIL).slice(0, -2)],
  ["a list", [FAIL]],
  ["a word as JSON", '"pass"'],
  ["a boolean", true],
  ["an unknown verdict", { verdict: "looks fine", findings: [] }],
  ["a verdict in capitals", { verdict: "PASS", findings: [] }],
  ["no verdict", { findings: [] }],
  ["no findings", { verdict: "pass" }],
  ["a fail without what was found", { verdict: "fail", findings: [] }],
  ["findings as text", { verdict: "fail", findings: "it is bad" }],
  ["a finding without words", { verdict: "fail", findings: [{ severity: "high", text: "" }] }],
  ["a finding without severity", { verdict: "fail", findings: [{ text: "bad" }] }],
  ["a finding with a key nobody knows", { verdict: "fail", findings: [{ ...finding, line: 3 }] }],
  ["a key nobody knows", { ...FAIL, confidence: 0.9 }],
  ["too many findings", { verdict: "fail", findings: Array.from({ length: 101 }, () => finding) }],
  ["words without end", { verdict: "fail", findings: [{ ...finding, text: "x".repeat(2_001) }] }],
];

for (const [what, said] of NONE)
  test(`G6 ${what} is no verdict, and the answer is shown`, () => {
    const { verdict, findings, why, usd, tokens } = assessed(said);
    assert.deepEqual([verdict, findings, usd, tokens], ["none", [], 0.5, 20]);
    assert.match(why, /^what it said is no verdict: /);
    assert.ok(why.length < 300);
  });

test("G6 a reviewer that was ended gave no verdict, no matter what it said before", () => {
  const { verdict, why } = reviewOf("critic", {
    said: { verdict: "pass", findings: [] },
    problem: "no answer within 60 s",
    usd: 0,
    tokens: 0,
  });
  assert.deepEqual([verdict, why], ["none", "no answer within 60 s"]);
});
