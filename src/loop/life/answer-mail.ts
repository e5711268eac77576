import { enoughForProgram } from "../../decide/budget/program-budget.ts";
import { moveBudgetScopes } from "../../fold/program/move-budget-scopes.ts";
import { allowedIn, isAllowed } from "../../decide/recovery/state-table.ts";
import { namedStep, notInDoubt, openDoubts, openWaits } from "../../decide/budget/program-tree.ts";
import { notFor } from "../../decide/requests/who-may.ts";
import { keyText } from "../../model/values/program-key.ts";
import type { InboxRow } from "../../journal/journal.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { Budget } from "../../model/requests/budget.ts";
import type { Principal } from "../../model/requests/principal.ts";
import type { RequestAnswer, RunRequest } from "../../model/requests/requests.ts";
import type { ProgramRun } from "../../model/state/run-state.ts";
import { saidOfDoubts } from "../scope/doubts.ts";
import type { DoubtAnswer } from "../scope/open-scope.ts";

/** What follows from a request to a workflow function, to be committed in the append that answers it. */
export interface MailVerdict {
  readonly changes: readonly RunEvent[];
  readonly answer: RequestAnswer;
  /** Steps in doubt about which something is known now. */
  readonly settled: readonly { readonly key: string; readonly answer: DoubtAnswer }[];
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

export function answerMail(state: Readonly<ProgramRun>, request: RunRequest, asker: MailAsker): MailVerdict {
  const notMeant = notFor(state, request, asker.principal);
  return notMeant === null ? answerAllowed(state, request, asker) : refused(notMeant);
}

/** `isAtWork` says whether this process is carrying out that step right now. */
type MailAsker = Asker & { readonly isAtWork: (key: string) => boolean };

function answerAllowed(
  state: Readonly<ProgramRun>,
  request: RunRequest,
  { by, at, isAtWork }: MailAsker,
): MailVerdict {
  if (!isAllowed(request.kind, state.status))
    return refused(`${request.kind} is refused: the run is ${state.status}`, allowedIn(request.kind));
  const doubts = state.program.doubts;
  switch (request.kind) {
    case "signal":
      return verdict(signalText(state, request.name), {
        changes: [{ type: "BodySignalled", data: { name: request.name, value: request.value } }],
      });
    case "cancel":
      return verdict("cancelling: the program receives the request", {
        changes: [{ type: "RunStopping", data: { to: "cancelled", stop: "operator" } }],
        cancels: true,
      });
    case "budget":
      return setBudget(state, { ...state.budget, ...request.budget }, by);
    case "settle":
      return settle(state, { ...saidOf(state, request, isAtWork), by, at });
    case "retry":
      return settle(state, {
        open: doubts,
        keys: request.step === undefined ? doubts : [request.step],
        answer: null,
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
    case "terminal":
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
        `${request.kind} is refused: the run is a workflow function of a program, which decides when it runs`,
      );
  }
}

/** A run that its budget had stopped goes on, unless what is named now is spent already. */
function setBudget({ program, blocked }: Readonly<ProgramRun>, budget: Budget, by: string): MailVerdict {
  const set: RunEvent = { type: "BodyBudgetSet", data: { budget, by } };
  if (blocked?.reason !== "budget_exhausted") return verdict("the budget is changed", { changes: [set] });
  const budgets = structuredClone(program.budgets);
  moveBudgetScopes(budgets, set);
  const [short] = enoughForProgram(budgets);
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

/** The step that is meant, of those of which something may be said: not of one that is being carried out. */
function saidOf(
  { run, program }: Readonly<ProgramRun>,
  { key, outcome, epoch }: Extract<RunRequest, { kind: "settle" }>,
  isAtWork: (key: string) => boolean,
): Pick<Settlement, "open" | "keys" | "answer"> {
  const open = openDoubts(program, epoch).filter((one) => !isAtWork(one));
  const answer = outcome.kind === "done" ? { done: outcome.value } : null;
  return { open, keys: [namedStep(run, key, open)], answer };
}

/**
 * A name that nobody waits for is no error: signals may come early. But the one that mistyped it sees what is waited
 * for.
 */
function signalText({ program }: Readonly<ProgramRun>, name: string): string {
  const open = openWaits(program);
  if (open.includes(name)) return `signal "${name}" is delivered`;
  return `signal "${name}" is kept until the run waits for it; it waits for: ${open.join(", ") || "nothing"}`;
}

interface Settlement {
  /** The steps of which something may be said. */
  readonly open: readonly string[];
  readonly keys: readonly string[];
  readonly answer: DoubtAnswer;
  readonly by: string;
  readonly at: number;
}

/** What a person says is recorded in the append that answers them: it holds even if nobody works the step just now. */
function settle(state: Readonly<ProgramRun>, { open, keys, answer, by, at }: Settlement): MailVerdict {
  const unknown = keys.find((key) => !open.includes(key));
  if (unknown !== undefined || keys.length === 0) return refused(notInDoubt(state.run, unknown ?? "", open));
  // Somebody who answered twice in a hurry did not speak of what happened since.
  const later = keys.find((key) => at < (state.program.doubtsAt[key] ?? 0));
  if (later !== undefined)
    return refused(
      `step "${keyText(later)}" has come into doubt again since that answer; look again and repeat it`,
    );
  return verdict(answer === null ? "it will be done again" : "taken as done", {
    changes: saidOfDoubts(state, keys, { answer, by }),
    settled: keys.map((key) => ({ key, answer })),
  });
}

/** A request as it is recorded, with what follows from it. */
export const received = (
  { id, by, principal }: Pick<InboxRow, "id" | "by"> & { readonly principal: Principal },
  request: RunRequest,
  { changes, answer }: MailVerdict,
): RunEvent[] => [
  { type: "RequestHeard", data: { requestId: id, request, by, principal } },
  ...changes,
  { type: "RequestAnswered", data: { requestId: id, answer } },
];
