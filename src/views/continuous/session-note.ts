import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import { continuousView, type ContinuousView } from "./continuous-view.ts";

/** A continuous session in one line, for what shows a whole store. */
export interface SessionNote extends Pick<
  ContinuousView,
  "session" | "status" | "blockedBy" | "counts" | "command"
> {
  readonly text: string;
  /** The runs that it follows now. */
  readonly runs: readonly string[];
}

export function sessionNote(state: ContinuousState, now: number, store: string | null): SessionNote {
  const view = continuousView(state, now, store);
  const { session, status, blockedBy, counts, command } = view;
  const runs = view.goals.flatMap((goal) =>
    goal.run !== null && (goal.status === "at_work" || goal.status === "waiting") ? [goal.run] : [],
  );
  return { session, status, blockedBy, counts, command, runs, text: `continuous session ${noteText(view)}` };
}

function noteText({ session, status, blockedBy, stoppedBy, pausedBy, counts }: ContinuousView): string {
  const [first] = blockedBy;
  const by = stoppedBy ?? pausedBy;
  const stands = by === null ? status : `${status} by ${by}`;
  if (first === undefined) return `${session}: ${stands} (${countsText(counts)})`;
  const others = blockedBy.length === 1 ? "" : ` and ${String(blockedBy.length - 1)} more`;
  // By its policy it goes on with other goals.
  const held = status === "blocked" ? "blocked by" : `${stands}; needs you for`;
  return `${session}: ${held} ${first.run}${others} (${first.reason}: ${first.detail})`;
}

export const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${String(count)} ${name.replaceAll("_", " ")}`)
    .join(", ") || "none";
