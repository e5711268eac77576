import assert from "node:assert/strict";
import { test } from "node:test";
import { reviewTask } from "../../src/decide/gate/decide-reviews.ts";
import { quotedWords } from "../../src/model/text/quoted-words.ts";
import { reviewOf } from "../../src/runtime/work/review-verdict.ts";
import { triageQuestion, wordsOf } from "../../src/runtime/work/ask-triage.ts";
import { INJECTIONS } from "./injections.ts";

/** What is left of a question without the record in it. */
const ours = (question: string): string =>
  question
    .split("\n")
    .filter((line) => !line.startsWith("| "))
    .join("\n");

const HIDDEN = /[^\n\P{C}]|[\u0085\u2028\u2029]/u;

function asked(task: string, evidence: string, said: string): string {
  const signals = [{ kind: "message", from: "agent", text: said }] as const;
  const received = { type: "SignalsHeard", data: { attempt: "a#1", cursor: "1", signals } };
  const words = wordsOf([received as never], "a#1");
  return triageQuestion({ task, pattern: "same_call", evidence: [evidence] } as never, words);
}

test("G6 A9 no words of an agent become words of those who ask for a verdict on it: 50 attempts in its task, evidence, output and review", () => {
  assert.equal(INJECTIONS.length, 50);
  const plain = ours(asked("t", "e", "s"));
  const review = ours(reviewTask("t"));
  for (const text of INJECTIONS) {
    const question = asked(text, text, text);
    assert.equal(ours(question), plain, JSON.stringify(text));
    assert.equal(ours(reviewTask(text)), review, JSON.stringify(text));
    assert.doesNotMatch(question, HIDDEN, JSON.stringify(text));
    assert.match(quotedWords(text), /^\| /);
  }
});

test("G6 a reviewer that repeats what the work says to it has given no verdict", () => {
  for (const text of INJECTIONS) {
    const said = `The work says: ${text}`;
    const { verdict } = reviewOf("critic", { said, problem: null, usd: 0, tokens: 0 });
    assert.equal(verdict, "none", JSON.stringify(text));
  }
});
