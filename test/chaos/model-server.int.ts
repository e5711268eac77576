import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { ModelScriptInput } from "../../src/model/agent/model-script.ts";
import { waitFor } from "../agents/contract/scene.ts";
import { scriptedModel } from "./scripted-model.ts";

/** How long nothing more must come from an answer that hangs. */
const QUIET_MS = 300;
const KEY = "sk-never-to-be-written";
const HELLO: ModelScriptInput = {
  turns: [
    {
      say: "I write it.",
      acts: [{ write: { file: "hello.txt", content: "hello\n" } }, { run: "cat hello.txt" }],
      usage: { input: 1_200, output: 34, cachedInput: 1_000 },
    },
    { say: "Done: hello.txt is there." },
  ],
};

const claude = (url: string): Anthropic => new Anthropic({ apiKey: KEY, baseURL: url, maxRetries: 0 });
const openai = (url: string): OpenAI => new OpenAI({ apiKey: KEY, baseURL: `${url}/v1`, maxRetries: 0 });

const WRITE = {
  type: "object",
  properties: { file_path: { type: "string" }, content: { type: "string" } },
  required: ["file_path", "content"],
} as const;
const RUN = {
  type: "object",
  properties: { command: { type: "string" }, description: { type: "string" } },
  required: ["command", "description"],
} as const;
const ANTHROPIC_TOOLS: Anthropic.Tool[] = [
  { name: "Write", input_schema: { ...WRITE, required: [...WRITE.required] } },
  { name: "Bash", input_schema: { ...RUN, required: [...RUN.required] } },
];
const CHAT_TOOLS: OpenAI.Chat.Completions.ChatCompletionTool[] = [
  { type: "function", function: { name: "write_file", parameters: { ...WRITE } } },
  {
    type: "function",
    function: { name: "shell", parameters: { type: "object", properties: { command: { type: "array" } } } },
  },
];
const RESPONSE_TOOLS: OpenAI.Responses.Tool[] = [
  { type: "custom", name: "apply_patch" },
  {
    type: "function",
    name: "exec_command",
    strict: false,
    parameters: { type: "object", properties: { cmd: { type: "string" } }, required: ["cmd"] },
  },
];
const USER = { role: "user", content: "Write hello.txt" } as const;
const SYSTEM = "You work here.\nWorking directory: /repo\n";
const ask = { model: "m", max_tokens: 100, system: SYSTEM, tools: ANTHROPIC_TOOLS };

test("P2 Anthropic's own client receives a scripted turn, streamed and whole, as calls of the tools it offered", async (t) => {
  const { url } = await scriptedModel(t, HELLO);
  const whole = await claude(url).messages.create({ ...ask, messages: [USER] });
  const streamed = await claude(url)
    .messages.stream({ ...ask, messages: [USER] })
    .finalMessage();
  assert.deepEqual(streamed.content, whole.content);
  const [text, write, run] = whole.content;
  assert.ok(text?.type === "text" && write?.type === "tool_use" && run?.type === "tool_use");
  assert.equal(text.text, "I write it.");
  assert.deepEqual(
    [write.name, write.input],
    ["Write", { file_path: "/repo/hello.txt", content: "hello\n" }],
  );
  assert.deepEqual([run.name, run.input], ["Bash", { command: "cat hello.txt", description: "none" }]);
  assert.deepEqual([whole.stop_reason, streamed.stop_reason], ["tool_use", "tool_use"]);
  const { input_tokens: input, output_tokens: output, cache_read_input_tokens: cached } = streamed.usage;
  assert.deepEqual([input, output, cached], [200, 34, 1_000]);
});

