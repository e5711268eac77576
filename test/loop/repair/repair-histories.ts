import fc from "fast-check";
import type { MessageShape } from "../../../src/loop/repair/repair.ts";

/** A conversation in no vendor's shape, whole and in order, from which each vendor's history is written. */
export interface Turn {
  readonly ask: string;
  readonly say: string | undefined;
  readonly calls: readonly { readonly id: string; readonly n: number; readonly result: string }[];
}

export const turns: fc.Arbitrary<readonly Turn[]> = fc
  .array(
    fc.record({ speaks: fc.boolean(), ns: fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 3 }) }),
    { minLength: 1, maxLength: 5 },
  )
  .map((plans) =>
    plans.map(({ speaks, ns }, turn) => ({
      ask: `ask-${String(turn)}.`,
      say: speaks || ns.length === 0 ? `say-${String(turn)}.` : undefined,
      calls: ns.map((n, index) => {
        const id = `c${String(turn)}_${String(index)}`;
        return { id, n, result: `result-of-${id}.` };
      }),
    })),
  );

type Writer = (turn: Turn) => readonly unknown[];

const writers: Record<MessageShape, Writer> = {
  anthropic: ({ ask, say, calls }) => [
    { role: "user", content: ask },
    {
      role: "assistant",
      content: [
        ...(calls.length === 0 ? [] : [{ type: "thinking", thinking: "hm", signature: "sig" }]),
        ...(say === undefined ? [] : [{ type: "text", text: say }]),
        ...calls.map(({ id, n }) => ({ type: "tool_use", id, name: "tool", input: { n } })),
      ],
    },
    ...calls.map(({ id, result }) => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: result }],
    })),
  ],
  "openai-chat": ({ ask, say, calls }) => [
    { role: "user", content: ask },
    {
      role: "assistant",
      content: say ?? null,
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(({ id, n }) => chatCall(id, n)) }),
    },
    ...calls.map(({ id, result }) => ({ role: "tool", tool_call_id: id, content: result })),
  ],
  "openai-responses": ({ ask, say, calls }) => [
    { role: "user", content: ask },
    ...(say === undefined ? [] : [{ type: "message", role: "assistant", content: say }]),
    ...calls.flatMap(({ id, n }) => [
      { type: "reasoning", id: `rs_${id}`, summary: [] },
      { type: "function_call", call_id: id, name: "tool", arguments: JSON.stringify({ n }) },
    ]),
    ...calls.map(({ id, result }) => ({ type: "function_call_output", call_id: id, output: result })),
  ],
  "ai-sdk": ({ ask, say, calls }) => [
    { role: "user", content: ask },
    {
      role: "assistant",
      content: [
        ...(say === undefined ? [] : [{ type: "text", text: say }]),
        ...calls.map(({ id, n }) => ({ type: "tool-call", toolCallId: id, toolName: "tool", input: { n } })),
      ],
    },
    ...calls.map(({ id, result }) => ({
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: id, toolName: "tool", output: { type: "text", value: result } },
      ],
    })),
  ],
};

const chatCall = (id: string, n: number) => ({
  id,
  type: "function",
  function: { name: "tool", arguments: JSON.stringify({ n }) },
});

export const writeHistory = (shape: MessageShape, all: readonly Turn[]): readonly unknown[] =>
  all.flatMap(writers[shape]);

/** What goes wrong with a history: cut short, a message lost, recorded twice, out of order, or cut within its JSON. */
export interface Damage {
  readonly kind: "cut" | "lose" | "repeat" | "swap" | "tear";
  readonly at: number;
  readonly to: number;
}

export const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.record({
    kind: fc.constantFrom("cut", "lose", "repeat", "swap", "tear"),
    at: fc.nat(30),
    to: fc.nat(30),
  }),
  { minLength: 1, maxLength: 5 },
);

export function damage(history: readonly unknown[], all: readonly Damage[]): readonly unknown[] {
  let damaged = [...history];
  for (const { kind, at, to } of all) {
    const index = damaged.length === 0 ? 0 : at % damaged.length;
    const other = damaged.length === 0 ? 0 : to % damaged.length;
    if (kind === "cut") damaged = damaged.slice(0, index + 1);
    if (kind === "lose") damaged.splice(index, 1);
    if (kind === "repeat") damaged.splice(other, 0, structuredClone(damaged[index]));
    if (kind === "swap") [damaged[index], damaged[other]] = [damaged[other], damaged[index]];
    if (kind === "tear") damaged[index] = tear(damaged[index]);
  }
  return damaged.filter((message) => message !== undefined);
}

/** Arguments that were still being streamed: every `{"n":…}` loses its end. */
const tear = (message: unknown): unknown =>
  message === undefined
    ? undefined
    : (JSON.parse(JSON.stringify(message), (key, value: unknown) => {
        if (key === "arguments") return '{"n"';
        return key === "input" ? '{"n"' : value;
      }) as unknown);
