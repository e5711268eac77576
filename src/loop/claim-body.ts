import type { RunEvent } from "../model/events.ts";
import { Fault } from "../model/fault.ts";
import { isEnded } from "../model/run-status.ts";
import type { LoadedRun } from "../runtime/load-run.ts";
import { asJson } from "./json-value.ts";
import { appendOwned } from "./owned-run.ts";
import type { PinnedBody } from "./registered-bodies.ts";
import type { HoldfastRooms, RunOptions } from "./run-options.ts";

interface ClaimOrder {
  readonly id: string;
  /** How the function is registered, if it is. */
  readonly pinned: PinnedBody | undefined;
  readonly options: RunOptions<unknown>;
  readonly known: LoadedRun | null;
}

/** Begins the run in its journal, or takes it over: what is on disk afterwards says who works it, and since which epoch. */
export async function claimBody(
  rooms: HoldfastRooms,
  { id, pinned, options, known }: ClaimOrder,
  epoch: number,
): Promise<LoadedRun> {
  const { leases } = rooms;
  const claim: RunEvent = {
    type: "RunClaimed",
    data: { owner: leases.owner.id, epoch, from: known === null ? "nobody" : "gone" },
  };
  if (known !== null) {
    if (isEnded(known.state.status)) return known;
    if (known.state.body === null)
      throw new Fault("refused", `${id} is a run of agents, not of a body; choose another id`);
    // A body that had diverged may have been mended: it is tried.
    const isTried = known.state.blocked?.reason === "diverged";
    const unblock: RunEvent[] = isTried ? [{ type: "RunUnblocked", data: {} }] : [];
    await appendOwned(rooms, known.state, epoch, [claim, ...unblock]);
    return known;
  }
  const { name = null, version } = pinned ?? {};
  const input = asJson(options.input ?? null, `the input of ${id}`);
  const created: RunEvent = {
    type: "BodyCreated",
    data: {
      body: name,
      version,
      input,
      budget: options.budget ?? {},
      limits: options.limits,
      by: "program",
    },
  };
  const state = await appendOwned(rooms, null, epoch, [created, claim, { type: "RunStarted", data: {} }], {
    id,
  });
  return { state, snapshotSeq: 0, snapshotBytes: 0, bytesSince: 0 };
}
