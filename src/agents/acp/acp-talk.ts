import { CONVERSATION_MISSING, type ExitSignal, type Signal } from "../../model/agent/signals.ts";
import { at, listAt, parseJson, textAt } from "../headless/json-fields.ts";
import type { LineReader } from "../keeper/spool/read-spool.ts";
import type { SpoolLine } from "../keeper/spool/spool-lines.ts";
import type { Spool } from "../keeper/spool/spool-tail.ts";
import { jsonText, toSignal, unknownSignal } from "../to-signal.ts";
import {
  CALLS,
  errorSignals,
  errorText,
  isPrompt,
  readMessage,
  type Said,
  strangeVersion,
} from "./acp-message.ts";
import { isPiece, UpdateReader } from "./update-reader.ts";
import { usedTool } from "./used-tool.ts";

export interface PermissionAsk {
  readonly id: string | number;
  readonly options: readonly { readonly optionId: string; readonly kind: string }[];
}

export interface TalkPast {
  /** The conversation that the session was to go on with. */
  readonly resume: string | undefined;
  readonly startedAt: number;
  /** Up to which byte the agent replayed an old conversation; undefined while that is not known. */
  readonly replayedTo: () => number | undefined;
  /** Whether the session was closed by us because all was said. */
  readonly wasClosed: () => boolean;
}

const ASKS_MAX = 1_000;
const STRAY_LINES_MAX = 40;

/**
 * One session of the protocol as the agent's own words show it: what it answered, what it asks, what it did.
 * Folded from the spool alone, so that any supervisor that reads the spool knows all of it and nothing is asked twice.
 */
export class AcpTalk implements LineReader {
  initialized = false;
  canLoad = false;
  /** Whether it takes a prompt while it works on another. */
  queues = false;
  loadFailed = false;
  sessionId: string | null = null;
  /** Nothing more can come of this session. */
  broken = false;
  /** How the last turn ended. */
  stopped: string | null = null;
  readonly answered = new Set<string>();
  readonly asks = new Map<string, PermissionAsk>();
  /** Requests for what we do not offer, waiting for that answer. */
  readonly unserved = new Map<string, { readonly id: string | number; readonly method: string }>();
  readonly #past: TalkPast;
  readonly #updates = new UpdateReader();
  #strayLines = 0;
  #partial = false;

  constructor(past: TalkPast) {
    this.#past = past;
  }

