import { geminiError } from "./gemini-error.ts";
import {
  allText,
  type Answer,
  type Conversation,
  dataOnly,
  isRecord,
  type JsonRecord,
  pieces,
  recordOf,
  recordsOf,
  textOf,
  type Vendor,
} from "./vendor.ts";

/** Gemini: `models/MODEL:generateContent` and `:streamGenerateContent`. */
export const gemini: Vendor = {
  name: "gemini",
  read,
  refuse,
  whole: (answer) => chunk(answer, [...textParts(answer.say), ...callParts(answer)], finish(answer)),
  stream,
  streamError: () =>
    dataOnly({
      error: {
        code: 503,
        message: "The model is overloaded. Please try again later.",
        status: "UNAVAILABLE",
      },
    }),
  error: geminiError,
  countTokens: (tokens) => ({ totalTokens: tokens }),
};

function read(body: JsonRecord, path: string): Conversation {
  const contents = recordsOf(body["contents"]);
  const answers = contents.filter(
    ({ role }, at) => role === "model" && contents[at - 1]?.["role"] !== "model",
  );
  return {
    model: /models\/([^:/]+):/.exec(path)?.[1] ?? "",
    stream: path.endsWith(":streamGenerateContent"),
    messages: contents.length,
    answers: answers.length,
    tools: recordsOf(body["tools"])
      .flatMap((tool) => recordsOf(tool["functionDeclarations"]))
      .map((tool) => ({
        name: textOf(tool["name"]),
        takes: "arguments",
        schema: recordOf(tool["parametersJsonSchema"] ?? tool["parameters"]),
      })),
    system: allText(body["systemInstruction"]),
    received: allText(contents.filter(({ role }) => role !== "model")),
    ...wanted(body),
  };
}

function wanted(body: JsonRecord): { readonly wants?: JsonRecord } {
  const config = recordOf(body["generationConfig"]);
  const schema = config["responseJsonSchema"] ?? config["responseSchema"];
  return isRecord(schema) ? { wants: schema } : {};
}

const partsOf = (content: JsonRecord | undefined, kind: string): readonly JsonRecord[] =>
  recordsOf(content?.["parts"]).filter((part) => isRecord(part[kind]));

/** Gemini pairs by turn, not by id: the turn after calls holds as many responses, and no other turn holds any. */
function refuse(body: JsonRecord): string | undefined {
  const contents = recordsOf(body["contents"]);
  if (contents.length === 0) return "* GenerateContentRequest.contents: contents is not specified";
  for (const [at, content] of contents.entries()) {
    const role = content["role"];
    if (role !== undefined && role !== "user" && role !== "model" && role !== "function")
      return `Please use a valid role: user, model.`;
    const calls = partsOf(contents[at - 1], "functionCall").length;
    if (partsOf(content, "functionResponse").length !== calls)
      return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  }
  return partsOf(contents.at(-1), "functionCall").length === 0
    ? undefined
    : "Please ensure that function call turn comes immediately before a function response turn.";
}

const finish = ({ stop }: Answer): string =>
  stop === "length" ? "MAX_TOKENS" : stop === "refusal" ? "SAFETY" : "STOP";

const textParts = (say: string): readonly JsonRecord[] => (say === "" ? [] : [{ text: say }]);

const callParts = ({ calls }: Answer): readonly JsonRecord[] =>
  calls.map(({ name, input }) => ({
    functionCall: { name, args: "arguments" in input ? input.arguments : { input: input.text } },
  }));

const chunk = (
  { id, model, usage }: Answer,
  parts: readonly JsonRecord[],
  finishReason?: string,
): JsonRecord => ({
  candidates: [
    {
      content: { role: "model", parts },
      index: 0,
      ...(finishReason === undefined ? {} : { finishReason }),
    },
  ],
  usageMetadata: {
    promptTokenCount: usage.input,
    candidatesTokenCount: usage.output,
    totalTokenCount: usage.input + usage.output,
    cachedContentTokenCount: usage.cachedInput,
  },
  modelVersion: model,
  responseId: id,
});

function stream(answer: Answer): readonly string[] {
  return [
    ...pieces(answer.say).map((text) => dataOnly(chunk(answer, [{ text }]))),
    dataOnly(chunk(answer, callParts(answer), finish(answer))),
  ];
}
