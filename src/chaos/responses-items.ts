import { type Answer, type JsonRecord, pieces, type ToolCall } from "./vendor.ts";

/** The output items of an answer, whole. */
export const responseItems = (answer: Answer): readonly JsonRecord[] => [
  ...(answer.say === "" ? [] : [messageItem(answer, answer.say)]),
  ...answer.calls.map((call) => callItem(call, "completed")),
];

/** The events by which they are streamed. */
export const streamedItems = (answer: Answer): readonly JsonRecord[] => [
  ...(answer.say === "" ? [] : messageEvents(answer)),
  ...answer.calls.flatMap((call, at) => callEvents(call, at + (answer.say === "" ? 0 : 1))),
];

const textPart = (text: string): JsonRecord => ({ type: "output_text", text, annotations: [] });

const messageItem = ({ id }: Answer, text: string): JsonRecord => ({
  id: `msg_${id}`,
  type: "message",
  status: "completed",
  role: "assistant",
  content: [textPart(text)],
});

function callItem(call: ToolCall, status: "in_progress" | "completed"): JsonRecord {
  const common = { call_id: `call_${call.id}`, name: call.name, status };
  const done = status === "completed";
  return "text" in call.input
    ? { id: `ctc_${call.id}`, type: "custom_tool_call", ...common, input: done ? call.input.text : "" }
    : {
        id: `fc_${call.id}`,
        type: "function_call",
        ...common,
        ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
        arguments: done ? JSON.stringify(call.input.arguments) : "",
      };
}

function messageEvents(answer: Answer): readonly JsonRecord[] {
  const item = messageItem(answer, answer.say);
  const at = { output_index: 0, item_id: item["id"], content_index: 0 };
  return [
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...item, status: "in_progress", content: [] },
    },
    { type: "response.content_part.added", ...at, part: textPart("") },
    ...pieces(answer.say).map((delta) => ({ type: "response.output_text.delta", ...at, delta })),
    { type: "response.output_text.done", ...at, text: answer.say },
    { type: "response.content_part.done", ...at, part: textPart(answer.say) },
    { type: "response.output_item.done", output_index: 0, item },
  ];
}

function callEvents(call: ToolCall, index: number): readonly JsonRecord[] {
  const item = callItem(call, "completed");
  const at = { output_index: index, item_id: item["id"] };
  const [name, text] =
    "text" in call.input
      ? (["custom_tool_call_input", call.input.text] as const)
      : (["function_call_arguments", JSON.stringify(call.input.arguments)] as const);
  const whole = "text" in call.input ? { input: text } : { arguments: text };
  return [
    { type: "response.output_item.added", output_index: index, item: callItem(call, "in_progress") },
    ...pieces(text).map((delta) => ({ type: `response.${name}.delta`, ...at, delta })),
    { type: `response.${name}.done`, ...at, ...whole },
    { type: "response.output_item.done", output_index: index, item },
  ];
}
