import { notFor } from "../../decide/requests/who-may.ts";
import { evolve } from "../../fold/evolve.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Asked } from "../ask-run.ts";
import { reopened } from "./program-end.ts";
import type { HoldfastPorts } from "../run-options.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { Fault, invariant } from "../../model/fault.ts";
import { claimedPrincipal } from "../../model/requests/principal.ts";
import { readRequest } from "../../model/requests/read-request.ts";
import type { ProgramRun, RunState } from "../../model/state/run-state.ts";
import type { World } from "../../model/world.ts";
import type { Leases } from "../../runtime/leases.ts";
import { type LoadedRun, openRun } from "../../runtime/load-run.ts";

interface OwningPorts {
  readonly journal: Journal;
  readonly world: World;
  readonly leases: Leases;
}

export type OwnedWork<Value> = (known: LoadedRun | null, epoch: number) => Promise<Value>;

interface LeasedOrder<Value> {
  readonly id: string;
  /** The run as it was read before the lease was taken: it counts if nobody wrote since. */
  readonly before: LoadedRun | null;
  readonly work: OwnedWork<Value>;
  /** Gives the epoch of the run's lease once it is taken. */
  readonly take: () => Promise<number>;
  /** False when the one that closes the store lets go of the lease instead. */
  readonly letsGo: () => boolean;
}

/** Works under the run's lease, and lets go of it everything that happens. */
export async function workUnderLease<Value>(
  { journal, leases }: OwningPorts,
  { id, before, work, take, letsGo }: LeasedOrder<Value>,
): Promise<Value> {
  const epoch = await take();
  try {
    const head = await journal.head(id);
    const unchanged = (head?.seq ?? 0) === (before?.state.seq ?? 0);
    return await work(unchanged ? before : await openRun(journal, id), epoch);
  } finally {
    if (letsGo()) await leases.release(id, epoch);
  }
}

/** Writes to a run that is owned, outside of any life of its workflow function. */
export async function appendOwned(
  { journal, world }: OwningPorts,
  state: RunState | null,
  epoch: number,
  events: RunEvent[],
  { id = state?.run ?? "", consumed = [] }: { id?: string; consumed?: readonly string[] } = {},
): Promise<RunState> {
  const at = world.now();
  const expected = state?.seq ?? 0;
  const after = events.reduce<RunState | null>(
    (fold, event, index) => evolve(fold, event, { run: id, seq: expected + index + 1, at }),
    state,
  );
  if (after === null) throw new Fault("broken_promise", `nothing was written to ${id}`);
  const listing = { status: after.status, goal: after.goal, wakeAt: null };
  const outcome = await journal.append({ run: id, expected, epoch, at, events, consumed, listing });
  if (outcome.kind !== "appended")
    throw new Fault("closed", `${id} was taken by another process`, { retry: "later" });
  return after;
}

interface AskedReopen {
  readonly events: RunEvent[];
  readonly consumed: string[];
}

/** What follows if somebody asked for a failed or cancelled run to be tried again; null if nobody did. */
export async function askedReopen(journal: Journal, state: RunState): Promise<AskedReopen | null> {
  if (state.kind === "supervised" || (state.status !== "failed" && state.status !== "cancelled")) return null;
  for (const row of await journal.inbox(state.run)) {
    const read = readRequest(row);
    if (read.kind === "refused") continue;
    const { request } = read;
    if (request.kind !== "retry" && request.kind !== "reopen") continue;
    const principal = claimedPrincipal(row.principal, row.by);
    // What an agent may not ask for is refused by the workflow function that is opened next.
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
  await appendOwned(ports, state, epoch, reopened(programRun(state), "reopen"));
  return { kind: "decided", text: `${id} may be tried again; hf.run or hf.resumeAll goes on with it` };
}

/** What goes on from here was refused where the run is one of agents. */
export function programRun(state: RunState): ProgramRun {
  invariant(state.kind === "program", `${state.run} is a run of agents`);
  return state;
}
