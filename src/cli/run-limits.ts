import type { Budget } from "../model/budget.ts";
import { durationMs } from "../model/duration.ts";
import { Fault } from "../model/fault.ts";

/** The limits of a run that its command line names. */
export function timeoutOf(text: string | undefined): { readonly runMs?: number } {
  if (text === undefined) return {};
  const runMs = durationMs(text);
  if (runMs > 0) return { runMs };
  throw new Fault("usage", `--timeout "${text}" is no time to work; expected one such as --timeout 2h`);
}

export function budgetOf(text: string | undefined): Budget {
  if (text === undefined) return {};
  const usd = Number(text);
  if (text.trim() !== "" && Number.isFinite(usd) && usd > 0) return { usd };
  throw new Fault(
    "usage",
    `--budget "${text}" is no amount; expected dollars such as --budget 5 or --budget 2.50`,
  );
}
