import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { callDoes } from "../../src/model/call-does.ts";
import { textKeys } from "../../src/model/text-key.ts";

const alike = (one: string, other: string): boolean => textKeys(one).alike === textKeys(other).alike;

test("L2 texts that differ only in numbers, times, ids, addresses, temporary paths and spacing are alike", () => {
  assert.ok(alike("/bin/bash: line 11301: x", "/bin/bash: line 9: x"));
  assert.ok(alike("took 0.23s at 12:01:33", "took 11.9s at 03:59:00"));
  assert.ok(alike("object at 0x7f3a9c", "object at 0x11b2ff"));
  assert.ok(alike("id 9d50ef40-6cc8-4ca6-9d35-1dc9cf26235c", "id 00000000-1111-2222-3333-444444444444"));
  assert.ok(alike("see /tmp/build-xYz/a.log now", "see /tmp/q/b.log now"));
  assert.ok(alike("a  b\n\nc", "a b c"));
  assert.ok(alike("req_011CZTEFvft13DajMTp9pp64 failed", "req_9aB8cD7eF6gH5iJ4kL3mN2oP failed"));
});

test("L2 texts that say something else are not alike", () => {
  assert.ok(!alike("src/a.ts not found", "src/b.ts not found"));
  assert.ok(!alike("1 passed", "1 failed"));
  assert.ok(!alike("", "x"));
  assert.ok(!alike("facade", "decade"));
});

test("L2 exact keys are equal for equal texts, and texts that are alike need not be equal", () => {
  assert.notEqual(textKeys("line 1").exact, textKeys("line 2").exact);
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (text) => {
      assert.deepEqual(textKeys(text), textKeys(`${text}`));
    }),
  );
});

test("L2 different texts practically never share a key", () => {
  const seen = new Map<string, string>();
  for (let index = 0; index < 20_000; index += 1) {
    const text = `result ${"ab".repeat(index % 7)}${String(index)}`;
    const { exact } = textKeys(text);
    assert.equal(seen.get(exact), undefined);
    seen.set(exact, text);
  }
});

test("L2 a text of megabytes is compared by its ends and its length", () => {
  const long = "x".repeat(3_000_000);
  assert.equal(textKeys(long).exact, textKeys(long).exact);
  assert.notEqual(textKeys(long).exact, textKeys(`${long}x`).exact);
});

const DOES: readonly (readonly [string, string, string])[] = [
  ["Edit", "{}", "edit"],
  ["str_replace_editor", '{"command": "str_replace"}', "edit"],
  ["str_replace_editor", '{"command": "view"}', "look"],
  ["apply_patch", "*** Begin", "edit"],
  ["write_file", "{}", "edit"],
  ["bash", "sed -i s/a/b/ x", "edit"],
  ["bash", "cat > a.py <<EOF", "edit"],
  ["bash", "make 2>&1 | tail > /dev/null", "run"],
  ["shell", '{"command": "sleep 30; gh run view"}', "wait"],
  ["execute_bash", '{"command": ""}', "wait"],
  ["TaskOutput", "{}", "wait"],
  ["AskUserQuestion", "{}", "ask"],
  ["ask_followup_question", "{}", "ask"],
  ["read_file", "{}", "look"],
  ["grep_search", "{}", "look"],
  ["book_flight", "{}", "run"],
];
for (const [name, args, does] of DOES)
  test(`L2 ${name} ${args} is taken for: ${does}`, () => {
    assert.equal(callDoes(name, args), does);
  });
