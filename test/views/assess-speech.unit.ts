import assert from "node:assert/strict";
import { test } from "node:test";
import { trace } from "./trace-maker.ts";

test("L2 the same words three times with nothing done in between are a monologue; a call in between is not", () => {
  const said = "I have finished everything and wait for you.";
  const alone = trace()
    .times(3, (t) => t.says(said))
    .assess();
  assert.deepEqual([alone.health, alone.pattern, alone.first_flagged_event], ["stuck", "monologue", 2]);
  const working = trace().times(6, (t, index) =>
    t.says(said).step("read", `f${"abcdef"[index] ?? ""}`, `t${"abcdef"[index] ?? ""}`),
  );
  assert.equal(working.assess().first_flagged_event, null);
});

test("L2 a monologue goes on over a push that says the same each time", () => {
  const pushed = trace().times(4, (t) =>
    t.says("All steps of the task are complete now.").user("Please continue."),
  );
  assert.equal(pushed.assess().pattern, "monologue");
});

test("L2 one sentence many times in one message is a monologue; in code it is not", () => {
  const chant = "Let me look at the file once more. ".repeat(12);
  assert.equal(trace().says(chant).assess().pattern, "monologue");
  const code = `\`\`\`\n${"console.log(values of the row);\n".repeat(12)}\`\`\``;
  assert.equal(trace().says(code).assess().first_flagged_event, null);
  const pieces = trace()
    .says("```js\n")
    .times(12, (t) => t.says("rows.push(row.values);"))
    .says("\n```");
  assert.equal(pieces.assess().first_flagged_event, null);
});

test("L2 dividers and single words are no monologue", () => {
  assert.equal(
    trace()
      .times(15, (t) => t.says("=".repeat(40)))
      .assess().first_flagged_event,
    null,
  );
  assert.equal(
    trace()
      .times(4, (t) => t.says("ok"))
      .assess().first_flagged_event,
    null,
  );
});

test("L2 announcing three times without acting is a promise without action", () => {
  const promises = [
    "I'll now edit the parser.",
    "Let me fix that test first.",
    "Next, I will run the suite.",
  ];
  const verdict = trace()
    .times(3, (t, index) => t.says(promises[index] ?? ""))
    .assess();
  assert.deepEqual([verdict.health, verdict.pattern], ["stuck", "promise"]);
  const kept = trace().times(3, (t, index) =>
    t.says(promises[index] ?? "").step("run", `${String(index)}`, `${"abc"[index] ?? ""}`),
  );
  assert.equal(kept.assess().first_flagged_event, null);
  const asking = trace()
    .says("Shall I go on?")
    .says("I'll go on if you want. Shall I?")
    .says("Let me know: do you want that?");
  assert.equal(asking.assess().first_flagged_event, null);
});

test("L2 a still screen at its prompt is an early stop at the third look, or a promise that was not kept", () => {
  const still = { lines: ["Done with the first part.", "> "], at_prompt: true };
  const idle = trace()
    .step("edit", "a", "updated")
    .says("The first part is done.")
    .times(3, (t) => t.add("screen", still));
  assert.deepEqual([idle.assess().health, idle.assess().pattern], ["stuck", "early_stop"]);
  const promised = trace()
    .step("edit", "a", "updated")
    .says("Now I'll write the tests.")
    .times(3, (t) => t.add("screen", still));
  assert.equal(promised.assess().pattern, "promise");
  const asks = trace()
    .says("Which of the two do you want?")
    .times(5, (t) => t.add("screen", still));
  assert.equal(asks.assess().first_flagged_event, null);
  const busy = trace().times(5, (t, index) =>
    t.add("screen", { lines: [`Working (${String(index)}s) ⠋`, "> "], at_prompt: false }),
  );
  assert.equal(busy.assess().first_flagged_event, null);
});

test("L2 a context that is condensed again and again with no work in between is exhausted", () => {
  const condensed = trace().times(10, (t) => t.add("system", { name: "context_condensed" }));
  assert.equal(condensed.assess().pattern, "resource_exhaustion");
  const working = trace().times(20, (t, index) =>
    t.add("system", { name: "context_condensed" }).step("read", `${"x".repeat(index)}`, "y".repeat(index)),
  );
  assert.equal(working.assess().first_flagged_event, null);
});
