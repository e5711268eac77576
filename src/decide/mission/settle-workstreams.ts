import { isEnded } from "../../model/state/run-status.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { MissionState, WorkstreamRun, WorkstreamState } from "../../model/mission/mission-state.ts";
import type { BlockedReason } from "../../model/requests/blocked.ts";
import type { MissionFacts } from "./mission-facts.ts";
import { isFailed, isSkipped, workstreamsOf } from "./workstreams.ts";

/** Blocks with which a run is as good as failed: nothing that a person says would let it go on as it is. */
const FAILED_BLOCKS: readonly BlockedReason[] = ["retries_exhausted", "dispatch_error", "crash_loop"];

/** Ends workstreams by what has become of their runs; a run that gets there after all has got there. */
export function settleRule(state: MissionState, facts: MissionFacts): RunEvent[] {
  for (const one of workstreamsOf(state)) {
    const run = one.runs.at(-1);
    if (run === undefined || isSkipped(one)) continue;
    const events = one.status === "issued" ? settle(one, run, facts) : review(one, run, facts);
    if (events.length > 0) return events;
  }
  return [];
}

function settle(
  { goal: { id } }: WorkstreamState,
  run: WorkstreamRun,
  { children, refused }: MissionFacts,
): RunEvent[] {
  const fact = children.get(run.run);
  const text = refused.get(run.run);
  if (fact === undefined)
    return text === undefined
      ? []
      : [{ type: "WorkstreamFailed", data: { workstream: id, run: run.run, end: "not_started", text } }];
  if (fact.work !== null)
    return [{ type: "WorkstreamFinished", data: { workstream: id, run: run.run, work: fact.work } }];
  const failed = isEnded(run.status ?? "queued") || isFailedBlock(run);
  if (!failed || run.status === "completed") return [];
  const end = run.status === "cancelled" ? "cancelled" : "failed";
  const why = run.failure ?? run.waits?.detail ?? `the run ${run.run} is ${run.status ?? "gone"}`;
  return [{ type: "WorkstreamFailed", data: { workstream: id, run: run.run, end, text: why } }];
}

const isFailedBlock = ({ waits }: WorkstreamRun): boolean =>
  (FAILED_BLOCKS as readonly string[]).includes(waits?.reason ?? "");

/** What failed may have got there since, by a person's help; what is done may have been worked on, until it is accepted. */
function review(one: WorkstreamState, run: WorkstreamRun, { children }: MissionFacts): RunEvent[] {
  const work = children.get(run.run)?.work ?? null;
  if (work === null) return [];
  if (isFailed(one))
    return [
      { type: "WorkstreamFinished", data: { workstream: one.goal.id, run: run.run, work, late: true } },
    ];
  return one.accepted === null && one.asked === null && one.work !== null && one.work.commit !== work.commit
    ? [{ type: "WorkstreamFinished", data: { workstream: one.goal.id, run: run.run, work } }]
    : [];
}
