import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { callDoes, readsFailed } from "../../../src/model/agent/call-does.ts";
import { exactKey, textKeys } from "../../../src/model/text/text-key.ts";

/** Text, exact key, key without numbers. */
const KEPT: readonly (readonly [string, string, string])[] = [
  ["", "tja42v0e4f", "11npb45kxvn"],
  ["a", "22f46iplyj8", "1eqjmndg2dd"],
  ["error at line 12", "27aovl0eww4", "1rro2oiikee"],
  ["id 9d50ef40-6cc8 in /tmp/x/y now", "1fh26d7o20n", "296y3onua20"],
  ["  two\n\n\tlines 0x7f3a9c ", "kog43e35oy", "vdjtotz53p"],
  ["漢字 é b", "f2uzvneo76", "2dzo82n0o7o"],
];

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

test("L2 keys that stand in journals and name accounts stay what they were", () => {
  const kept = KEPT.map(([text]) => [text, textKeys(text).exact, textKeys(text).alike]);
  assert.deepEqual(kept, KEPT);
  for (const [text, exact] of KEPT) assert.equal(exactKey(text), exact);
});

test("L2 a text has one exact key, whether it is asked for alone or with the other", () => {
  const bits = fc.constantFrom(
    "/tmp/a1/b ",
    "0xff",
    "12",
    "\u00a0",
    "é漢",
    "ab12cd34ef",
    "\n",
    " ",
    "(x)",
    "/var/tmp/",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(bits, fc.string({ maxLength: 30 })), { maxLength: 20 }), (parts) => {
      const text = parts.join("");
      assert.equal(textKeys(text).exact, exactKey(text));
      const numbers = text.replaceAll(/\d+/g, (digits) =>
        String(Number(digits.slice(0, 3)) % 10).repeat(digits.length),
      );
      assert.equal(textKeys(numbers).alike, textKeys(text).alike);
    }),
    { numRuns: 500 },
  );
});

const READS: readonly (readonly [string, boolean])[] = [
  ["bash: nope: Command not found", true],
  [`${"x ".repeat(2_000)}\nTraceback (most recent call last)`, true],
  [`${"x ".repeat(400)} No such file ${"x ".repeat(400)}`, false],
  ["src/a.ts: error: it is wrong", true],
  ["prints an error message", false],
  ["EXITED WITH CODE: 2", true],
  ["exit code 0", false],
  ["cannot say", false],
  ["can't find it", true],
  ["all is well", false],
];
for (const [text, failed] of READS)
  test(`L2 ${JSON.stringify(text.slice(-40))} reads ${failed ? "like a failure" : "well"}`, () => {
    assert.equal(readsFailed(text), failed);
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
