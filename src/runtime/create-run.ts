import { evolve } from "../fold/evolve.ts";
import { Fault } from "../model/fault.ts";
import type { EventData, RunEvent } from "../model/events/events.ts";
import { flowProblems } from "../model/flow/flow-problems.ts";
import { isName } from "../model/ids.ts";
import { runCreatedSchema } from "../model/events/run-created.ts";
import type { ProcessIdentity } from "../model/world.ts";
import type { Leases } from "./leases.ts";
import type { Ports } from "./ports.ts";

export interface RunOrder extends EventData<"RunCreated"> {
  /** Chosen by the caller, or drawn. */
  readonly id?: string;
}

export interface CreatedRun {
  readonly run: string;
  readonly epoch: number;
}

/** Writes a run's first event under a lease that the caller then holds: nobody can take the run before its creator lets go. */
export async function createRun(
  ports: Pick<Ports, "journal" | "world">,
  leases: Leases,
  order: RunOrder,
): Promise<CreatedRun> {
  const { id, ...data } = order;
  const run = id ?? ports.world.id("run");
  checkOrder(run, data);
  const taken = await leases.take(run);
  if (taken.kind === "held")
    throw (await ports.journal.head(run)) === null ? begun(run, taken.lease.owner?.process) : exists(run);
  const now = ports.world.now();
  const event: RunEvent = { type: "RunCreated", data };
  const state = evolve(null, event, { run, seq: 1, at: now });
  const outcome = await ports.journal.append({
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
  checkSettings(data);
  const problems = flowProblems(data.flow, data.agents);
  if (problems.length === 0) return;
  const list = problems.map(({ step, problem }) => `step "${step}": ${problem}`).join("; ");
  throw new Fault("config_invalid", `the flow "${data.flow.name}" cannot run: ${list}`);
}

const CHECKED = runCreatedSchema.pick({ settings: true, budget: true });

/** What is recorded here is read by every supervisor to come: what does not fit would stop them, not the caller. */
function checkSettings({ settings, budget }: EventData<"RunCreated">): void {
  const { error } = CHECKED.safeParse({ settings, budget });
  if (error === undefined) return;
  const list = error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
  throw new Fault(
    "config_invalid",
    `the settings of the run do not fit: ${list}; \`holdfast config schema\` shows what is expected`,
  );
}

/** The one that holds the lease of a run that has no event yet is about to create it, or died when it was. */
const begun = (run: string, holder: ProcessIdentity | undefined): Fault =>
  new Fault(
    "refused",
    `${holder === undefined ? "another process" : `process ${String(holder.pid)} on ${holder.host}`} is creating a run "${run}" just now, or died meanwhile; try again in a moment, or choose another --id`,
    { retry: "later" },
  );

const exists = (run: string): Fault =>
  new Fault(
    "refused",
    `there is a run "${run}" already; choose another --id, or see it with \`holdfast status ${run}\``,
  );
