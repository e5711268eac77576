import type { ChildFact } from "../../decide/continuous/child-fact.ts";
import type { GoalRun } from "../../model/continuous/continuous-state.ts";
import { SPENDING_KINDS } from "../../model/continuous/continuous-spec.ts";
import { asFault, type FaultCode } from "../../model/fault.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import { exactKey } from "../../model/text/text-key.ts";
import { createRun, type RunOrder } from "../create-run.ts";
import type { Leases } from "../leases.ts";
import type { Ports } from "../ports.ts";

/** Faults of the order itself: to try again would end in the same way. */
const HOPELESS: readonly FaultCode[] = [
  "usage",
  "config_invalid",
  "untrusted",
  "not_found",
  "file_refused",
  "agent_missing",
];

interface ChildOrder {
  readonly run: Pick<GoalRun, "run" | "allowance">;
  readonly by: string;
  readonly order: () => Promise<RunOrder>;
  /** Around the run's first event. */
  readonly before: () => void;
  readonly after: () => void;
}

/**
 * Creates the run of a goal under the id that was recorded for it; what is there already is found. Answers why that can
 * never be, or null.
 */
export async function createChild(
  ports: Pick<Ports, "journal" | "world">,
  leases: Leases,
  { run, by, order, before, after }: ChildOrder,
): Promise<string | null> {
  try {
    const ordered = await order();
    const budget = { ...ordered.budget };
    for (const kind of SPENDING_KINDS) {
      const allowed = run.allowance[kind];
      if (allowed !== undefined) budget[kind] = Math.min(budget[kind] ?? Infinity, allowed);
    }
    before();
    const created = await createRun(ports, leases, { ...ordered, id: run.run, budget, by });
    after();
    await leases.release(created.run, created.epoch);
    return null;
  } catch (fault) {
    return whyNever(ports, { run: run.run, by }, fault);
  }
}

async function whyNever(
  { journal }: Pick<Ports, "journal">,
  { run, by }: { readonly run: string; readonly by: string },
  thrown: unknown,
): Promise<string | null> {
  const fault = asFault(thrown);
  if (HOPELESS.includes(fault.code)) return fault.message;
  if (fault.code !== "refused") throw fault;
  // It is there already, made by whoever decided this before; or somebody creates it at this very moment.
  const [created] = await journal.read(run, { after: 0, limit: 1 });
  return created?.type === "RunCreated" && created.data.by !== by
    ? `there is a run "${run}" of somebody else`
    : null;
}

/** A request whose id follows from what wants it: sent twice, it counts once. */
export interface OwedRequest {
  readonly id: string;
  readonly run: string;
  readonly request: RunRequest;
}

interface Owing {
  readonly runs: readonly GoalRun[];
  readonly atWork: readonly GoalRun[];
  readonly children: ReadonlyMap<string, ChildFact>;
}

/** What runs are to be asked by what is recorded. */
export const requestsOwed = ({ runs, atWork, children }: Owing): OwedRequest[] => [
  ...runs.flatMap(({ run, asked }): OwedRequest[] =>
    asked === null
      ? []
      : [{ id: `${run}.${asked.what}.${String(asked.seq)}`, run, request: { kind: asked.what } }],
  ),
  ...atWork.flatMap((run) => raisedOf(run, children.get(run.run))),
];

/** A budget that the run's own journal does not say yet. */
function raisedOf(run: GoalRun, fact: ChildFact | undefined): OwedRequest[] {
  if (fact === undefined || fact.waits?.reason !== "budget_exhausted") return [];
  const budget = Object.fromEntries(
    SPENDING_KINDS.flatMap((kind) => {
      const allowed = run.allowance[kind];
      return allowed !== undefined && (fact.budget[kind] ?? Infinity) < allowed ? [[kind, allowed]] : [];
    }),
  );
  if (Object.keys(budget).length === 0) return [];
  const id = `${run.run}.allowance.${exactKey(JSON.stringify(budget))}`;
  return [{ id, run: run.run, request: { kind: "budget", budget } }];
}
