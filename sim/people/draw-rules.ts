import type { EventData } from "../../src/model/events/events.ts";
import { HOOK_POINTS, type Hook } from "../../src/model/flow/hook.ts";
import { POLICY_ACTIONS, type Policy } from "../../src/model/flow/policy.ts";

type Order = EventData<"RunCreated">;
type Chance = () => number;

const MINUTE = 60_000;

const oneOf = <Item>(items: readonly Item[], chance: Chance): Item =>
  items[Math.floor(chance() * items.length)] as Item;

/** Gives a run rules of every kind, and hooks at any point, where that is wanted. */
export function withRules(
  order: Order,
  { rules = false }: { readonly rules?: boolean },
  chance: Chance,
): Order {
  if (!rules) return order;
  const names = order.flow.steps.map(({ name }) => name);
  const policies = Array.from({ length: Math.floor(chance() * 4) }, (_, nth) =>
    drawPolicy(names, nth, chance),
  );
  const hooks = Array.from({ length: Math.floor(chance() * 4) }, (_, nth) => drawHook(names, nth, chance));
  return { ...order, settings: { ...order.settings, policies, hooks } };
}

/** Agents use a cent and several hundred tokens each, and answer once or a few times. */
function drawPolicy(steps: readonly string[], nth: number, chance: Chance): Policy {
  const rules: readonly Partial<Policy>[] = [
    { maxTurns: 1 + Math.floor(chance() * 3) },
    { maxUsd: 0.01 * (1 + Math.floor(chance() * 3)) },
    { maxTokens: 300 * (1 + Math.floor(chance() * 5)) },
    { sameInARow: 1 + Math.floor(chance() * 3) },
    { forbidsAgent: oneOf(["outside", "inside"], chance) },
    { requires: { step: oneOf(steps, chance), status: "succeeded" } },
  ];
  return {
    name: `rule-${String(nth)}`,
    then: oneOf(POLICY_ACTIONS, chance),
    ...oneOf(rules, chance),
    ...(chance() < 0.5 ? { step: oneOf(steps, chance) } : {}),
  };
}

const drawHook = (steps: readonly string[], nth: number, chance: Chance): Hook => ({
  name: `hook-${String(nth)}`,
  at: oneOf(HOOK_POINTS, chance),
  run: `hook ${String(nth)}`,
  limitMs: MINUTE,
  onFailure: chance() < 0.5 ? "block" : "warn",
  idempotent: chance() < 0.5,
  ...(chance() < 0.3 ? { step: oneOf(steps, chance) } : {}),
});
