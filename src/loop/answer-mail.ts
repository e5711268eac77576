import { enoughForBody, movePots } from "../decide/body-budget.ts";
import { allowedIn, isAllowed } from "../decide/state-table.ts";
import { notFor } from "../decide/who-may.ts";
import { keyText } from "../model/body-key.ts";
import type { RunEvent } from "../model/events.ts";
import type { Budget } from "../model/budget.ts";
import type { Principal } from "../model/principal.ts";
import type { RequestAnswer, RunRequest } from "../model/requests.ts";
import type { RunState } from "../model/run-state.ts";
import { saidOfDoubts } from "./doubts.ts";
import type { Told } from "./open-scope.ts";

/** What follows from a request to a body, to be committed in the append that answers it. */
export interface MailVerdict {
  readonly changes: readonly RunEvent[];
  readonly answer: RequestAnswer;
  /** Steps in doubt about which something is known now. */
  readonly settled: readonly { readonly key: string; readonly told: Told }[];
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

/** Who asks, and when they did. */
export interface Asker {
  readonly by: string;
  readonly at: number;
  readonly principal: Principal;
}

export function answerMail(state: Readonly<RunState>, request: RunRequest, asker: Asker): MailVerdict {
  const notMeant = notFor(state, request, asker.principal);
  return notMeant === null ? answerAllowed(state, request, asker) : refused(notMeant);
}

function answerAllowed(state: Readonly<RunState>, request: RunRequest, { by, at }: Asker): MailVerdict {
  if (!isAllowed(request.kind, state.status))
    return refused(`${request.kind} is refused: the run is ${state.status}`, allowedIn(request.kind));
  const doubts = state.body?.doubts ?? [];
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
      return setBudget(state, { ...state.budget, ...request.budget }, by);
    case "settle":
      return settle(state, {
        keys: [namedDoubt(request.key, doubts)],
        told: request.outcome.kind === "done" ? { done: request.outcome.value } : null,
        by,
        at,
      });
    case "retry":
      return settle(state, {
        keys: request.step === undefined ? doubts : [request.step],
        told: null,
        by,
        at,
      });
    case "commit":
    case "accept":
    case "pause":
    case "resume":
    case "reopen":
    case "approve":
    case "reject":
    case "tell":
    case "escalate":
    case "report":
    case "checkpoint_note":
    case "alarm":
    case "cancel_alarm":
    case "handoff":
    case "checkpoint":
    case "restore":
    case "reissue":
    case "reconcile":
    case "trust":
    case "set":
    case "apply_proposal":
    case "reject_proposal":
    case "unblock":
      return refused(
        `${request.kind} is refused: the run is a body of a program, which decides when it works`,
      );
  }
}

/** A run that its budget had stopped goes on, unless what is named now is spent already. */
function setBudget({ body, blocked }: Readonly<RunState>, budget: Budget, by: string): MailVerdict {
  const set: RunEvent = { type: "BodyBudgetSet", data: { budget, by } };
  if (blocked?.reason !== "budget_exhausted") return verdict("the budget is changed", { changes: [set] });
  const pots = structuredClone(body?.pots ?? {});
  movePots(pots, set);
  const [short] = enoughForBody(pots);
  return short === undefined
    ? verdict("the budget is changed and the run goes on", {
        changes: [set, { type: "RunUnblocked", data: {} }],
      })
    : verdict(
        `the budget is changed, but more than that is spent already; ${short} would let the run go on`,
        {
          changes: [set],
        },
      );
}

/** A person may leave out what is plain: the name alone, where one step in doubt has it. */
function namedDoubt(text: string, doubts: readonly string[]): string {
  const [only, ...others] = doubts.filter((key) => keyText(key) === text);
  return only !== undefined && others.length === 0 && !doubts.includes(text) ? only : text;
}

interface Settlement {
  readonly keys: readonly string[];
  readonly told: Told;
  readonly by: string;
  readonly at: number;
}

/** What a person says is recorded in the append that answers them: it holds even if nobody works the step just now. */
function settle(state: Readonly<RunState>, { keys, told, by, at }: Settlement): MailVerdict {
  const { body } = state;
  const doubts = body?.doubts ?? [];
  const unknown = keys.find((key) => !doubts.includes(key));
  if (unknown !== undefined || keys.length === 0)
    return refused(
      `no step "${unknown === undefined ? "" : keyText(unknown)}" is in doubt; in doubt are: ${doubts.join(", ") || "none"}`,
    );
  // Somebody who answered twice in a hurry did not speak of what happened since.
  const later = keys.find((key) => at < (body?.doubtsAt[key] ?? 0));
  if (later !== undefined)
    return refused(
      `step "${keyText(later)}" has come into doubt again since that was said; look once more and say it anew`,
    );
  return verdict(told === null ? "it will be done again" : "taken as done", {
    changes: saidOfDoubts(state, keys, { told, by }),
    settled: keys.map((key) => ({ key, told })),
  });
}
