import type { Recorded } from "../../src/model/events/events.ts";
import { killAndResume, stepsNamed, type Committed } from "./killed-example.ts";
import { installHoldfast } from "./packed-holdfast.ts";
import { takesTurns } from "../turns.ts";

const { before, test } = takesTurns(3);

before(installHoldfast);

test("J5 J7 the plain loop, killed again and again, ends as undisturbed and repeats nothing that was committed", async (t) => {
  const committed = stepsNamed(/step:think$/, /step:tool/);
  t.diagnostic(await killAndResume({ program: "plain-loop.ts", run: "plain-loop", committed }, 11));
});

test("J5 J7 the AI SDK's generateText, killed again and again, ends as undisturbed and repeats nothing that was committed", async (t) => {
  const committed = stepsNamed(/~1model~1/, /~1tool~1/);
  t.diagnostic(await killAndResume({ program: "ai-sdk.ts", run: "ai-sdk", committed }, 12));
});

test("J5 J7 the AI SDK's streamText, killed again and again, ends as undisturbed and repeats nothing that was committed", async (t) => {
  const committed = stepsNamed(/~1model~1/, /~1tool~1/);
  const streaming = { program: "ai-sdk.ts", args: ["--stream"], run: "ai-sdk", committed };
  t.diagnostic(await killAndResume(streaming, 13));
});

test("J5 J7 a LangGraph agent with Holdfast as its checkpointer, killed again and again, ends as undisturbed and repeats no committed node", async (t) => {
  t.diagnostic(
    await killAndResume({ program: "langgraph.ts", run: "langgraph/notes", committed: messagesWritten }, 14),
  );
});

test("J5 J7 the OpenAI Agents SDK, killed again and again, ends as undisturbed and repeats nothing that was committed", async (t) => {
  const committed = stepsNamed(/step:model/, /step:tool/);
  t.diagnostic(await killAndResume({ program: "openai-agents.ts", run: "openai-agents", committed }, 15));
});

/** Of a thread: messages among the writes that nodes have left. */
function messagesWritten(events: readonly Recorded[]): Committed {
  const writes = events.flatMap((event) => {
    if (event.type !== "BodyStepEnded" || event.data.ended.kind !== "value") return [];
    const record = event.data.ended.value as { kind: string; writes?: { channel: string; value: unknown }[] };
    return record.kind === "writes" ? (record.writes ?? []) : [];
  });
  const texts = writes
    .filter(({ channel }) => channel === "messages")
    .map(({ value }) => JSON.stringify(value));
  return {
    replies: texts.filter((text) => text.includes('"AIMessage"')).length,
    notes: texts.filter((text) => text.includes('"ToolMessage"')).length,
  };
}
