import type { Autopilot } from "../../model/mission/mission-events.ts";
import type { MissionSpec } from "../../model/mission/mission-spec.ts";
import type { MissionState, WorkstreamState } from "../../model/mission/mission-state.ts";
import { exactKey } from "../../model/text/text-key.ts";
import { isSameJson } from "../../model/values/pointed.ts";
import { launch, pass, skip } from "./ask-workstream.ts";
import { leftToAccept } from "./found-work.ts";
import {
  done,
  refused,
  type MissionAnswer,
  type MissionAsker,
  type MissionAsking,
  type MissionRequest,
} from "./mission-answers.ts";
import type { MissionFacts } from "./mission-facts.ts";
import { reconcileEvents } from "./reconcile.ts";
import { replanMission } from "./replan-mission.ts";
import { isAllDone, isDone, isSkipped, workShown, workstreamsOf } from "./workstreams.ts";

/** Answers a request by what is recorded and what was found, and says what is to be recorded of it. */
export function answerMission(
  state: MissionState,
  request: MissionRequest,
  { asker, facts }: MissionAsking,
): MissionAnswer {
  // A server that was killed before it could answer is asked the same again.
  if (asker.request !== undefined && state.requests.includes(asker.request))
    return done("it was done before, by this same request");
  if (request.kind === "begin") return begin(state, request.spec, asker);
  if (state.spec === null) return refused("unknown", `there is no mission "${state.name}"`);
  if (request.kind === "reconcile") return reconcile(state, facts);
  if (request.kind === "pushed") return pushed(state, request, asker);
  if (state.end !== null) return refused("over", `the mission is over: ${state.end.text}`);
  switch (request.kind) {
    case "pause":
      return pause(state, asker);
    case "resume":
      return state.stop === null && state.pause === null
        ? done("the mission is at work already")
        : done("the mission goes on", { type: "MissionResumed", data: { ...asker } });
    case "stop":
      return state.stop === null
        ? done("the mission is stopped: nothing starts, and its runs at work are paused", {
            type: "MissionStopped",
            data: { ...asker },
          })
        : done(`the mission was stopped already by ${state.stop.by}`);
    case "launch":
      return launch(state, request, { asker, facts });
    case "skip":
      return skip(state, request.workstream, asker);
    case "pass":
      return pass(state, request.barrier, asker);
    case "autopilot":
      return autopilot(state, request.autopilot, asker);
    case "autopilot_off":
      return state.autopilot === null
        ? done("the autopilot is off already")
        : done("the autopilot is off: runs at work go on", {
            type: "AutopilotStopped",
            data: { reason: "operator", text: `stopped by ${asker.by}` },
          });
    case "approve":
      return approve(state, request.digest, asker);
    case "replan":
      return replanMission(state, request.spec, asker);
  }
}

function begin(state: MissionState, spec: MissionSpec, asker: MissionAsker): MissionAnswer {
  if (state.spec === null)
    return done("the mission has begun", { type: "MissionBegun", data: { ...asker, spec } });
  if (!isSameJson(withoutStand(state.spec), withoutStand(spec)))
    return refused(
      "exists",
      `there is a mission "${state.name}" with other workstreams; choose another --name`,
    );
  if (state.end !== null)
    return refused("over", `the mission is over: ${state.end.text}; choose another --name to begin again`);
  return done("the mission is there already; nothing has changed");
}

/** Where repositories stood when the file was read does not make it another mission. */
const withoutStand = ({ repositories, ...spec }: MissionSpec): unknown => ({
  ...spec,
  repositories: Object.fromEntries(Object.entries(repositories).map(([name, { path }]) => [name, path])),
});

function pause(state: MissionState, asker: MissionAsker): MissionAnswer {
  if (state.stop !== null)
    return done(`the mission is stopped by ${state.stop.by}: it starts nothing anyway`);
  if (state.pause !== null) return done("the mission is paused already");
  return done("the mission is paused: runs at work go on, nothing else starts", {
    type: "MissionPaused",
    data: { ...asker },
  });
}

function autopilot(state: MissionState, settings: Autopilot, asker: MissionAsker): MissionAnswer {
  if (state.acceptance !== null)
    return refused("accepting", "the work of the mission is being accepted: nothing is launched any more");
  if (isAllDone(state))
    return refused("ready_to_accept", "every workstream is done: look at the work and approve it");
  const on = state.autopilot;
  const isSame =
    on !== null && (Object.keys(settings) as (keyof Autopilot)[]).every((key) => on[key] === settings[key]);
  if (isSame) return done("the autopilot is on already");
  return done("the autopilot is on", { type: "AutopilotSet", data: { ...asker, autopilot: settings } });
}

/** What a person has seen is what is approved: its digest names it. */
export const workDigest = (state: MissionState): string => exactKey(JSON.stringify(workShown(state)));

function approve(state: MissionState, digest: string | undefined, asker: MissionAsker): MissionAnswer {
  if (!isAllDone(state)) {
    const left = workstreamsOf(state).filter((one: WorkstreamState) => !isDone(one) && !isSkipped(one));
    return refused(
      "not_ready",
      `${left.map(({ goal }) => goal.id).join(", ")} ${left.length === 1 ? "is" : "are"} not done`,
    );
  }
  const shown = workDigest(state);
  if (digest !== undefined && !shown.startsWith(digest))
    return refused("outdated", `the work is ${shown} by now, not ${digest}: look at it again`);
  if (leftToAccept(state).length === 0) return done("there is nothing left to accept");
  if (state.acceptance?.digest === shown && state.acceptance.block === null)
    return done("the work is approved already");
  return done("the work is approved", {
    type: "MissionApproved",
    data: { ...asker, digest: shown, work: workShown(state) },
  });
}

/** Also of a mission that is over: its work is pushed then. */
const pushed = (
  state: MissionState,
  { repository, commit }: { readonly repository: string; readonly commit: string },
  asker: MissionAsker,
): MissionAnswer =>
  state.pushed[repository] === commit
    ? done(`${repository} was pushed already`)
    : done(`${repository} is pushed`, { type: "WorkPushed", data: { ...asker, repository, commit } });

function reconcile(state: MissionState, facts: MissionFacts): MissionAnswer {
  const events = reconcileEvents(state, facts);
  return done(
    events.length === 0 ? "nothing differs" : "what the repositories and runs say is recorded",
    ...events,
  );
}
