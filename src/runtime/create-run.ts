import { evolve } from "../decide/evolve.ts";
import { Fault } from "../model/fault.ts";
import type { EventData, RunEvent } from "../model/events.ts";
import { flowProblems } from "../model/flow-problems.ts";
import { isName } from "../model/ids.ts";
import type { Leases } from "./leases.ts";
import type { Rooms } from "./rooms.ts";

export interface RunOrder extends EventData<"RunCreated"> {
  /** Chosen by the caller, or drawn. */
  readonly id?: string;
}

export interface CreatedRun {
  readonly run: string;
  readonly epoch: number;
}

/** Writes a run's first event under a lease that the caller then holds: nobody can take the run before its creator lets go. */
export async function createRun(rooms: Rooms, leases: Leases, order: RunOrder): Promise<CreatedRun> {
  const { id, ...data } = order;
  const run = id ?? rooms.world.id("run");
  checkOrder(run, data);
  const taken = await leases.take(run);
  if (taken.kind === "held") throw exists(run);
  const now = rooms.world.now();
  const event: RunEvent = { type: "RunCreated", data };
  const state = evolve(null, event, { run, seq: 1, at: now });
  const outcome = await rooms.journal.append({
    run,
    expected: 0,
    epoch: taken.epoch,
    at: now,
    events: [event],
    listing: { status: state.status, goal: state.goal, wakeAt: null },
  });
  if (outcome.kind !== "appended") {
    await leases.release(run, taken.epoch);
    throw exists(run);
  }
  return { run, epoch: taken.epoch };
}

function checkOrder(run: string, data: EventData<"RunCreated">): void {
  if (!isName(run) || run.includes("/"))
    throw new Fault(
      "usage",
      `"${run}" cannot be a run's id: expected at most 120 letters, digits and . _ - beginning with a letter or digit`,
    );
  const problems = flowProblems(data.flow, data.agents);
  if (problems.length === 0) return;
  const list = problems.map(({ step, problem }) => `step "${step}": ${problem}`).join("; ");
  throw new Fault("config_invalid", `the flow "${data.flow.name}" cannot run: ${list}`);
}

const exists = (run: string): Fault =>
  new Fault(
    "refused",
    `there is a run "${run}" already; choose another --id, or see it with \`holdfast status ${run}\``,
  );
