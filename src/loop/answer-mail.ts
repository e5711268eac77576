import { allowedIn, isAllowed } from "../decide/state-table.ts";
import { keyText } from "../model/body-key.ts";
import type { RunEvent } from "../model/events.ts";
import type { RequestAnswer, RunRequest } from "../model/requests.ts";
import type { RunState } from "../model/run-state.ts";

/** What follows from a request to a body, to be committed in the append that answers it. */
export interface MailVerdict {
  readonly changes: readonly RunEvent[];
  readonly answer: RequestAnswer;
  /** Steps in doubt about which something is known now; null: do it again. */
  readonly settled: readonly { readonly key: string; readonly answer: { done: unknown } | null }[];
  readonly cancels: boolean;
}

const verdict = (text: string, more: Partial<MailVerdict> = {}): MailVerdict => ({
  changes: [],
  answer: { kind: "done", text },
  settled: [],
  cancels: false,
  ...more,
});

const refused = (text: string, allowedIn: readonly string[] = []): MailVerdict =>
  verdict("", { answer: { kind: "refused", text, allowedIn: [...allowedIn] } });

export function answerMail(
  state: Readonly<RunState>,
  request: RunRequest,
  doubts: readonly string[],
): MailVerdict {
  if (!isAllowed(request.kind, state.status))
    return refused(`${request.kind} is refused: the run is ${state.status}`, allowedIn(request.kind));
  switch (request.kind) {
    case "signal":
      return verdict(`signal "${request.name}" is delivered`, {
        changes: [{ type: "BodySignalled", data: { name: request.name, value: request.value } }],
      });
    case "cancel":
      return verdict("cancelling: the body is told", {
        changes: [{ type: "RunStopping", data: { to: "cancelled", stop: "operator" } }],
        cancels: true,
      });
    case "budget":
      return verdict("the budget is changed", {
        changes: [
          { type: "BodyBudgetSet", data: { budget: request.budget, by: "request" } },
          ...(state.blocked?.reason === "budget_exhausted"
            ? [{ type: "RunUnblocked", data: {} } as const]
            : []),
        ],
      });
    case "settle":
      return settle(
        [request.key],
        doubts,
        request.outcome.kind === "done" ? { done: request.outcome.value } : null,
      );
    case "retry":
      return settle(request.step === undefined ? doubts : [request.step], doubts, null);
    case "pause":
    case "resume":
    case "reopen":
    case "approve":
    case "reject":
    case "escalate":
    case "unblock":
      return refused(
        `${request.kind} is refused: the run is a body of a program, which decides when it works`,
      );
  }
}

function settle(
  keys: readonly string[],
  doubts: readonly string[],
  answer: { done: unknown } | null,
): MailVerdict {
  const unknown = keys.find((key) => !doubts.includes(key));
  if (unknown !== undefined || keys.length === 0)
    return refused(
      `no step "${unknown === undefined ? "" : keyText(unknown)}" is in doubt; in doubt are: ${doubts.join(", ") || "none"}`,
    );
  const left = doubts.filter((key) => !keys.includes(key));
  const cleared =
    answer === null
      ? keys.map((key): RunEvent => ({ type: "BodyStepCleared", data: { key, by: "request" } }))
      : [];
  return verdict(answer === null ? "it will be done again" : "taken as done", {
    changes: [...cleared, ...(left.length === 0 ? [{ type: "RunUnblocked", data: {} } as const] : [])],
    settled: keys.map((key) => ({ key, answer })),
  });
}
