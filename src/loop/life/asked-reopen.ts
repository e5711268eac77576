import type { Journal } from "../../journal/journal.ts";
import { notFor } from "../../decide/requests/who-may.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { claimedPrincipal } from "../../model/requests/principal.ts";
import { readRequest } from "../../model/requests/read-request.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { Fault } from "../../model/fault.ts";
import type { LoadedRun } from "../../runtime/load-run.ts";
import type { Asked } from "../ask-run.ts";
import { reopened } from "./body-end.ts";
import { appendOwned } from "./owned-run.ts";
import type { HoldfastPorts } from "../run-options.ts";

export interface AskedReopen {
  readonly events: RunEvent[];
  readonly consumed: string[];
}

/** What follows if somebody asked for a failed or cancelled run to be tried again; null if nobody did. */
export async function askedReopen(journal: Journal, state: RunState): Promise<AskedReopen | null> {
  if (state.body === null || (state.status !== "failed" && state.status !== "cancelled")) return null;
  for (const row of await journal.inbox(state.run)) {
    const read = readRequest(row);
    if (read.kind === "refused") continue;
    const { request } = read;
    if (request.kind !== "retry" && request.kind !== "reopen") continue;
    const principal = claimedPrincipal(row.principal, row.by);
    // What an agent may not ask for is refused by the body that is opened next.
    if (notFor(state, request, principal) !== null) continue;
    const answer = { kind: "done", text: "the run goes on; what it failed of is done again" } as const;
    return {
      events: [
        { type: "RequestHeard", data: { requestId: row.id, request, by: row.by, principal } },
        ...reopened(state, row.by),
        { type: "RequestAnswered", data: { requestId: row.id, answer } },
      ],
      consumed: [row.id],
    };
  }
  return null;
}

/** Lets a failed or cancelled run that nobody holds be tried again. */
export async function reopenRun(
  ports: HoldfastPorts,
  { id, known, epoch }: { readonly id: string; readonly known: LoadedRun | null; readonly epoch: number },
): Promise<Asked> {
  if (known === null) throw new Fault("not_found", `there is no run "${id}" to reopen`);
  const { state } = known;
  if (state.status !== "failed" && state.status !== "cancelled")
    throw new Fault("refused", `${id} is ${state.status}; only failed or cancelled runs are reopened`);
  await appendOwned(ports, state, epoch, reopened(state, "reopen"));
  return { kind: "decided", text: `${id} may be tried again; hf.run or hf.resumeAll goes on with it` };
}
