import { arrangeAnswers } from "../arrange-answers.ts";
import {
  type Answer,
  type CallPart,
  type Dialect,
  type Draft,
  objectArguments,
  type Part,
  type ResultPart,
} from "../draft.ts";
import {
  asText,
  INTERRUPTED,
  isRecord,
  isText,
  type JsonRecord,
  type KnownResult,
  recordsOf,
  type RepairLog,
  sameJson,
} from "../repair.ts";

const INTERRUPTED_OUTPUT = { type: "error-text", value: INTERRUPTED };

/**
 * The AI SDK's ModelMessage. The tool messages of an assistant's calls follow it. Calls that the provider ran itself,
 * and their results, stay in the assistant's message untouched.
 */
export function aiSdkDialect(messages: readonly unknown[]): Dialect {
  const approvals = readApprovals(messages);
  return {
    shape: "ai-sdk",
    uniqueIds: "message",
    read: (message, at, log) => readMessage(message, at, { approvals, log }),
    write: ({ source, parts, role }) => ({
      ...(isRecord(source) ? source : { role }),
      content: parts.map((part) => part.value),
    }),
    answer: (call, known) => answer(call, known, approvals),
    rename: (part, id) => ({ ...part, id, value: { ...part.value, toolCallId: id } }),
    clean: (drafts) => drafts,
    arrange: (drafts, arrangement) =>
      arrangeAnswers(drafts, arrangement, { role: "tool", where: "run", perMessage: "many" }),
  };
}

interface Reading {
  readonly approvals: Approvals;
  readonly log: RepairLog;
}

function readMessage(message: unknown, at: number, reading: Reading): Draft {
  const source = isRecord(message) ? message : {};
  const { content } = source;
  const role = asText(source["role"]);
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : recordsOf(content);
  const byProvider = new Set(
    blocks.filter((block) => block["providerExecuted"] === true).map((block) => block["toolCallId"]),
  );
  const all = blocks.map((block) => readBlock(block, { ...reading, role, at, byProvider }));
  const empty = role !== "system" && all.every(isEmptyText);
  const parts = empty ? [] : all;
  const changed = parts.some((part, index) => part.value !== blocks[index]);
  return { at, role, source: message, parts, changed };
}

const isEmptyText = ({ value }: Part): boolean =>
  value["type"] === "text" && value["text"] === "" && value["providerOptions"] === undefined;

interface BlockReading extends Reading {
  readonly role: string;
  readonly at: number;
  readonly byProvider: ReadonlySet<unknown>;
}

function readBlock(block: JsonRecord, reading: BlockReading): Part {
  const { toolCallId: id, toolName: name } = block;
  const theirs = reading.role === "assistant" && reading.byProvider.has(id);
  if (block["type"] === "tool-result" && !theirs) return readResult(block, reading);
  if (block["type"] !== "tool-call" || theirs || reading.role !== "assistant")
    return { kind: "other", value: block };
  if (!isText(id) || !isText(name)) return { kind: "unusable", value: block };
  if (reading.approvals.awaited.has(id)) return { kind: "other", value: block };
  const { state, args, written } = readInput(block["input"]);
  const value = state === "whole" ? block : { ...block, input: written };
  return { kind: "call", id, name, args, state, value };
}

/** The SDK's input is any JSON value; only text, and nothing at all, betray a stream that was cut. */
function readInput(input: unknown): ReturnType<typeof objectArguments> {
  const odd = input === undefined || typeof input === "string";
  return odd ? objectArguments(input) : { state: "whole", args: input, written: input };
}

function readResult(block: JsonRecord, { at, log }: BlockReading): ResultPart {
  const id = asText(block["toolCallId"] ?? "");
  const { output } = block;
  const valid = isRecord(output) && isText(output["type"]) && isText(block["toolName"]);
  const value = valid
    ? block
    : { ...block, toolName: block["toolName"] ?? "unknown", output: wrapped(output) };
  if (!valid) log.add("result-made-valid", at, id);
  return { kind: "result", id, interrupted: sameJson(output, INTERRUPTED_OUTPUT), value };
}

const wrapped = (output: unknown): unknown =>
  isRecord(output) && isText(output["type"]) ? output : outputOf({ result: output });

function answer(call: CallPart, known: KnownResult | undefined, approvals: Approvals): Answer {
  const make = (kind: Answer["kind"], output: unknown): Answer => ({
    kind,
    part: {
      kind: "result",
      id: call.id,
      interrupted: kind === "marked-interrupted",
      value: { type: "tool-result", toolCallId: call.id, toolName: call.name, output },
    },
  });
  if (known !== undefined) return make("answered-from-journal", outputOf(known));
  if (!approvals.denied.has(call.id)) return make("marked-interrupted", INTERRUPTED_OUTPUT);
  const reason = approvals.denied.get(call.id);
  return make("denial-recorded", { type: "execution-denied", ...(reason === undefined ? {} : { reason }) });
}

function outputOf({ result, failed }: KnownResult): unknown {
  const prefix = failed === true ? "error-" : "";
  if (typeof result === "string") return { type: `${prefix}text`, value: result };
  return { type: `${prefix}json`, value: result ?? null };
}

/** What people said about calls that need their approval. */
interface Approvals {
  /** Calls at the end of the history that still wait for a person: they have not run, and must not be answered. */
  readonly awaited: ReadonlySet<string>;
  /** Calls that a person refused, with the reason if there is one. */
  readonly denied: ReadonlyMap<string, string | undefined>;
}

export function readApprovals(messages: readonly unknown[]): Approvals {
  const blocks = messages.flatMap(blocksOf);
  const responses = new Map(
    blocks
      .filter((block) => block["type"] === "tool-approval-response")
      .map((block) => [asText(block["approvalId"]), block]),
  );
  const denied = new Map<string, string | undefined>();
  for (const request of blocks.filter(isRequest)) {
    const response = responses.get(asText(request["approvalId"]));
    if (response?.["approved"] !== false) continue;
    const { reason } = response;
    denied.set(asText(request["toolCallId"]), typeof reason === "string" ? reason : undefined);
  }
  const pending = blocksOf(messages.at(-1))
    .filter(isRequest)
    .filter((request) => !responses.has(asText(request["approvalId"])));
  return { awaited: new Set(pending.map((request) => asText(request["toolCallId"]))), denied };
}

const isRequest = (block: JsonRecord): boolean => block["type"] === "tool-approval-request";

const blocksOf = (message: unknown): readonly JsonRecord[] =>
  isRecord(message) ? recordsOf(message["content"]) : [];
