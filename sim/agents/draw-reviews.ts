import type { EventData } from "../../src/model/events/events.ts";
import type { Step } from "../../src/model/flow/flow.ts";
import type { Signal } from "../../src/model/agent/signals.ts";
import { TRIAGE_VERDICTS } from "../../src/model/effects/effect-outcome.ts";
import type { ScriptLine } from "./sim-agent-script.ts";

type Order = EventData<"RunCreated">;
type Chance = () => number;

const MINUTE = 60_000;

/** Gives steps reviewers, and the run somebody who is asked about stuck agents, where that is wanted. */
export function withAdvisers(
  order: Order,
  { advisers = false }: { readonly advisers?: boolean },
  chance: Chance,
): Order {
  if (!advisers) return order;
  const steps = order.flow.steps.map((step) => ({ ...step, ...drawReviewers(step, chance) }));
  const agents = { ...order.agents, critic: { use: "demo" }, insider: { use: "function" } } as const;
  const triage = {
    ...order.settings.triage,
    ...(chance() < 0.7 ? { agent: "critic" } : {}),
    limitMs: MINUTE * (1 + Math.floor(chance() * 3)),
    below: 1,
  };
  const review = { ...order.settings.review, limitMs: MINUTE * (1 + Math.floor(chance() * 10)) };
  return {
    ...order,
    agents,
    flow: { ...order.flow, steps },
    settings: { ...order.settings, triage, review },
  };
}

function drawReviewers({ authority }: Step, chance: Chance): Partial<Step> {
  if (authority !== "writes" || chance() < 0.5) return {};
  return { reviewers: chance() < 0.6 ? ["critic"] : chance() < 0.5 ? ["insider"] : ["critic", "insider"] };
}

/** Whether a session is asked about the work of others, and how. */
export const decideOf = (attempt: string): "review" | "triage" | null =>
  attempt.endsWith(".review") ? "review" : attempt.endsWith(".triage") ? "triage" : null;

/** What somebody says who is asked: mostly an answer, sometimes a word, and sometimes nothing for ever. */
export function drawAnswer(kind: "review" | "triage", chance: Chance, misbehaves: number): ScriptLine[] {
  let afterMs = 0;
  const later = (signal: Signal, most: number): ScriptLine => {
    afterMs += Math.floor(chance() * most);
    return { afterMs, signal };
  };
  const lines = [
    later({ kind: "ready" }, 2_000),
    later({ kind: "usage", tokensIn: 50, tokensOut: 10, usd: 0.001 }, MINUTE),
  ];
  const roll = chance();
  if (roll < misbehaves * 0.3) return lines;
  if (roll < misbehaves * 0.6) return [...lines, later({ kind: "exit", how: "code", code: 1 }, MINUTE)];
  const text = roll < misbehaves ? "looks good to me" : JSON.stringify(answer(kind, chance));
  return [
    ...lines,
    later({ kind: "result", ok: true, text }, MINUTE),
    later({ kind: "exit", how: "code", code: 0 }, 2_000),
  ];
}

function answer(kind: "review" | "triage", chance: Chance): unknown {
  const why = "simulated";
  if (kind === "triage") return { verdict: TRIAGE_VERDICTS[Math.floor(chance() * 3)], why };
  return chance() < 0.8
    ? { verdict: "pass", findings: [] }
    : { verdict: "fail", findings: [{ severity: "high", text: why }] };
}
