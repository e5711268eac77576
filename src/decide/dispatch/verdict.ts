import type { RunEvent } from "../../model/events/events.ts";
import type { RequestAnswer } from "../../model/requests/requests.ts";
import type { RunStatus } from "../../model/state/run-status.ts";

/** What a request changes, and what the asker receives. */
export interface Verdict {
  readonly changes: RunEvent[];
  readonly answer: RequestAnswer;
}

export const answered = (text: string, changes: RunEvent[] = []): Verdict => ({
  changes,
  answer: { kind: "done", text },
});

export const refusedFor = (text: string, allowed: readonly RunStatus[] = []): Verdict => ({
  changes: [],
  answer: { kind: "refused", text, allowedIn: [...allowed] },
});
