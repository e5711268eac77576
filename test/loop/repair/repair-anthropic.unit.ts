import assert from "node:assert/strict";
import { test } from "node:test";
import { checkMessages } from "../../../src/loop/repair/check-messages.ts";
import { repairMessages } from "../../../src/loop/repair/repair-messages.ts";
import { INTERRUPTED, type RepairKind } from "../../../src/loop/repair/repair.ts";
import { ANTHROPIC } from "./repair-cases.ts";

const use = (id: string, input: unknown = {}) => ({ type: "tool_use", id, name: "read", input });
const result = (id: string, content: unknown = `result ${id}`) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
const marked = (id: string) => ({ ...result(id, INTERRUPTED), is_error: true });
const user = (...content: unknown[]) => ({ role: "user", content });
const assistant = (...content: unknown[]) => ({ role: "assistant", content });
const text = (words: string) => ({ type: "text", text: words });

interface Case {
  readonly title: string;
  readonly damaged: readonly unknown[];
  readonly repaired: readonly unknown[];
  readonly kinds: readonly RepairKind[];
}

const cases: readonly Case[] = [
  {
    title: "a call without a result is marked interrupted, as an error",
    damaged: [user(text("go")), assistant(use("a"))],
    repaired: [user(text("go")), assistant(use("a")), user(marked("a"))],
    kinds: ["marked-interrupted"],
  },
  {
    title: "a new user message does not hide the missing result: it comes first in that message",
    damaged: [assistant(use("a")), { role: "user", content: "hello?" }],
    repaired: [assistant(use("a")), user(marked("a"), text("hello?"))],
    kinds: ["marked-interrupted"],
  },
  {
    title: "parallel results in two messages come together in one",
    damaged: [assistant(use("a"), use("b")), user(result("b")), user(result("a"), text("go on"))],
    repaired: [assistant(use("a"), use("b")), user(result("b"), result("a")), user(text("go on"))],
    kinds: ["result-moved"],
  },
  {
    title: "results behind text come first",
    damaged: [assistant(use("a")), user(text("here:"), result("a"))],
    repaired: [assistant(use("a")), user(result("a"), text("here:"))],
    kinds: ["result-moved"],
  },
  {
    title: "a second result, and a result without its call, are removed",
    damaged: [user(result("z")), assistant(use("a")), user(result("a"), result("a", "again"))],
    repaired: [assistant(use("a")), user(result("a"))],
    kinds: ["orphaned-result-removed", "duplicate-result-removed"],
  },
  {
    title: "a history recorded twice loses its second calls and results",
    damaged: [assistant(use("a")), user(result("a")), assistant(use("a")), user(result("a"))],
    repaired: [assistant(use("a")), user(result("a"))],
    kinds: ["duplicate-call-removed", "duplicate-result-removed"],
  },
  {
    title: "another call under the same id gets its own id, and its result with it",
    damaged: [assistant(use("a"), use("a", { n: 2 })), user(result("a", "one"), result("a", "two"))],
    repaired: [assistant(use("a"), use("a-2", { n: 2 })), user(result("a", "one"), result("a-2", "two"))],
    kinds: ["call-renamed"],
  },
  {
    title: "a call whose arguments were cut is removed, with the thinking that led to it",
    damaged: [
      user(text("go")),
      assistant({ type: "thinking", thinking: "hm", signature: "s" }, { ...use("a"), input: '{"pa' }),
    ],
    repaired: [user(text("go"))],
    kinds: ["unfinished-call-removed", "unfinished-reasoning-removed"],
  },
  {
    title: "a cut call that has a result stays, its arguments kept as text",
    damaged: [assistant({ ...use("a"), input: '{"pa' }), user(result("a", "bad arguments"))],
    repaired: [assistant(use("a", { unparsed: '{"pa' })), user(result("a", "bad arguments"))],
    kinds: ["arguments-made-valid"],
  },
  {
    title: "arguments as JSON text become the object they mean",
    damaged: [assistant({ ...use("a"), input: '{"n":1}' }), user(result("a"))],
    repaired: [assistant(use("a", { n: 1 })), user(result("a"))],
    kinds: ["arguments-made-valid"],
  },
  {
    title: "empty messages, blank blocks, unsigned thinking and trailing white space are removed",
    damaged: [
      { role: "user", content: "" },
      user(text("go"), text(" ")),
      assistant({ type: "thinking", thinking: "h", signature: "" }, text("half a sen ")),
    ],
    repaired: [user(text("go")), assistant(text("half a sen"))],
    kinds: [
      "empty-block-removed",
      "unfinished-reasoning-removed",
      "empty-message-removed",
      "trailing-space-removed",
    ],
  },
  {
    title: "an error without words, and blank text inside a result, are given a form that is accepted",
    damaged: [
      assistant(use("a"), use("b")),
      user({ ...result("a", ""), is_error: true }, result("b", [text(""), text("ok")])),
    ],
    repaired: [
      assistant(use("a"), use("b")),
      user(
        { ...result("a", "the tool failed without a message"), is_error: true },
        result("b", [text("ok")]),
      ),
    ],
    kinds: ["result-made-valid", "result-made-valid"],
  },
  {
    title: "a tool of the vendor's own that never answered is removed once the history has gone on",
    damaged: [
      assistant(text("hm"), { type: "server_tool_use", id: "s", name: "web_search", input: {} }),
      user(text("so?")),
    ],
    repaired: [assistant(text("hm")), user(text("so?"))],
    kinds: ["unfinished-call-removed"],
  },
  {
    title: "a tool of the vendor's own that is still under way at the end stays",
    damaged: [
      user(text("hi")),
      assistant({ type: "server_tool_use", id: "s", name: "web_search", input: {} }),
    ],
    repaired: [
      user(text("hi")),
      assistant({ type: "server_tool_use", id: "s", name: "web_search", input: {} }),
    ],
    kinds: [],
  },
];

