import type { RunRequest } from "../../model/requests/requests.ts";
import type { Invocation } from "../shell/invocation.ts";
import { askAndWait } from "./accept-run.ts";
import { askRun } from "./ask-run.ts";
import { askToRestore } from "./restore-run.ts";
import { applyProposal } from "./settle-proposal.ts";

/** Several requests are made of one command: it is begun again, and each of them finds its own. */
export const canAnswerAgain = ({ kind }: RunRequest): boolean => kind !== "set" && kind !== "budget";

/**
 * Answers what a run was asked before under the same id. It is not worked out again from where the run stands now, which
 * the request itself may have changed: what was asked is in the inbox or the journal, and is taken from there.
 */
export function answerAgain(call: Invocation, run: string, request: RunRequest): Promise<number> {
  if (request.kind === "restore") return askToRestore(call, run, request);
  if (request.kind === "apply_proposal") return applyProposal(call, request.proposal);
  const isWork = request.kind === "commit" || (request.kind === "accept" && request.asDone !== true);
  return isWork ? askAndWait(call, run, request) : askRun(call, run, request);
}
