import assert from "node:assert/strict";
import { test } from "node:test";
import { checkMessages } from "../../../src/loop/repair/check-messages.ts";
import { repairMessages } from "../../../src/loop/repair/repair-messages.ts";
import { INTERRUPTED, type MessageShape, type RepairKind } from "../../../src/loop/repair/repair.ts";
import { CHAT, RESPONSES } from "./repair-cases.ts";

interface Case {
  readonly title: string;
  readonly damaged: readonly unknown[];
  readonly repaired: readonly unknown[];
  readonly kinds: readonly RepairKind[];
}

function runCases(shape: MessageShape, vendor: string, cases: readonly Case[]): void {
  for (const { title, damaged, repaired, kinds } of cases) {
    test(`J7 ${vendor}: ${title}`, () => {
      const before = structuredClone(damaged);
      const got = repairMessages(damaged, { shape });
      assert.deepEqual(got.messages, repaired);
      assert.deepEqual(
        got.repairs.map((repair) => repair.kind),
        kinds,
      );
      assert.deepEqual(damaged, before, "the input is not changed");
      assert.deepEqual(checkMessages(got.messages, shape), []);
      assert.deepEqual(repairMessages(got.messages, { shape }), { messages: got.messages, repairs: [] });
    });
  }
}

const tool = (id: string, args = "{}") => ({
  id,
  type: "function",
  function: { name: "read", arguments: args },
});
const calling = (...calls: unknown[]) => ({ role: "assistant", content: "reading", tool_calls: calls });
const answer = (id: string, content: unknown = `result ${id}`) => ({
  role: "tool",
  tool_call_id: id,
  content,
});
const hello = { role: "user", content: "hello?" };

runCases("openai-chat", "OpenAI chat", [
  {
    title: "a partly answered message gets the missing result right behind the others",
    damaged: [calling(tool("a"), tool("b")), answer("b"), hello],
    repaired: [calling(tool("a"), tool("b")), answer("b"), answer("a", INTERRUPTED), hello],
    kinds: ["marked-interrupted"],
  },
  {
    title: "a result behind a user message is moved to its call",
    damaged: CHAT.interjected,
    repaired: [CHAT.interjected[0], CHAT.interjected[1], CHAT.interjected[3], CHAT.interjected[2]],
    kinds: ["result-moved"],
  },
  {
    title: "an id used again in a later turn belongs to that turn",
    damaged: [calling(tool("0")), answer("0", "one"), calling(tool("0")), answer("0", "two")],
    repaired: [calling(tool("0")), answer("0", "one"), calling(tool("0")), answer("0", "two")],
    kinds: [],
  },
  {
    title: "a result belongs to the latest call under its id, and the one that was left alone is marked",
    damaged: [calling(tool("0")), hello, calling(tool("0")), answer("0", "two")],
    repaired: [calling(tool("0")), answer("0", INTERRUPTED), hello, calling(tool("0")), answer("0", "two")],
    kinds: ["marked-interrupted"],
  },
  {
    title: "second and orphaned results are removed",
    damaged: [answer("z"), calling(tool("a")), answer("a"), answer("a", "again")],
    repaired: [calling(tool("a")), answer("a")],
    kinds: ["orphaned-result-removed", "duplicate-result-removed"],
  },
  {
    title: "a message recorded twice in a row is kept once, its text twice",
    damaged: [calling(tool("a")), calling(tool("a")), answer("a")],
    repaired: [calling(tool("a")), answer("a"), { role: "assistant", content: "reading" }],
    kinds: ["duplicate-call-removed", "result-moved"],
  },
  {
    title: "half-streamed calls are removed, and the message with them if nothing else was in it",
    damaged: [
      hello,
      { role: "assistant", content: null, tool_calls: [tool("a", '{"pa'), { id: "b", type: "function" }] },
    ],
    repaired: [hello],
    kinds: ["unfinished-call-removed", "unfinished-call-removed"],
  },
  {
    title: "cut arguments stay as text where there is a result, and absent ones become none",
    damaged: [calling(tool("a", '{"pa'), tool("b", "")), answer("a"), answer("b")],
    repaired: [calling(tool("a", '{"unparsed":"{\\"pa"}'), tool("b", "{}")), answer("a"), answer("b")],
    kinds: ["arguments-made-valid", "arguments-made-valid"],
  },
  {
    title:
      "an empty list of calls, an empty message and a result without content get a form that is accepted",
    damaged: [
      { role: "assistant", content: "hi", tool_calls: [] },
      { role: "assistant", content: null },
      calling(tool("a")),
      answer("a", null),
    ],
    repaired: [{ role: "assistant", content: "hi" }, calling(tool("a")), answer("a", "")],
    kinds: ["result-made-valid", "empty-message-removed"],
  },
  {
    title: "custom tools take any text",
    damaged: [calling({ id: "c", type: "custom", custom: { name: "shout", input: "{not json" } })],
    repaired: [
      calling({ id: "c", type: "custom", custom: { name: "shout", input: "{not json" } }),
      answer("c", INTERRUPTED),
    ],
    kinds: ["marked-interrupted"],
  },
]);

