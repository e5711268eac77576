import type { Signal } from "../../model/agent/signals.ts";

/** What was tried with an agent, and what of it was recognised. */
export interface TrialFacts {
  readonly signals: readonly Signal[];
  /** It was ended because its time was over. */
  readonly timedOut: boolean;
  /** Why it did not begin. */
  readonly startFailure: string | null;
}

/** One thing that an agent shows of itself. */
export interface Recognised {
  readonly what: "start" | "prompt" | "busy" | "calls" | "usage" | "context" | "dialog" | "session" | "end";
  readonly seen: boolean;
  readonly detail: string;
}

/** What was recognised of an agent, thing by thing. */
export function trialReport({ signals, timedOut, startFailure }: TrialFacts): readonly Recognised[] {
  const all = <Kind extends Signal["kind"]>(kind: Kind): Extract<Signal, { kind: Kind }>[] =>
    signals.filter((signal): signal is Extract<Signal, { kind: Kind }> => signal.kind === kind);
  const calls = all("tool_call");
  const row = (what: Recognised["what"], details: readonly string[]): Recognised => ({
    what,
    seen: details.length > 0,
    detail: details.join("; ") || "not recognised",
  });
  const busy = all("progress").length + all("message").length + all("speaking").length;
  const questions = [
    ...all("permission").map(({ what }) => what),
    ...all("question").map(({ text }) => text),
  ];
  return [
    startFailure === null
      ? row("start", ["it was started"])
      : { what: "start", seen: false, detail: startFailure },
    row("prompt", all("ready").length === 0 ? [] : ["it was ready for its task"]),
    row("busy", busy === 0 ? [] : [`${String(busy)} messages and lines of progress`]),
    row("calls", calls.length === 0 ? [] : [`${String(calls.length)} calls: ${namesOf(calls)}`]),
    row("usage", usageText(all("usage"))),
    row(
      "context",
      all("context")
        .slice(-1)
        .map(({ usedPct }) => `${usedPct.toFixed(1)} % full`),
    ),
    row(
      "dialog",
      questions.map((text) => text.slice(0, 200)),
    ),
    row(
      "session",
      all("conversation")
        .slice(-1)
        .map(({ id }) => id),
    ),
    endRow(all("result"), all("exit"), timedOut),
  ];
}

const namesOf = (calls: readonly { readonly name: string }[]): string =>
  [...new Set(calls.map(({ name }) => name))].slice(0, 8).join(", ");

/** Tokens that were reported, whichever way: one by one, or as a total. */
export function tokensIn(signals: readonly Signal[]): number {
  let [sum, total] = [0, 0];
  for (const signal of signals) {
    if (signal.kind !== "usage") continue;
    sum += (signal.tokensIn ?? 0) + (signal.tokensOut ?? 0);
    total = Math.max(total, (signal.tokensInTotal ?? 0) + (signal.tokensOutTotal ?? 0));
  }
  return Math.max(sum, total);
}

function usageText(usage: readonly Extract<Signal, { kind: "usage" }>[]): string[] {
  const tokens = tokensIn(usage);
  const usd = usage.reduce((sum, one) => Math.max(sum + (one.usd ?? 0), one.usdTotal ?? 0), 0);
  return [...(tokens > 0 ? [`${String(tokens)} tokens`] : []), ...(usd > 0 ? [`$${usd.toFixed(4)}`] : [])];
}

function endRow(
  results: readonly Extract<Signal, { kind: "result" }>[],
  exits: readonly Extract<Signal, { kind: "exit" }>[],
  timedOut: boolean,
): Recognised {
  const claim = results.at(-1);
  const exit = exits.at(-1);
  const words =
    claim === undefined
      ? "no claim"
      : `${claim.ok ? "claims success" : "says it failed"}: ${claim.text.slice(0, 200)}`;
  const how = exit === undefined ? "" : `; exit ${String(exit.code ?? exit.signal ?? exit.how)}`;
  if (timedOut)
    return { what: "end", seen: false, detail: `it had not ended when its time was over; ${words}` };
  return {
    what: "end",
    seen: exit !== undefined,
    detail: exit === undefined ? "not recognised" : `${words}${how}`,
  };
}