test("P2 the history itself decides which turn comes next, so a conversation goes on with another server", async (t) => {
  const first = await claude((await scriptedModel(t, HELLO)).url).messages.create({
    ...ask,
    messages: [USER],
  });
  const results = first.content.flatMap((block) =>
    block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "ok" }] : [],
  );
  const messages: Anthropic.MessageParam[] = [
    USER,
    { role: "assistant", content: first.content },
    { role: "user", content: results },
  ];
  const { url, requests } = await scriptedModel(t, HELLO);
  const second = await claude(url).messages.create({ ...ask, messages });
  assert.deepEqual(
    second.content.map((block) => block.type === "text" && block.text),
    ["Done: hello.txt is there."],
  );
  assert.equal(requests()[0]?.position, 1);
  messages.push({ role: "assistant", content: second.content }, { role: "user", content: "And now?" });
  const third = await claude(url).messages.create({ ...ask, messages });
  assert.equal(third.stop_reason, "end_turn");
});

test("P2 OpenAI's own client receives the same turn from Chat Completions, streamed and whole", async (t) => {
  const { url } = await scriptedModel(t, HELLO);
  const body = {
    model: "m",
    tools: CHAT_TOOLS,
    messages: [{ role: "system" as const, content: SYSTEM }, USER],
  };
  const whole = await openai(url).chat.completions.create(body);
  const streamed = await openai(url).chat.completions.stream(body).finalChatCompletion();
  const calls = (one: typeof whole): unknown =>
    one.choices[0]?.message.tool_calls?.map((call) => call.type === "function" && call.function.arguments);
  assert.deepEqual(calls(streamed), calls(whole));
  assert.deepEqual(calls(whole), [
    JSON.stringify({ file_path: "/repo/hello.txt", content: "hello\n" }),
    JSON.stringify({ command: ["bash", "-lc", "cat hello.txt"] }),
  ]);
  assert.equal(streamed.choices[0]?.finish_reason, "tool_calls");
  assert.equal(whole.usage?.prompt_tokens_details?.cached_tokens, 1_000);
});

test("P2 OpenAI's own client receives the same turn from Responses, tools that take plain text included", async (t) => {
  const { url } = await scriptedModel(t, HELLO);
  const body = { model: "m", tools: RESPONSE_TOOLS, input: "Write hello.txt" };
  const whole = await openai(url).responses.create(body);
  const streamed = await openai(url).responses.stream(body).finalResponse();
  const [, patch, run] = whole.output;
  assert.ok(patch?.type === "custom_tool_call" && run?.type === "function_call");
  assert.equal(patch.input, "*** Begin Patch\n*** Add File: hello.txt\n+hello\n*** End Patch\n");
  assert.equal(run.arguments, JSON.stringify({ cmd: "cat hello.txt" }));
  assert.deepEqual(
    streamed.output.map(({ type }) => type),
    ["message", "custom_tool_call", "function_call"],
  );
  assert.equal(streamed.output_text, "I write it.");
  assert.equal(streamed.usage?.input_tokens, 1_200);
});

const gemini = (url: string, call: string, body: unknown): Promise<Response> =>
  fetch(`${url}/v1beta/models/gemini-x:${call}?key=${KEY}`, { method: "POST", body: JSON.stringify(body) });
const GEMINI_TOOLS = [
  {
    functionDeclarations: [
      { name: "write_file", parametersJsonSchema: WRITE },
      { name: "run_shell_command" },
    ],
  },
];
const GEMINI_USER = { role: "user", parts: [{ text: "Write hello.txt" }] };

