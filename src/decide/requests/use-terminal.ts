import type { RunRequest } from "../../model/requests/requests.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { answered, refusedFor, type Verdict } from "../dispatch/verdict.ts";

/** A person at an agent's terminal. The record is the request itself; it changes nothing else of the run. */
export function useTerminal(
  state: RunState,
  { attempt: id, act }: Extract<RunRequest, { kind: "terminal" }>,
): Verdict {
  if (act === "give_back") return answered(`the terminal of ${id} was given back`);
  const attempt = state.attempts[id];
  if (attempt === undefined || attempt.exit !== null)
    return refusedFor(`the terminal is refused: ${id} is not at work any more`);
  return answered(
    act === "take" ? `the terminal of ${id} was taken over` : `typed into the terminal of ${id}`,
  );
}
