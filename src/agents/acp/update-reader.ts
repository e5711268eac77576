import type { Signal } from "../../model/agent/signals.ts";
import { at, listAt, textAt } from "../headless/json-fields.ts";
import { AcpUsage } from "./acp-usage.ts";
import { jsonText, toSignal, unknownSignal } from "../to-signal.ts";

/** A tool call that was announced; its arguments often come with a later update. */
interface Call {
  name: string;
  args: string | undefined;
  reported: boolean;
}

/** Text comes in pieces of a few letters: so much of it makes one signal. */
const TEXT_CHARS_MAX = 2_000;
const CALLS_MAX = 1_000;
const RESULT_CHARS_MAX = 1_000_000;
const IGNORED: ReadonlySet<string> = new Set([
  "user_message_chunk",
  "available_commands_update",
  "current_mode_update",
  "config_option_update",
]);

/** Turns the updates of one session into signals. What it says depends on the updates alone, never on when they came. */
export class UpdateReader {
  /** Whether the agent said or did anything since the turn began. */
  did = false;
  /** Its last words in this turn. */
  words = "";
  /** What the adapter let be known of a fault that it will not report as one. */
  fault: string | null = null;
  readonly usage = new AcpUsage();
  /** Of which message the last piece was, where pieces name it. */
  #messageId: string | undefined;
  #pending: { readonly of: "message" | "thought"; text: string } | null = null;
  readonly #calls = new Map<string, Call>();

  beginTurn(): void {
    this.did = false;
    this.words = "";
    this.fault = null;
  }

  read(update: unknown): readonly Signal[] {
    const kind = textAt(update, "sessionUpdate") ?? "";
    if (kind === "agent_message_chunk" || kind === "agent_thought_chunk") return this.#chunk(kind, update);
    const reported = this.#other(kind, update);
    return reported.length === 0 ? [] : [...this.flush(), ...reported];
  }

  /** Of a conversation that is being replayed only what it had cost is of interest. */
  readAgain(update: unknown): void {
    if (textAt(update, "sessionUpdate") === "usage_update") this.usage.again(update);
  }

  /** The text that has not been reported yet. */
  flush(): readonly Signal[] {
    const pending = this.#pending;
    this.#pending = null;
    if (pending === null || pending.text.trim() === "") return [];
    if (pending.of === "thought")
      return [toSignal({ kind: "progress", text: `thinks: ${pending.text.trim()}` })];
    return [toSignal({ kind: "message", from: "agent", text: pending.text })];
  }

  name(callId: string | undefined): string | undefined {
    return this.#calls.get(callId ?? "")?.name;
  }

  /** Of a call that needs leave some show only that they ask for it, and then its result: the asking announces it. */
  announce(call: unknown): readonly Signal[] {
    const callId = textAt(call, "toolCallId");
    return callId === undefined ? [] : this.#begin(callId, call, "asked");
  }