test("P2 Gemini's turns are streamed and whole, and its side questions get an answer of the asked shape", async (t) => {
  const { url, requests } = await scriptedModel(t, HELLO);
  const body = { contents: [GEMINI_USER], tools: GEMINI_TOOLS };
  const whole = (await (await gemini(url, "generateContent", body)).json()) as {
    candidates: { content: { parts: { functionCall?: { name: string } }[] } }[];
  };
  const names = whole.candidates[0]?.content.parts.map((part) => part.functionCall?.name);
  assert.deepEqual(names, [undefined, "write_file", "run_shell_command"]);
  const streamed = await (await gemini(url, "streamGenerateContent", body)).text();
  assert.match(streamed, /^data: \{.*"I write it\."[\s\S]*"functionCall"[\s\S]*"finishReason":"STOP"/);
  const schema = {
    type: "OBJECT",
    properties: { next_speaker: { type: "STRING", enum: ["user", "model"] } },
    required: ["next_speaker"],
  };
  const aside = await gemini(url, "generateContent", {
    contents: [GEMINI_USER],
    generationConfig: { responseSchema: schema },
  });
  assert.match(await aside.text(), /\{\\"next_speaker\\":\\"user\\"\}/);
  assert.deepEqual(
    requests().map((request) => request.as),
    ["turn", "turn", "aside"],
  );
  const count = await gemini(url, "countTokens", { contents: [GEMINI_USER] });
  assert.equal(typeof ((await count.json()) as { totalTokens: number }).totalTokens, "number");
});

test("J7 P2 a history with a dangling call or an orphaned result is refused in each vendor's own words", async (t) => {
  const { url, requests } = await scriptedModel(t, HELLO);
  const refusal = async (promise: Promise<unknown>): Promise<string> => {
    const error: unknown = await promise.then(
      () => assert.fail("was accepted"),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof Error && "status" in error);
    assert.equal(error.status, 400);
    return error.message;
  };
  const call = { type: "tool_use" as const, id: "toolu_1", name: "Bash", input: {} };
  const dangling = [USER, { role: "assistant" as const, content: [call] }, USER];
  assert.match(
    await refusal(claude(url).messages.create({ ...ask, messages: dangling })),
    /`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1/,
  );
  const chat = [USER, { role: "tool" as const, tool_call_id: "call_9", content: "late" }];
  assert.match(
    await refusal(openai(url).chat.completions.create({ model: "m", messages: chat })),
    /messages with role 'tool' must be a response/,
  );
  const input = [
    { type: "function_call" as const, call_id: "call_2", name: "exec_command", arguments: "{}" },
  ];
  assert.match(
    await refusal(openai(url).responses.create({ model: "m", input })),
    /No tool output found for function call call_2/,
  );
  const orphan = { role: "user", parts: [{ functionResponse: { name: "x", response: {} } }] };
  const answer = await gemini(url, "generateContent", { contents: [GEMINI_USER, orphan] });
  assert.equal(answer.status, 400);
  assert.match(await answer.text(), /number of function response parts/);
  assert.deepEqual(
    requests().map(({ as, status }) => [as, status]),
    Array.from({ length: 4 }, () => ["refused", 400]),
  );
});

test("P2 a fault hits as many requests of its turn as the script says, then the turn goes well", async (t) => {
  const { url, requests } = await scriptedModel(t, {
    turns: [
      {
        say: "at last",
        faults: [
          { kind: "error", status: 529, times: 2 },
          { kind: "rate_limit", retryAfterS: 2 },
        ],
      },
    ],
  });
  const statuses: (number | undefined)[] = [];
  for (let n = 0; n < 3; n += 1)
    await claude(url)
      .messages.create({ ...ask, messages: [USER] })
      .catch((error: unknown) => {
        assert.ok(error instanceof Anthropic.APIError);
        statuses.push(error.status as number);
        if (n === 2) assert.equal((error.headers as Headers).get("retry-after"), "2");
      });
  assert.deepEqual(statuses, [529, 529, 429]);
  const patient = new Anthropic({ apiKey: KEY, baseURL: url, maxRetries: 0 });
  assert.equal((await patient.messages.create({ ...ask, messages: [USER] })).content.length, 1);
  assert.deepEqual(
    requests().map(({ fault, status }) => fault ?? status),
    ["error", "error", "rate_limit", 200],
  );
});

test("L4 P2 a used-up account names its reset as each vendor does", async (t) => {
  const limited: ModelScriptInput = {
    turns: [{ say: "", faults: [{ kind: "usage_limit", resetsInS: 600, times: "always" }] }],
  };
  const { url } = await scriptedModel(t, limited);
  const dueS = Date.now() / 1_000 + 600;
  const post = (path: string, body: unknown): Promise<Response> =>
    fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body) });
  const anthropic = await post("/v1/messages", { ...ask, messages: [USER] });
  assert.equal(anthropic.status, 429);
  assert.ok(Math.abs(Number(anthropic.headers.get("anthropic-ratelimit-unified-reset")) - dueS) < 60);
  assert.equal(anthropic.headers.get("anthropic-ratelimit-unified-status"), "rejected");
  const codex = await post("/v1/responses", { model: "m", input: "hi", tools: RESPONSE_TOOLS });
  const { error } = (await codex.json()) as { error: { type: string; resets_at: number } };
  assert.equal(error.type, "usage_limit_reached");
  assert.ok(Math.abs(error.resets_at - dueS) < 60);
  const google = await gemini(url, "generateContent", { contents: [GEMINI_USER], tools: GEMINI_TOOLS });
  const text = await google.text();
  assert.match(text, /RESOURCE_EXHAUSTED/);
  assert.match(text, /"retryDelay":"600s"/);
});

test("P2 answers hang, stop half way, are cut, are garbage and drip as scripted, and every request is on record", async (t) => {
  const kinds = ["hang", "hang_midstream", "reset", "cut", "garbage", "stream_error", "drip"] as const;
  const sessions = Object.fromEntries(
    kinds.map((kind) => [
      kind,
      [
        {
          say: "one two three four five six seven eight",
          faults: [{ kind, ...(kind === "drip" ? { everyMs: 1 } : {}) }],
        },
      ],
    ]),
  );
  const { url, requests } = await scriptedModel(t, { turns: [{ say: "unmarked" }], sessions });
  /** What came before the end, and how it ended; `alive` when no more came and nobody hung up. */
  const receive = async (kind: string): Promise<[text: string, end: "whole" | "broken" | "alive"]> => {
    let text = "";
    const enough = new AbortController();
    const begun = (): boolean =>
      kind === "hang" ? requests().some(({ session }) => session === kind) : text.includes("one two");
    if (kind.startsWith("hang"))
      void waitFor(() => begun() || undefined)
        .then(() => delay(QUIET_MS))
        .then(() => enough.abort());
    try {
      const response = await fetch(`${url}/s/${kind}/v1/messages`, {
        method: "POST",
        body: JSON.stringify({ ...ask, stream: true, messages: [USER] }),
        signal: enough.signal,
      });
      for await (const part of response.body as unknown as AsyncIterable<Uint8Array>)
        text += Buffer.from(part).toString();
      return [text, "whole"];
    } catch {
      return [text, enough.signal.aborted ? "alive" : "broken"];
    }
  };
  const received = new Map(
    await Promise.all(kinds.map(async (kind) => [kind, await receive(kind)] as const)),
  );
  assert.deepEqual(received.get("hang"), ["", "alive"]);
  assert.deepEqual(received.get("reset"), ["", "broken"]);
  for (const [kind, end] of [
    ["hang_midstream", "alive"],
    ["cut", "broken"],
  ] as const) {
    assert.match(received.get(kind)?.[0] ?? "", /message_start[\s\S]*one two/);
    assert.doesNotMatch(received.get(kind)?.[0] ?? "", /message_stop/);
    assert.equal(received.get(kind)?.[1], end);
  }
  assert.match(received.get("garbage")?.[0] ?? "", /^<html>/);
  assert.match(received.get("stream_error")?.[0] ?? "", /message_start[\s\S]*overloaded_error/);
  assert.match(received.get("drip")?.[0] ?? "", /message_stop/);
  assert.deepEqual(
    requests().map(({ session, fault }) => session === fault),
    kinds.map(() => true),
  );
});

test("P2 a turn may repeat for ever, a mark in the prompt chooses its session, and a conversation ends after the last turn", async (t) => {
  const { url } = await scriptedModel(t, {
    turns: [{ say: "only once" }],
    sessions: { loops: [{ acts: [{ run: "ls" }], repeat: "forever" }] },
  });
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "[session loops] go" }];
  const seen = new Set<string>();
  for (let n = 0; n < 5; n += 1) {
    const { content } = await claude(url).messages.create({ ...ask, messages });
    const [call] = content;
    assert.ok(call?.type === "tool_use");
    assert.deepEqual(call.input, { command: "ls", description: "none" });
    seen.add(call.id);
    messages.push(
      { role: "assistant", content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "a.txt" }] },
    );
  }
  assert.equal(seen.size, 5, "identical calls still have ids of their own");
  const over: Anthropic.MessageParam[] = [USER, { role: "assistant", content: "only once" }, USER];
  const after = await claude(url).messages.create({ ...ask, messages: over });
  assert.deepEqual([after.stop_reason, after.content.length], ["end_turn", 1]);
});

test("P2 a model misbehaves as scripted: empty, refusing, cut short, with unknown tools and wrong arguments", async (t) => {
  const kinds = ["empty", "refusal", "max_tokens", "unknown_tool", "bad_arguments"] as const;
  const sessions = Object.fromEntries(
    kinds.map((kind) => [kind, [{ say: "so", acts: [{ run: "ls" }], faults: [{ kind }] }]]),
  );
  const { url } = await scriptedModel(t, { turns: [{ say: "" }], sessions });
  const answers = await Promise.all(
    kinds.map((kind) => claude(`${url}/s/${kind}`).messages.create({ ...ask, messages: [USER] })),
  );
  assert.deepEqual(
    answers.map(({ stop_reason: stop }) => stop),
    ["end_turn", "refusal", "max_tokens", "tool_use", "tool_use"],
  );
  assert.deepEqual(answers[0]?.content, []);
  const calls = answers.slice(3).map(({ content }) => content.find((block) => block.type === "tool_use"));
  assert.deepEqual(
    calls.map((call) => call?.name),
    ["no_such_tool", "Bash"],
  );
  assert.deepEqual(calls[1]?.input, { unheard_of: 1 });
});

test("P3 P2 the log has every request, and neither keys nor words of the conversation", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-model-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const log = path.join(folder, "requests.jsonl");
  const { url } = await scriptedModel(t, HELLO, { log });
  await claude(url).messages.create({ ...ask, messages: [USER] });
  await gemini(url, "generateContent", { contents: [GEMINI_USER], tools: GEMINI_TOOLS });
  await claude(url).messages.countTokens({ model: "m", messages: [USER] });
  await openai(url).models.list();
  assert.equal((await fetch(`${url}/v1/responses`)).status, 426);
  assert.equal((await fetch(`${url}/telemetry?key=${KEY}`, { method: "POST", body: KEY })).status, 404);
  const text = readFileSync(log, "utf8");
  const rows = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { as: string; tools: string[]; digest: string; messages: number });
  assert.deepEqual(
    rows.map((row) => row.as),
    ["turn", "turn", "count", "models", "socket", "other"],
  );
  assert.deepEqual([rows[0]?.tools, rows[0]?.messages], [["Write", "Bash"], 1]);
  assert.match(rows[0]?.digest ?? "", /^[0-9a-f]{64}$/);
  assert.ok(!text.includes(KEY) && !text.includes("Write hello.txt"));
  assert.equal(statSync(log).mode & 0o777, 0o600);
});

test("P4 an act that no offered tool can do is refused by name, and so is a body that is no JSON", async (t) => {
  const { url } = await scriptedModel(t, HELLO);
  const body = { ...ask, tools: [{ name: "Ponder", input_schema: { type: "object" } }], messages: [USER] };
  const unfit = await fetch(`${url}/v1/messages`, { method: "POST", body: JSON.stringify(body) });
  assert.equal(unfit.status, 400);
  assert.match(await unfit.text(), /no offered tool fits; offered: Ponder/);
  const broken = await fetch(`${url}/v1/messages`, { method: "POST", body: "{" });
  assert.equal(broken.status, 400);
});
