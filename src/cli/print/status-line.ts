import { isOver } from "../../model/state/step-over.ts";
import { printableLine } from "../../model/text/printable.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { statusHealth, type StatusHealth } from "../../views/status/status-health.ts";
import type { Tone } from "./event-tone.ts";
import { shortTimes } from "./local-times.ts";
import { durationText } from "./time-text.ts";

/** What is waited for, in words. */
const WAITED: Readonly<Record<string, string>> = {
  limit: "the limit of its provider",
  provider: "its provider",
  guard: "the pause after crashes",
  host: "the host",
  person: "you",
  permission: "a permission",
  extension: "more time",
  tool: "a tool",
  model: "its model",
};

/** Where the run stands, in one line: step, health, what is waited for and until when, usage, how much is done. */
export function statusLine(
  state: Readonly<RunState> | undefined,
  { last, used }: { readonly last: string; readonly used: string },
  nowMs = Date.now(),
): string {
  if (state === undefined) return printableLine(last);
  const steps = Object.values(state.steps);
  const live = Object.values(state.attempts).map(({ step, number }) => `${step} #${String(number)}`);
  const parts = [
    live.length > 0 ? live.join(", ") : state.status,
    healthText(statusHealth(state, nowMs), nowMs),
    used,
    `${String(steps.filter(isOver).length)}/${String(steps.length)} steps`,
    durationText(nowMs - state.createdAt),
  ];
  return printableLine(parts.filter((part) => part !== "").join(" · "));
}

function healthText({ state, pattern, waitsFor, until }: StatusHealth, nowMs: number): string {
  if (waitsFor === undefined) return pattern === null ? state : `${state} (${pattern.replaceAll("_", " ")})`;
  const end = until === undefined ? "" : ` until ${shortTimes(until, nowMs)}`;
  return `waits for ${WAITED[waitsFor] ?? waitsFor}${end}`;
}

export function statusTone(state: Readonly<RunState> | undefined, nowMs = Date.now()): Tone {
  const health = state === undefined ? "healthy" : statusHealth(state, nowMs).state;
  if (health === "healthy") return "faint";
  return health === "stuck" || health === "crashed" ? "bad" : "care";
}
