import type { System } from "../../main.ts";
import type { HostConfig } from "../../model/settings/host-config.ts";
import { Fault } from "../../model/fault.ts";
import { CONFIGURED, dayBudgetSchema, type DayBudget } from "../../model/host/store-resource.ts";
import { dayText } from "../../views/status/store-view.ts";
import { ensureSupervisor } from "../supervise/detached-supervisor.ts";
import { EXIT } from "../shell/define-command.ts";
import type { Invocation } from "../shell/invocation.ts";
import { personOnly } from "../ask/who-asks.ts";

const KEYS: Readonly<Record<string, "usd" | "tokens">> = {
  "budget.day.usd": "usd",
  "budget.day.tokens": "tokens",
};

/** Words such as `budget.day.usd=40`, as changes of the budget that all runs share. */
export function dayChanges(words: readonly string[]): DayBudget {
  const changes: { usd?: number; tokens?: number } = {};
  for (const word of words) {
    const [key = "", text = ""] = word.split(/=(.*)/s);
    const kind = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    const expected = "expected budget.day.usd=AMOUNT or budget.day.tokens=AMOUNT";
    if (kind === undefined)
      throw new Fault("usage", `"${key}" cannot be set for all runs; ${expected}`, { details: { key } });
    const parsed = dayBudgetSchema.safeParse({ [kind]: text.trim() === "" ? Number.NaN : Number(text) });
    if (!parsed.success) throw new Fault("usage", `${word}: no amount above 0; ${expected}`);
    Object.assign(changes, parsed.data);
  }
  if (Object.keys(changes).length === 0) throw new Fault("usage", "expected budget.day.usd=AMOUNT");
  return changes;
}

/** Sets what all runs of the store may spend in one day; runs that lacked only that continue. */
export function setForAll(call: Invocation, words: readonly string[]): Promise<number> {
  const changes = dayChanges(words);
  return call.withSystem("create", async (system) => {
    const by = await personOnly(call, system, "set what all runs may spend");
    const since = await call.plan("store", () => system.store.seq());
    const order = { by, ...call.asked, ...(call.isRepeated ? { since } : {}) };
    const { day, stop } = await system.store.setDay(order, (before) => ({ ...before, ...changes }));
    const { journal } = system.ports;
    const working = await journal.runs({ statuses: ["queued", "running", "pausing"] });
    const supervisor = working.length === 0 || stop !== null ? null : await ensureSupervisor(call, system);
    call.output.document({ day, supervisor });
    if (day !== null) call.output.line(dayText(day));
    return EXIT.done;
  });
}

/** A configuration that names a budget of the day sets it once: what a person sets afterwards stays. */
export async function publishDay(
  { budget: { day } }: HostConfig,
  system: Pick<System, "store">,
): Promise<void> {
  if (day === undefined || Object.keys(day).length === 0) return;
  const known = (await system.store.standing()).day?.configured;
  if (JSON.stringify(known) !== JSON.stringify(day)) await system.store.setDay({ by: CONFIGURED }, () => day);
}
