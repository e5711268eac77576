// A LangGraph agent whose checkpoints are in Holdfast's journal.
//   node langgraph.ts
import { Annotation, END, START, StateGraph, messagesStateReducer } from "@langchain/langgraph";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { HoldfastSaver } from "holdfast/langgraph";
import { MODEL, MODEL_URL, note, PROMPT, STORE } from "./note-tool.ts";

const State = Annotation.Root({
  messages: Annotation<BaseMessage[]>({ reducer: messagesStateReducer, default: () => [] }),
});

async function think({ messages }: typeof State.State): Promise<{ messages: BaseMessage[] }> {
  const answer = await fetch(`${MODEL_URL}/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${process.env["API_KEY"] ?? "none"}`,
    },
    body: JSON.stringify({ model: MODEL, messages: messages.map(toWire) }),
  });
  if (!answer.ok) throw new Error(`the model answered ${answer.status}: ${await answer.text()}`);
  const { choices } = (await answer.json()) as { choices: { message: WireReply }[] };
  const { content, tool_calls = [] } = choices[0]!.message;
  const calls = tool_calls.map((call) => ({
    id: call.id,
    name: call.function.name,
    args: JSON.parse(call.function.arguments) as { text: string },
  }));
  return { messages: [new AIMessage({ content: content ?? "", tool_calls: calls })] };
}

function act({ messages }: typeof State.State): { messages: BaseMessage[] } {
  const { tool_calls = [] } = messages.at(-1) as AIMessage;
  return {
    messages: tool_calls.map(
      ({ id, args }) => new ToolMessage({ tool_call_id: id ?? "", content: note(String(args["text"])) }),
    ),
  };
}

interface WireReply {
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

function toWire(message: BaseMessage): object {
  if (message instanceof ToolMessage)
    return { role: "tool", tool_call_id: message.tool_call_id, content: message.content };
  if (!(message instanceof AIMessage)) return { role: "user", content: message.content };
  const calls = (message.tool_calls ?? []).map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { role: "assistant", content: message.content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

const checkpointer = await HoldfastSaver.open({ store: STORE });
const graph = new StateGraph(State)
  .addNode("think", think)
  .addNode("act", act)
  .addEdge(START, "think")
  .addConditionalEdges("think", ({ messages }) =>
    ((messages.at(-1) as AIMessage).tool_calls ?? []).length > 0 ? "act" : END,
  )
  .addEdge("act", "think")
  .compile({ checkpointer });

// Known already: go on where it stopped. New: begin.
const config = { configurable: { thread_id: "notes" }, durability: "sync", recursionLimit: 50 } as const;
const begun = (await checkpointer.getTuple(config)) !== undefined;
const end = await graph.invoke(begun ? null : { messages: [new HumanMessage(PROMPT)] }, config);
console.log(end.messages.at(-1)?.content);
await checkpointer.close();
