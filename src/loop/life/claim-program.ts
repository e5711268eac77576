import { ClockWatch } from "../../model/host/clock-watch.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { Fault } from "../../model/fault.ts";
import { isEnded } from "../../model/state/run-status.ts";
import type { LoadedRun } from "../../runtime/load-run.ts";
import { checkKeys, checkNamed, checkRunOptions, misused, shown } from "../check-run-options.ts";
import { asJson } from "../scope/json-value.ts";
import { appendOwned } from "./owned-run.ts";
import type { PinnedProgram } from "../registered-programs.ts";
import type { HoldfastPorts, RunOptions } from "../run-options.ts";

interface ClaimOrder {
  readonly id: string;
  /** How the function is registered, if it is. */
  readonly pinned: PinnedProgram | undefined;
  readonly options: RunOptions<unknown>;
  readonly known: LoadedRun | null;
}

/** Begins the run in its journal, or takes it over: what is on disk afterwards says who works it, and since which epoch. */
export async function claimProgram(
  ports: HoldfastPorts,
  { id, pinned, options, known }: ClaimOrder,
  epoch: number,
): Promise<LoadedRun> {
  const { leases } = ports;
  const clocks = new ClockWatch(ports.world, known?.state.clockRead ?? null);
  const claim: RunEvent = {
    type: "RunClaimed",
    data: { owner: leases.owner.id, epoch, from: known === null ? "nobody" : "gone", ...clocks.read() },
  };
  if (known !== null) {
    if (isEnded(known.state.status)) return known;
    if (known.state.kind === "supervised")
      throw new Fault("refused", `${id} is a run of agents, not of a workflow function; choose another id`);
    // A workflow function that had diverged may have been mended: it is tried.
    const isTried = known.state.blocked?.reason === "diverged";
    const next: RunEvent[] = isTried ? [{ type: "RunUnblocked", data: {} }] : [];
    if (known.state.status === "queued") next.push({ type: "RunStarted", data: {} });
    // What was to last so long goes on by the clock as it is now.
    const jumps = clocks.jumps(ports.world.now());
    await appendOwned(ports, known.state, epoch, [...jumps, claim, ...next]);
    return known;
  }
  const started: RunEvent = { type: "RunStarted", data: {} };
  const state = await appendOwned(ports, null, epoch, [createdEvent(id, pinned, options), claim, started], {
    id,
  });
  return { state, snapshotSeq: 0, snapshotBytes: 0, bytesSince: 0 };
}

/** Begins the run in its journal for whichever worker takes it first. */
export async function recordProgram(ports: HoldfastPorts, order: ClaimOrder, epoch: number): Promise<void> {
  const { id, pinned, options, known } = order;
  if (known === null) await appendOwned(ports, null, epoch, [createdEvent(id, pinned, options)], { id });
}

function createdEvent(id: string, pinned: PinnedProgram | undefined, options: RunOptions<unknown>): RunEvent {
  const { name = null, version } = pinned ?? {};
  const input = asJson(options.input ?? null, `the input of ${id}`);
  const { budget = {}, limits } = options;
  return { type: "BodyCreated", data: { body: name, version, input, budget, limits, by: "program" } };
}

export function checkStart(id: unknown, name: unknown, options: unknown): void {
  const call = `hf.start("${String(id)}")`;
  checkNamed(call, name, `hf.start("${String(id)}", "triage", { input })`);
  const { version, ...given } = checkKeys(call, options, ["input", "budget", "limits", "version"]);
  checkRunOptions(id, () => undefined, given);
  if (version !== undefined && (!Number.isSafeInteger(version) || Number(version) < 1))
    throw misused(call, `version: ${shown(version)}`, "a whole number above 0");
}