const call = (id: string, args = "{}") => ({
  type: "function_call",
  call_id: id,
  name: "read",
  arguments: args,
});
const output = (id: string, words = `result ${id}`) => ({
  type: "function_call_output",
  call_id: id,
  output: words,
});
const reasoning = (id: string) => ({ type: "reasoning", id, summary: [] });

runCases("openai-responses", "OpenAI responses", [
  {
    title: "parallel calls stay together, and the missing outputs follow those that are there",
    damaged: RESPONSES.dangling,
    repaired: [
      ...RESPONSES.dangling,
      output("b", INTERRUPTED),
      { type: "custom_tool_call_output", call_id: "c", output: INTERRUPTED },
    ],
    kinds: ["marked-interrupted", "marked-interrupted"],
  },
  {
    title: "an output before its call is moved behind it, and reasoning that leads nowhere removed",
    damaged: RESPONSES.early,
    repaired: [RESPONSES.early[1], RESPONSES.early[2], RESPONSES.early[0]],
    kinds: ["result-moved", "unfinished-reasoning-removed"],
  },
  {
    title: "the output of a dangling call comes before the next message",
    damaged: [reasoning("r"), call("a"), hello],
    repaired: [reasoning("r"), call("a"), output("a", INTERRUPTED), hello],
    kinds: ["marked-interrupted"],
  },
  {
    title: "reasoning goes with the half-streamed call that it led to",
    damaged: [hello, reasoning("r"), call("a", '{"pa')],
    repaired: [hello],
    kinds: ["unfinished-call-removed", "unfinished-reasoning-removed"],
  },
  {
    title: "a response recorded twice is kept once",
    damaged: [reasoning("r"), call("a"), output("a"), reasoning("r"), call("a"), output("a")],
    repaired: [reasoning("r"), call("a"), output("a")],
    kinds: ["duplicate-call-removed", "duplicate-result-removed", "duplicate-item-removed"],
  },
  {
    title: "orphaned outputs are removed, unless their call may stand behind a reference",
    damaged: [output("z"), hello],
    repaired: [hello],
    kinds: ["orphaned-result-removed"],
  },
  {
    title: "outputs stay where items are only referred to",
    damaged: [{ type: "item_reference", id: "fc_9" }, output("z"), hello],
    repaired: [{ type: "item_reference", id: "fc_9" }, output("z"), hello],
    kinds: [],
  },
  {
    title: "an output of the wrong kind is given its call's",
    damaged: [{ type: "custom_tool_call", call_id: "c", name: "shout", input: "x" }, output("c")],
    repaired: [
      { type: "custom_tool_call", call_id: "c", name: "shout", input: "x" },
      { type: "custom_tool_call_output", call_id: "c", output: "result c" },
    ],
    kinds: ["result-made-valid"],
  },
  {
    title: "shell, patch and screen calls are answered in their own words, or removed where there are none",
    damaged: [
      { type: "shell_call", call_id: "s", action: { commands: ["ls"] } },
      {
        type: "apply_patch_call",
        call_id: "p",
        status: "completed",
        operation: { type: "delete_file", path: "x" },
      },
      { type: "computer_call", call_id: "v", id: "cu", action: { type: "screenshot" }, status: "completed" },
    ],
    repaired: [
      { type: "shell_call", call_id: "s", action: { commands: ["ls"] } },
      {
        type: "apply_patch_call",
        call_id: "p",
        status: "completed",
        operation: { type: "delete_file", path: "x" },
      },
      {
        type: "shell_call_output",
        call_id: "s",
        output: [{ stdout: "", stderr: INTERRUPTED, outcome: { type: "exit", exit_code: 1 } }],
      },
      { type: "apply_patch_call_output", call_id: "p", status: "failed", output: INTERRUPTED },
    ],
    kinds: ["marked-interrupted", "marked-interrupted", "unanswerable-call-removed"],
  },
]);

test("J7 OpenAI: the journal's results are given as text, in both interfaces", () => {
  const known = () => ({ result: { paid: true } });
  const chat = repairMessages<unknown>(CHAT.dangling, { known });
  assert.deepEqual(chat.messages.at(-1), answer("b", '{"paid":true}'));
  const responses = repairMessages<unknown>(RESPONSES.dangling, { known });
  assert.deepEqual(responses.messages.at(-2), output("b", '{"paid":true}'));
  assert.deepEqual(new Set(responses.repairs.map(({ kind }) => kind)), new Set(["answered-from-journal"]));
});