  read(line: SpoolLine, from: Spool): readonly Signal[] {
    this.#partial = false;
    if (line.text.trim() === "") return [];
    if (from === "err") return this.#stray(line.text);
    const message = line.kind === "whole" ? parseJson(line.text) : undefined;
    const said = message === undefined ? undefined : readMessage(message);
    if (said === undefined) return [...this.#updates.flush(), unknownSignal(line.text)];
    switch (said.kind) {
      case "notification":
        return this.#notified(said, line.end);
      case "request":
        return [...this.#updates.flush(), ...this.#asked(said)];
      case "result":
        return [...this.#updates.flush(), ...this.#resulted(said.id, said.result)];
      case "error":
        return [...this.#updates.flush(), ...this.#failed(said.id, said.error)];
    }
  }

  partial(): boolean {
    return this.#partial;
  }

  last(exit: ExitSignal, receivedBefore: boolean): readonly Signal[] {
    const words = receivedBefore ? [] : this.#updates.flush();
    return [...words, this.#past.wasClosed() && ENDED_BY_US.has(exit.signal ?? "") ? CLEAN_EXIT : exit];
  }

  #stray(text: string): readonly Signal[] {
    this.#strayLines += 1;
    return this.#strayLines > STRAY_LINES_MAX ? [] : [unknownSignal(text)];
  }

  #notified(said: Extract<Said, { kind: "notification" }>, end: number): readonly Signal[] {
    const update = at(said.params, "update");
    if (said.method === "session/update") {
      if (this.#isReplay(end)) this.#updates.readAgain(update);
      else {
        this.#partial = isPiece(update);
        return this.#updates.read(update);
      }
      return [];
    }
    return said.method.startsWith("_") ? [] : [...this.#updates.flush(), unknownSignal(said)];
  }

  /** A loaded conversation is replayed from its beginning, by some even after they have answered the call. */
  #isReplay(end: number): boolean {
    if (this.#past.resume === undefined || this.loadFailed || !this.canLoad) return false;
    return this.sessionId === null || end <= (this.#past.replayedTo() ?? Infinity);
  }

  #asked({ id, method, params }: Extract<Said, { kind: "request" }>): readonly Signal[] {
    const askId = JSON.stringify(id).slice(0, 200);
    if (method !== "session/request_permission") {
      if (this.unserved.size < ASKS_MAX) this.unserved.set(askId, { id, method });
      return [];
    }
    const options = listAt(params, "options").flatMap((option) => {
      const [optionId, kind] = [textAt(option, "optionId"), textAt(option, "kind")];
      return optionId === undefined || kind === undefined ? [] : [{ optionId, kind }];
    });
    if (this.asks.size < ASKS_MAX) this.asks.set(askId, { id, options });
    const call = at(params, "toolCall");
    const callId = textAt(call, "toolCallId");
    const named = this.#updates.name(callId);
    const announced = this.#updates.announce(call);
    const title = textAt(call, "title") ?? named ?? "a tool";
    const input = at(call, "rawInput");
    const what = input === undefined || input === null ? title : `${title}: ${jsonText(input)}`;
    const of = callId === undefined ? {} : { callId };
    const use = usedTool(call, named ?? textAt(call, "title"));
    return [...announced, toSignal({ kind: "permission", askId, what, ...of, ...use })];
  }

  #resulted(id: string, result: unknown): readonly Signal[] {
    if (id === CALLS.initialize) return this.#introduced(result);
    if (id === CALLS.open) return this.#opened(textAt(result, "sessionId"), result);
    if (id === CALLS.load) return this.#opened(this.#past.resume, result);
    if (isPrompt(id) && !this.answered.has(id)) return this.#turnEnded(id, result);
    return [];
  }

  #introduced(result: unknown): readonly Signal[] {
    this.initialized = true;
    this.canLoad = at(result, "agentCapabilities", "loadSession") === true;
    this.queues = at(result, "agentCapabilities", "_meta", "claudeCode", "promptQueueing") === true;
    const version = strangeVersion(result);
    if (version !== undefined)
      return this.#break(`the agent speaks version ${version} of the protocol; expected version 1`);
    if (this.#past.resume === undefined || this.canLoad) return [{ kind: "ready" }];
    return [{ kind: "ready" }, missing("the agent cannot go on with a conversation")];
  }

  #opened(sessionId: string | undefined, result: unknown): readonly Signal[] {
    this.#updates.usage.opened(result);
    if (sessionId === undefined || sessionId === "" || sessionId.length > 200)
      return this.#break("the agent opened a session without a name that can be used");
    this.sessionId = sessionId;
    return [{ kind: "conversation", id: sessionId }];
  }

  /** Its own word for the end of a turn is a claim only if something was done in it, and nothing failed (I6). */
  #turnEnded(id: string, result: unknown): readonly Signal[] {
    const { did, words, fault } = this.#updates;
    this.answered.add(id);
    this.stopped = textAt(result, "stopReason") ?? "nothing";
    this.#updates.beginTurn();
    const usage = this.#updates.usage.turnEnded(result);
    if (this.stopped === "cancelled") return usage;
    // The end of a turn in silence, after any calls, is no word of success.
    if (this.stopped === "end_turn" && did && fault === null && words.trim() === "") return usage;
    const ok = this.stopped === "end_turn" && did && fault === null;
    const text = ok ? words || "the agent ended its turn" : (fault ?? WHY_NOT[this.stopped] ?? NOTHING_DONE);
    const claim = toSignal({ kind: "result", ok, text: !ok && words !== "" ? `${text}: ${words}` : text });
    return [
      ...usage,
      claim,
      ...(fault === null ? [] : errorSignals({ message: words || fault }, this.#past.startedAt)),
    ];
  }

  #failed(id: string, error: unknown): readonly Signal[] {
    if (id === CALLS.load) {
      this.loadFailed = true;
      return [missing(`the conversation could not be continued: ${errorText(error)}`)];
    }
    if (isPrompt(id)) {
      this.answered.add(id);
      this.stopped = "error";
      this.#updates.beginTurn();
      const claim = toSignal({ kind: "result", ok: false, text: errorText(error) });
      return [claim, ...errorSignals(error, this.#past.startedAt)];
    }
    if (id !== CALLS.initialize && id !== CALLS.open) return [unknownSignal({ id, error })];
    this.broken = true;
    return errorSignals(error, this.#past.startedAt);
  }

  #break(text: string): readonly Signal[] {
    this.broken = true;
    return [toSignal({ kind: "error", text, terminal: true })];
  }
}

const CLEAN_EXIT: ExitSignal = { kind: "exit", how: "code", code: 0 };
/** How an agent ends that does not leave when there is nothing more to say. */
const ENDED_BY_US: ReadonlySet<string> = new Set(["SIGINT", "SIGTERM", "SIGKILL"]);

const NOTHING_DONE = "the agent ended its turn without saying or doing anything";
const WHY_NOT: Readonly<Record<string, string>> = {
  max_tokens: "the agent ran out of tokens for its answer",
  max_turn_requests: "the agent reached the number of requests that a turn may have",
  refusal: "the model refused the task",
};

const missing = (text: string): Signal => toSignal({ kind: "error", text, code: CONVERSATION_MISSING });
