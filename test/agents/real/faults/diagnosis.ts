import type { Recorded } from "../../../../src/model/events/events.ts";
import type { FailureClass } from "../../../../src/model/agent/failure.ts";
import type { Pattern } from "../../../../src/model/agent/health.ts";

/** What Holdfast made of a trouble: of what an agent was stuck, that it waited for a limit or a person, or how it failed. */
export type Diagnosis = `stuck: ${Pattern}` | "limit" | "person" | "timed out" | FailureClass;

/** Every diagnosis that a journal holds, in the order in which they were made first. */
export function diagnosesIn(events: readonly Recorded[]): Diagnosis[] {
  const found = events.flatMap(diagnosisOf);
  return [...new Set(found)];
}

function diagnosisOf(event: Recorded): Diagnosis[] {
  if (event.type === "HealthChanged") {
    const { state, pattern, waitsFor } = event.data;
    if (state === "stuck" && pattern !== null) return [`stuck: ${pattern}`];
    return waitsFor === "limit" || waitsFor === "person" ? [waitsFor] : [];
  }
  if (event.type === "AttemptEnded" && event.data.outcome === "timed_out") return ["timed out"];
  const failed =
    event.type === "AttemptEnded" || event.type === "StepFailed" ? event.data.failure : undefined;
  if (failed === undefined) return [];
  return [failed.class === "rate_limited" ? "limit" : failed.class];
}

/** How many calls an agent had made, and how long it had been at work, when it was first called stuck. */
export function firstStuck(
  events: readonly Recorded[],
): { readonly calls: number; readonly ms: number } | null {
  const started = events.find(({ type }) => type === "AttemptStarted");
  const at = events.findIndex((event) => event.type === "HealthChanged" && event.data.state === "stuck");
  const stuck = events[at];
  if (started === undefined || stuck === undefined) return null;
  const calls = events
    .slice(0, at)
    .flatMap((event) => (event.type === "SignalsHeard" ? event.data.signals : []))
    .filter(({ kind }) => kind === "tool_call").length;
  return { calls, ms: stuck.at - started.at };
}