  #chunk(kind: string, update: unknown): readonly Signal[] {
    const text = textAt(update, "content", "text") ?? `[${textAt(update, "content", "type") ?? "something"}]`;
    const of = kind === "agent_message_chunk" ? "message" : "thought";
    const isNew = this.#beginsMessage(textAt(update, "messageId"));
    const flushed = this.#pending !== null && this.#pending.of !== of ? this.flush() : [];
    const usage = this.usage.beside(update);
    if (usage.length === 0) this.usage.answered();
    if (of === "message" && text.trim() !== "") this.did = true;
    if (of === "message") this.words = joined(this.words, text, isNew).slice(-TEXT_CHARS_MAX);
    this.#pending ??= { of, text: "" };
    this.#pending.text = joined(this.#pending.text, text, isNew);
    const isWhole = usage.length > 0 || this.#pending.text.length >= TEXT_CHARS_MAX;
    return isWhole ? [...flushed, ...this.flush(), ...usage] : flushed;
  }

  /** A message of its own is not glued to the one before it: it may be the error that ended that one. */
  #beginsMessage(id: string | undefined): boolean {
    const isNew = id !== undefined && this.#messageId !== undefined && id !== this.#messageId;
    this.#messageId = id ?? this.#messageId;
    return isNew;
  }

  #other(kind: string, update: unknown): readonly Signal[] {
    switch (kind) {
      case "tool_call":
        this.usage.answered();
        return this.#call(update);
      case "tool_call_update":
        return this.#call(update);
      case "plan":
        return plan(update);
      case "usage_update":
        return this.usage.updated(update);
      case "session_info_update":
        return this.#info(update);
      default:
        return IGNORED.has(kind) ? [] : [unknownSignal(update)];
    }
  }

  #call(update: unknown): readonly Signal[] {
    const callId = textAt(update, "toolCallId");
    if (callId === undefined) return [unknownSignal(update)];
    this.did = true;
    this.words = "";
    const status = textAt(update, "status");
    const over = status === "completed" || status === "failed";
    const signals = this.#begin(callId, update, over ? "over" : status);
    if (!over) return signals;
    const name = this.name(callId) ?? "tool";
    this.#calls.delete(callId);
    const text = outputOf(update).slice(0, RESULT_CHARS_MAX);
    return [...signals, toSignal({ kind: "tool_result", callId, name, ok: status === "completed", text })];
  }

  /** A call is reported once, as soon as it is plain what it is: its arguments often come with a later update. */
  #begin(callId: string, update: unknown, status: string | undefined): readonly Signal[] {
    const call = this.#calls.get(callId) ?? { name: "", args: undefined, reported: false };
    this.#calls.set(callId, call);
    if (this.#calls.size > CALLS_MAX) this.#calls.delete([...this.#calls.keys()][0] ?? "");
    call.name = toolName(update) ?? (call.name === "" ? (textAt(update, "title") ?? "tool") : call.name);
    call.args = argsOf(update) ?? call.args;
    const isPlain = status !== undefined && PLAIN_BY_ITSELF.has(status);
    if (call.reported || !(isPlain || (call.args !== undefined && status !== "pending"))) return [];
    call.reported = true;
    return [toSignal({ kind: "tool_call", callId, name: call.name, args: call.args ?? "" })];
  }

  /** One adapter reports here, and nowhere else, that its provider failed it. */
  #info(update: unknown): readonly Signal[] {
    const status = textAt(update, "_meta", "codex", "threadStatus", "type");
    if (status === "systemError") this.fault ??= "the agent ended its turn after a fault";
    if (status === "active") this.fault = null;
    const trouble = textAt(update, "_meta", "codex", "error", "message");
    const detail = textAt(update, "_meta", "codex", "error", "additionalDetails");
    if (trouble === undefined) return [];
    return [toSignal({ kind: "progress", text: detail === undefined ? trouble : `${trouble} (${detail})` })];
  }
}

/** One that ends in a blank goes on, regardless of its name: an answer that was asked for again has another one. */
const joined = (before: string, text: string, isNew: boolean): string =>
  isNew && /\S$/.test(before) ? `${before}\n\n${text}` : `${before}${text}`;

/** Everything that is known of the call by then is all that will be known before its result. */
const PLAIN_BY_ITSELF: ReadonlySet<string> = new Set(["over", "in_progress", "asked"]);
const PIECES: ReadonlySet<string> = new Set([
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call_update",
]);

/** Whether an update shows an agent in the middle of an answer, or of a call that shows what it has so far. */
export const isPiece = (update: unknown): boolean => PIECES.has(textAt(update, "sessionUpdate") ?? "");

const toolName = (update: unknown): string | undefined =>
  textAt(update, "_meta", "claudeCode", "toolName") ?? textAt(update, "name");

function argsOf(update: unknown): string | undefined {
  const input = at(update, "rawInput");
  if (input === undefined || input === null) return undefined;
  const text = jsonText(input);
  return text === "{}" ? undefined : text;
}

function outputOf(update: unknown): string {
  const texts = listAt(update, "content").map(
    (part) => textAt(part, "content", "text") ?? textAt(part, "path"),
  );
  const raw = at(update, "rawOutput");
  const output = textAt(raw, "output") ?? (raw === undefined || raw === null ? undefined : jsonText(raw));
  return output ?? texts.filter((text) => text !== undefined).join("\n");
}

function plan(update: unknown): readonly Signal[] {
  const entries = listAt(update, "entries");
  const done = entries.filter((entry) => textAt(entry, "status") === "completed").length;
  const current =
    entries.find((entry) => textAt(entry, "status") === "in_progress") ?? entries[done] ?? entries.at(-1);
  const text = textAt(current, "content");
  if (text === undefined) return [];
  return [toSignal({ kind: "progress", text, pct: (100 * done) / entries.length })];
}
