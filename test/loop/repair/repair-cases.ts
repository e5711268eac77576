/** Damaged histories in each vendor's shape, as a program leaves them behind that dies in the middle. */
export const ANTHROPIC = {
  dangling: [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "two calls", signature: "sig" },
        { type: "text", text: "looking" },
        { type: "tool_use", id: "a", name: "read", input: { path: "x" } },
        { type: "tool_use", id: "b", name: "pay", input: { cents: 5 } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "text of x" }] },
  ],
  interjected: [
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input: {} }] },
    { role: "user", content: "are you there?" },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "late" }] },
  ],
} as const;

export const CHAT = {
  dangling: [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "a", type: "function", function: { name: "read", arguments: '{"path":"x"}' } },
        { id: "b", type: "function", function: { name: "pay", arguments: '{"cents":5}' } },
      ],
    },
    { role: "tool", tool_call_id: "a", content: "text of x" },
  ],
  interjected: [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: "reading",
      tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: "{}" } }],
    },
    { role: "user", content: "are you there?" },
    { role: "tool", tool_call_id: "a", content: "late" },
  ],
} as const;

export const RESPONSES = {
  dangling: [
    { role: "user", content: "go" },
    { type: "reasoning", id: "rs_1", summary: [] },
    { type: "function_call", id: "fc_1", call_id: "a", name: "read", arguments: '{"path":"x"}' },
    { type: "function_call", id: "fc_2", call_id: "b", name: "pay", arguments: '{"cents":5}' },
    { type: "function_call_output", call_id: "a", output: "text of x" },
    { type: "custom_tool_call", call_id: "c", name: "shout", input: "hello" },
  ],
  early: [
    { type: "function_call_output", call_id: "a", output: "early" },
    { role: "user", content: "go" },
    { type: "function_call", call_id: "a", name: "read", arguments: "{}" },
    { type: "reasoning", id: "rs_1", summary: [] },
  ],
} as const;

export const AI_SDK = {
  dangling: [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "looking" },
        { type: "tool-call", toolCallId: "a", toolName: "read", input: { path: "x" } },
        { type: "tool-call", toolCallId: "b", toolName: "pay", input: { cents: 5 } },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "a",
          toolName: "read",
          output: { type: "text", value: "text of x" },
        },
      ],
    },
  ],
  interjected: [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "a", toolName: "read", input: {} }],
    },
    { role: "user", content: "are you there?" },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "a",
          toolName: "read",
          output: { type: "json", value: { late: true } },
        },
      ],
    },
  ],
} as const;