for (const { title, damaged, repaired, kinds } of cases) {
  test(`J7 Anthropic: ${title}`, () => {
    const before = structuredClone(damaged);
    const got = repairMessages(damaged, { shape: "anthropic" });
    assert.deepEqual(got.messages, repaired);
    assert.deepEqual(
      got.repairs.map((repair) => repair.kind),
      kinds,
    );
    assert.deepEqual(damaged, before, "the input is not changed");
    assert.deepEqual(checkMessages(got.messages, "anthropic"), []);
    assert.deepEqual(repairMessages(got.messages, { shape: "anthropic" }), {
      messages: got.messages,
      repairs: [],
    });
  });
}

test("J7 Anthropic: the journal answers what it knows, and is asked with the call's id, name and arguments", () => {
  const asked: unknown[] = [];
  const { messages, repairs } = repairMessages<unknown>(ANTHROPIC.dangling, {
    known: (...question) => {
      asked.push(question);
      return { result: { paid: true } };
    },
  });
  assert.deepEqual(asked, [["b", "pay", { cents: 5 }]]);
  assert.deepEqual(messages[2], user(result("a", "text of x"), result("b", '{"paid":true}')));
  assert.deepEqual(repairs, [
    {
      kind: "answered-from-journal",
      at: 1,
      callId: "b",
      detail: "a call without a result was given the recorded one",
    },
  ]);
});

test("J7 Anthropic: a recorded failure is answered as an error, with words even where it had none", () => {
  const { messages } = repairMessages<unknown>(ANTHROPIC.dangling, {
    known: () => ({ result: "", failed: true }),
  });
  assert.deepEqual(
    messages[2],
    user(result("a", "text of x"), { ...result("b", "the tool failed without a message"), is_error: true }),
  );
});

test("J7 Anthropic: what was marked interrupted is answered once the journal knows, or a real result is there", () => {
  const first = repairMessages<unknown>(ANTHROPIC.dangling).messages;
  const learned = repairMessages(first, { known: () => ({ result: "paid" }) });
  assert.deepEqual(learned.messages[2], user(result("a", "text of x"), result("b", "paid")));
  const late = repairMessages<unknown>([...first, user(result("b", "paid late"))]);
  assert.deepEqual(late.messages[2], user(result("a", "text of x"), result("b", "paid late")));
  assert.equal(late.messages.length, 3);
});

test("J7 Anthropic: a history without faults comes back as it is, message by message", () => {
  const whole = [user(text("go")), assistant(use("a")), user(result("a")), assistant(text("done"))];
  const { messages, repairs } = repairMessages<unknown>(whole);
  assert.deepEqual(repairs, []);
  for (const [index, message] of messages.entries()) assert.equal(message, whole[index]);
});

test("J7 Anthropic: a cut call that the journal knows has run: it stays and is answered", () => {
  const damaged = [user(text("go")), assistant({ ...use("a"), input: '{"pa' })];
  const { messages, repairs } = repairMessages<unknown>(damaged, {
    known: (_id, _name, args) => ({ result: `ran with ${String(args)}` }),
  });
  assert.deepEqual(messages.slice(1), [
    assistant(use("a", { unparsed: '{"pa' })),
    user(result("a", 'ran with {"pa')),
  ]);
  assert.deepEqual(
    repairs.map((repair) => repair.kind),
    ["arguments-made-valid", "answered-from-journal"],
  );
});

test("J7 Anthropic: the journal is asked for a renamed call under the id that it was made with", () => {
  const { messages } = repairMessages<unknown>([assistant(use("a"), use("a", { n: 2 }))], {
    known: (id, _name, args) => (id === "a" ? { result: args } : undefined),
  });
  assert.deepEqual(messages[1], user(result("a", "{}"), result("a-2", '{"n":2}')));
});
