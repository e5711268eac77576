import assert from "node:assert/strict";
import { test } from "node:test";
import { checkMessages } from "../../../src/loop/repair/check-messages.ts";
import { repairMessages } from "../../../src/loop/repair/repair-messages.ts";
import { INTERRUPTED, type RepairKind, type RepairOptions } from "../../../src/loop/repair/repair.ts";
import { AI_SDK } from "./repair-cases.ts";

const call = (id: string, input: unknown = {}) => ({
  type: "tool-call",
  toolCallId: id,
  toolName: "read",
  input,
});
const result = (id: string, output: unknown = { type: "text", value: `result ${id}` }) => ({
  type: "tool-result",
  toolCallId: id,
  toolName: "read",
  output,
});
const marked = (id: string) => result(id, { type: "error-text", value: INTERRUPTED });
const assistant = (...content: unknown[]) => ({ role: "assistant", content });
const tool = (...content: unknown[]) => ({ role: "tool", content });
const hello = { role: "user", content: "hello?" };
const request = (id: string) => ({ type: "tool-approval-request", approvalId: `ok-${id}`, toolCallId: id });
const response = (id: string, approved: boolean) => ({
  type: "tool-approval-response",
  approvalId: `ok-${id}`,
  approved,
});
const ui = (...parts: unknown[]) => ({ id: "m", role: "assistant", parts });
const uiCall = (state: string, more: object = {}) => ({
  type: "tool-read",
  toolCallId: "a",
  state,
  input: { path: "x" },
  ...more,
});

interface Case {
  readonly title: string;
  readonly damaged: readonly unknown[];
  readonly repaired: readonly unknown[];
  readonly kinds: readonly RepairKind[];
  readonly known?: RepairOptions["known"];
}

const cases: readonly Case[] = [
  {
    title: "a missing result joins those that are there, as an error",
    damaged: [assistant(call("a"), call("b")), tool(result("b")), hello],
    repaired: [assistant(call("a"), call("b")), tool(result("b"), marked("a")), hello],
    kinds: ["marked-interrupted"],
  },
  {
    title: "a result behind a user message is moved to its call",
    damaged: AI_SDK.interjected,
    repaired: [AI_SDK.interjected[0], AI_SDK.interjected[1], AI_SDK.interjected[3], AI_SDK.interjected[2]],
    kinds: ["result-moved"],
  },
  {
    title: "the journal's failures are errors, and its values stay JSON",
    damaged: [assistant(call("a"), call("b"))],
    repaired: [
      assistant(call("a"), call("b")),
      tool(result("a", { type: "json", value: [1] }), result("b", { type: "error-text", value: "no" })),
    ],
    kinds: ["answered-from-journal", "answered-from-journal"],
    known: (id) => (id === "a" ? { result: [1] } : { result: "no", failed: true }),
  },
  {
    title: "cut, empty, second and orphaned pieces are removed",
    damaged: [
      tool(result("z")),
      assistant(call("a"), call("b", '{"pa')),
      tool(result("a"), result("a")),
      { role: "assistant", content: [] },
    ],
    repaired: [assistant(call("a")), tool(result("a"))],
    kinds: [
      "orphaned-result-removed",
      "unfinished-call-removed",
      "duplicate-result-removed",
      "empty-message-removed",
    ],
  },
  {
    title: "what the provider ran itself stays in the assistant's message",
    damaged: [assistant({ ...call("p"), providerExecuted: true }, result("p")), hello],
    repaired: [assistant({ ...call("p"), providerExecuted: true }, result("p")), hello],
    kinds: [],
  },
  {
    title: "a result of our own tool inside the assistant's message is moved out of it",
    damaged: [assistant(call("a"), result("a"))],
    repaired: [assistant(call("a")), tool(result("a"))],
    kinds: ["result-moved"],
  },
  {
    title: "a call that waits for approval at the end is left waiting",
    damaged: [assistant(call("a"), request("a"))],
    repaired: [assistant(call("a"), request("a"))],
    kinds: [],
  },
  {
    title: "an approved call may have begun, and a refused one has not",
    damaged: [
      assistant(call("a"), request("a"), call("b"), request("b")),
      tool(response("a", true), response("b", false)),
    ],
    repaired: [
      assistant(call("a"), request("a"), call("b"), request("b")),
      tool(response("a", true), response("b", false), marked("a"), result("b", { type: "execution-denied" })),
    ],
    kinds: ["marked-interrupted", "denial-recorded"],
  },
  {
    title: "UI: a call without an outcome is marked as an error, and a half-streamed one removed",
    damaged: [ui(uiCall("input-available"), uiCall("input-streaming", { toolCallId: "b" }))],
    repaired: [ui(uiCall("output-error", { errorText: INTERRUPTED }))],
    kinds: ["marked-interrupted", "unfinished-call-removed"],
  },
  {
    title: "UI: the journal's result becomes the call's output",
    damaged: [ui(uiCall("input-available"))],
    repaired: [ui(uiCall("output-available", { output: 7 }))],
    kinds: ["answered-from-journal"],
    known: (id, name) => (id === "a" && name === "read" ? { result: 7 } : undefined),
  },
  {
    title: "UI: of two parts of the same call the one with an outcome stays",
    damaged: [ui(uiCall("output-available", { output: 1 }), uiCall("input-available"))],
    repaired: [ui(uiCall("output-available", { output: 1 }))],
    kinds: ["duplicate-call-removed"],
  },
  {
    title: "UI: outcomes and requests for approval stay",
    damaged: [
      ui(uiCall("output-available", { output: 1 })),
      ui(uiCall("approval-requested", { approval: { id: "k" } })),
    ],
    repaired: [
      ui(uiCall("output-available", { output: 1 })),
      ui(uiCall("approval-requested", { approval: { id: "k" } })),
    ],
    kinds: [],
  },
];

for (const { title, damaged, repaired, kinds, known } of cases) {
  test(`J7 AI SDK: ${title}`, () => {
    const options: RepairOptions = { shape: "ai-sdk", ...(known === undefined ? {} : { known }) };
    const before = structuredClone(damaged);
    const got = repairMessages(damaged, options);
    assert.deepEqual(got.messages, repaired);
    assert.deepEqual(
      got.repairs.map((repair) => repair.kind),
      kinds,
    );
    assert.deepEqual(damaged, before, "the input is not changed");
    assert.deepEqual(checkMessages(got.messages, "ai-sdk"), []);
    assert.deepEqual(repairMessages(got.messages, options), { messages: got.messages, repairs: [] });
  });
}
