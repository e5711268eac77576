import { dollars } from "../../views/text/cost-text.ts";
import type { Recorded } from "../../model/events/events.ts";
import type { UsageSignal } from "../../model/agent/signals.ts";
import { addUsage, nothingUsed, usedIn, type UsageCount } from "../../model/agent/usage-count.ts";

/**
 * What the agents of a run have used so far, from what they show: calls of tools, tokens, money, and how full the
 * context of each is. Money is shown only where an agent reports it: none reported is not none spent.
 */
export class UsageMeter {
  #calls = 0;
  readonly #used = new Map<string, UsageCount>();
  readonly #usd = new Map<string, number>();
  readonly #contexts = new Map<string, number>();

  /** Answers whether tokens, money or a context came with the event. */
  observe(event: Recorded): boolean {
    if (event.type === "AttemptEnded") this.#contexts.delete(event.data.attempt);
    if (event.type !== "SignalsHeard") return false;
    let reported = false;
    for (const signal of event.data.signals) {
      if (signal.kind === "tool_call") this.#calls += 1;
      if (signal.kind === "context") this.#contexts.set(event.data.attempt, signal.usedPct);
      if (signal.kind === "usage") this.#count(event.data.attempt, signal);
      reported ||= signal.kind === "context" || signal.kind === "usage";
    }
    return reported;
  }

  #count(attempt: string, signal: UsageSignal): void {
    const used = this.#used.get(attempt) ?? nothingUsed();
    this.#used.set(attempt, used);
    addUsage(used, signal);
    const usd =
      signal.usdTotal ?? (signal.usd === undefined ? undefined : signal.usd + (this.#usd.get(attempt) ?? 0));
    if (usd !== undefined) this.#usd.set(attempt, usd);
  }

  /** In one short line: `3 calls · 12.4k tokens · $0.03 · context 42 %`; empty while nothing was reported. */
  text(): string {
    const tokens = sum([...this.#used.values()].map(tokensIn));
    const contexts = [...this.#contexts.values()].map((pct) => `${String(Math.round(pct))} %`);
    return [
      ...(this.#calls === 0 ? [] : [`${String(this.#calls)} call${this.#calls === 1 ? "" : "s"}`]),
      ...(tokens === 0 ? [] : [`${countText(tokens)} tokens`]),
      ...(this.#usd.size === 0 ? [] : [dollars(sum([...this.#usd.values()]))]),
      ...(contexts.length === 0 ? [] : [`context ${contexts.join(", ")}`]),
    ].join(" · ");
  }
}

const sum = (amounts: readonly number[]): number => amounts.reduce((total, one) => total + one, 0);

function tokensIn(count: UsageCount): number {
  const used = usedIn(count);
  return used.tokensIn + used.tokensOut;
}

/** 950, 12.4k, 3.1M. */
function countText(count: number): string {
  if (count < 1_000) return String(count);
  return count < 999_950 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
