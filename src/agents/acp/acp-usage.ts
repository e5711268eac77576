import type { Signal } from "../../model/agent/signals.ts";
import { at, listAt, numberAt, textAt } from "../headless/json-fields.ts";

interface Used {
  readonly tokensIn: number;
  readonly cachedIn: number;
  readonly tokensOut: number;
}

const NOTHING: Used = { tokensIn: 0, cachedIn: 0, tokensOut: 0 };

/**
 * Adds up what an agent uses over the protocol, which leaves open what its numbers mean. Derived from what agents send:
 *
 * 1. A `usage_update` after the model has answered shows the tokens of that request; without an answer before it, it
 *    shows the same again, or that a request has begun.
 * 2. Usage beside a message is that of one request.
 * 3. Usage beside the end of a turn is that of the turn, or of its last request alone: it counts where it is more
 *    than what was added up, and then it says best what was read and what was written.
 * 4. Money is the total of the session, also of what it had cost when it was loaded. None is no price, not no cost.
 */
export class AcpUsage {
  #turn: Used = NOTHING;
  #answered = false;
  #usdBefore = 0;
  #reportsMoney = false;
  #model: string | undefined;

  /** What the session was opened with names its model. */
  opened(result: unknown): void {
    const options = listAt(result, "configOptions");
    const chosen = options.find((option) => textAt(option, "id") === "model");
    const model = textAt(result, "models", "currentModelId") ?? textAt(chosen, "currentValue");
    this.#model = model === "default" || model === "auto" ? undefined : model;
  }

  /** The model has said or called something. */
  answered(): void {
    this.#answered = true;
  }

  /** Of a conversation that is being replayed only what it had cost is of interest. */
  again(update: unknown): void {
    this.#usdBefore = usdIn(update) ?? this.#usdBefore;
  }

  updated(update: unknown): readonly Signal[] {
    const [used = 0, size = 0] = [numberAt(update, "used"), numberAt(update, "size")];
    const isRequest = this.#answered && used > 0;
    if (isRequest) this.#answered = false;
    return [
      ...(isRequest ? [this.#add({ ...NOTHING, tokensIn: used })] : []),
      ...this.#money(usdIn(update)),
      ...(size === 0 ? [] : [{ kind: "context" as const, usedPct: Math.min(100, (used / size) * 100) }]),
    ];
  }

  /** Usage of one request beside a message. */
  beside(update: unknown): readonly Signal[] {
    const used = usedIn(at(update, "_meta", "usage"));
    if (used === undefined) return [];
    this.#answered = false;
    return [{ ...this.#add(used), requests: 1 }];
  }

  turnEnded(result: unknown): readonly Signal[] {
    const turn = this.#turn;
    this.#turn = NOTHING;
    this.#answered = false;
    const quota = at(result, "_meta", "quota");
    const used = usedIn(at(result, "usage") ?? at(quota, "token_count"));
    if (used === undefined || sumOf(used) < sumOf(turn)) return [];
    this.#model = textAt(listAt(quota, "model_usage")[0], "model") ?? this.#model;
    const more = {
      tokensIn: used.tokensIn - turn.tokensIn,
      cachedIn: used.cachedIn - turn.cachedIn,
      tokensOut: used.tokensOut - turn.tokensOut,
    };
    if (Object.values(more).every((count) => count === 0)) return [];
    // What it has cost was reported before, with all that it is for.
    return [{ ...this.#signal(more), ...(this.#reportsMoney ? { usd: 0 } : {}) }];
  }

  #add(used: Used): UsagePiece {
    this.#turn = {
      tokensIn: this.#turn.tokensIn + used.tokensIn,
      cachedIn: this.#turn.cachedIn + used.cachedIn,
      tokensOut: this.#turn.tokensOut + used.tokensOut,
    };
    return this.#signal(used);
  }

  #signal(used: Used): UsagePiece {
    const model = this.#model?.slice(0, 200);
    return { kind: "usage", ...used, ...(model === undefined ? {} : { model }) };
  }

  #money(usd: number | undefined): readonly Signal[] {
    if (usd === undefined || usd <= this.#usdBefore) return [];
    this.#reportsMoney = true;
    return [{ kind: "usage", usdTotal: usd - this.#usdBefore }];
  }
}

type UsagePiece = Used & { readonly kind: "usage"; readonly model?: string };

const sumOf = ({ tokensIn, tokensOut }: Used): number => tokensIn + tokensOut;

const usdIn = (update: unknown): number | undefined =>
  textAt(update, "cost", "currency") === "USD" ? numberAt(update, "cost", "amount") : undefined;

/** Whether what was cached is a part of the input, and what was thought a part of the output, only the total shows. */
function usedIn(usage: unknown): Used | undefined {
  const count = (...names: string[]): number =>
    names.reduce((sum, name) => sum + (numberAt(usage, name) ?? 0), 0);
  const input = count("inputTokens", "input_tokens");
  const cachedIn = count("cachedReadTokens");
  const output = count("outputTokens", "output_tokens");
  const apart = input + count("cachedReadTokens", "cachedWriteTokens") + output + count("thoughtTokens");
  const total = numberAt(usage, "totalTokens") ?? apart;
  if (total === 0) return undefined;
  const tokensOut = total >= apart ? output + count("thoughtTokens") : output;
  return { tokensIn: Math.max(0, total - tokensOut), cachedIn, tokensOut };
}
