import type { EventData } from "../../model/events/events.ts";

const short = (commit: string): string => commit.slice(0, 12);

/** The events of missions in words. */
export const DESCRIBE_MISSION = {
  MissionBegun: ({ by, spec }: EventData<"MissionBegun">): string =>
    `mission begun by ${by}: ${String(spec.workstreams.length)} workstreams in ${Object.keys(spec.repositories).join(", ")}`,
  WorkstreamLaunched: ({ workstream, run, retry, wave, by }: EventData<"WorkstreamLaunched">): string =>
    `workstream ${workstream} is ${retry ? "launched again" : "launched"} by ${by} as ${run}${wave === null ? "" : `, in wave ${String(wave)}`}`,
  WorkstreamFinished: ({ workstream, work, late }: EventData<"WorkstreamFinished">): string =>
    `workstream ${workstream} is done: ${work.commit === null ? "nothing was changed" : short(work.commit)}${late === true ? ", after it had counted as failed" : ""}`,
  WorkstreamFailed: ({ workstream, end, text }: EventData<"WorkstreamFailed">): string =>
    `workstream ${workstream} ended as ${end}: ${text}`,
  WorkstreamSkipped: ({ workstream, by }: EventData<"WorkstreamSkipped">): string =>
    `workstream ${workstream} is left out by ${by}`,
  BarrierOpened: ({ barrier, by }: EventData<"BarrierOpened">): string =>
    `the barrier ${barrier} is open${by === undefined ? "" : `: ${by} lets it pass`}`,
  AutopilotSet: ({ by, autopilot }: EventData<"AutopilotSet">): string =>
    `the autopilot was started by ${by}${autopilot.autoRetry ? `, with ${String(autopilot.retries)} retries per workstream` : ""}`,
  AutopilotStopped: ({ reason, text }: EventData<"AutopilotStopped">): string =>
    `the autopilot stops (${reason}): ${text}`,
  WaveBegun: ({ wave, workstreams }: EventData<"WaveBegun">): string =>
    `wave ${String(wave)}: ${workstreams.join(", ")}`,
  MissionApproved: ({ by, work, digest }: EventData<"MissionApproved">): string =>
    `${by} approved the work of ${Object.keys(work).join(", ")} (${digest.slice(0, 6)})`,
  AcceptancePrepared: ({ plan }: EventData<"AcceptancePrepared">): string =>
    `everything is prepared: ${plan.map(({ workstream, how }) => `${workstream} by ${how.replace("_", " ")}`).join(", ")}`,
  AcceptanceHeld: ({ block }: EventData<"AcceptanceHeld">): string =>
    `the acceptance is held (${block.kind}): ${block.detail}; ${block.command}`,
  AcceptanceAsked: ({ workstream, run }: EventData<"AcceptanceAsked">): string =>
    `${run} is asked to have the work of ${workstream} taken in`,
  WorkstreamAccepted: ({ workstream, commit, into, found }: EventData<"WorkstreamAccepted">): string =>
    `the work of ${workstream} (${short(commit)}) is in ${into}${found === true ? " already" : ""}`,
  AcceptanceLost: ({ workstream, text }: EventData<"AcceptanceLost">): string =>
    `the work of ${workstream} is not accepted any more: ${text}`,
  MissionReplanned: ({ by, spec, dropped }: EventData<"MissionReplanned">): string =>
    `${by} planned the rest again: ${String(spec.workstreams.length)} workstreams; dropped: ${dropped.join(", ") || "nothing"}`,
  WorkPushed: ({ by, repository, commit }: EventData<"WorkPushed">): string =>
    `${by} had ${repository} pushed, with ${commit.slice(0, 12)}`,
  MissionPaused: ({ by }: EventData<"MissionPaused">): string => `the mission was paused by ${by}`,
  MissionResumed: ({ by }: EventData<"MissionResumed">): string => `the mission was resumed by ${by}`,
  MissionStopped: ({ by }: EventData<"MissionStopped">): string =>
    `stopped by ${by}: nothing starts, and runs at work are paused`,
  MissionEnded: ({ text }: EventData<"MissionEnded">): string => `the mission is over: ${text}`,
};
