import type { MissionState } from "../../model/mission/mission-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import { whyClosed } from "./barriers.ts";
import { launchEvents, whyNoLaunch } from "./launch.ts";
import {
  done,
  refused,
  type MissionAnswer,
  type MissionAsker,
  type MissionAsking,
} from "./mission-answers.ts";
import { unsafeRetry } from "./retry-safety.ts";
import { isDone, isFailed, isSkipped, launchedDependents, missingNeeds } from "./workstreams.ts";

/** Launches a workstream that is ready, or retries exactly one that has failed. */
export function launch(
  state: MissionState,
  { workstream, retry }: { readonly workstream: string; readonly retry: boolean },
  { asker, facts }: MissionAsking,
): MissionAnswer {
  const one = Object.hasOwn(state.goals, workstream) ? state.goals[workstream] : undefined;
  if (one === undefined) return unknownWorkstream(state, workstream);
  const run = one.runs.at(-1);
  // Only what is recorded here is late: the run itself has got there.
  if (retry && isFailed(one) && run !== undefined && (facts.children.get(run.run)?.work ?? null) !== null)
    return {
      ...{ kind: "done", text: `${workstream} is done in ${run.run}: nothing is launched`, events: [] },
      warning: `the mission has not recorded it yet; it does with the next look`,
    };
  const held = whyNoLaunch(state, facts.now);
  if (held !== null) return refused(retry ? "not_retryable" : "held", held);
  if (retry) {
    const unsafe = unsafeRetry(state, one, { ...facts, alone: true });
    if (unsafe !== null) return refused(unsafe.reason, unsafe.text);
  } else if (one.status !== "queued")
    return refused(
      "launched",
      isFailed(one)
        ? `${workstream} has failed: launch it with --retry`
        : `${workstream} was launched already (${run?.run ?? one.end?.kind ?? ""})`,
    );
  const missing = missingNeeds(state, one);
  if (missing.length > 0) return refused("needs", `${workstream} waits for ${missing.join(", ")}`);
  const events = launchEvents(state, one, { ...asker, wave: null, now: facts.now });
  return events.length === 0
    ? refused("budget", "everything that is left of the budget is promised to others at work")
    : done(`${workstream} is ${retry ? "launched again" : "launched"}`, ...events);
}

const unknownWorkstream = (state: MissionState, id: string): MissionAnswer =>
  refused(
    "unknown",
    `the mission "${state.name}" has no workstream "${id}"; it has ${Object.keys(state.goals).join(", ")}`,
  );

/** Leaves a workstream out. */
export function skip(state: MissionState, id: string, asker: MissionAsker): MissionAnswer {
  const one = Object.hasOwn(state.goals, id) ? state.goals[id] : undefined;
  if (one === undefined) return unknownWorkstream(state, id);
  if (isSkipped(one)) return done(`${id} is left out already`);
  if (one.accepted !== null) return refused("accepted", `${id} is accepted already`);
  if (one.asked !== null) return refused("accepting", `${id} is being accepted just now`);
  const dependents = isDone(one) ? launchedDependents(state, id) : [];
  if (dependents.length > 0)
    return refused(
      "dependents_dispatched",
      `${dependents.join(", ")} built on ${id} and was launched already`,
    );
  const run = one.runs.at(-1);
  const isOpen = run !== undefined && !isDone(one) && (run.status === null || !isEnded(run.status));
  return done(
    `${id} is left out`,
    ...(isOpen ? [{ type: "RunsAsked" as const, data: { what: "cancel" as const, runs: [run.run] } }] : []),
    { type: "WorkstreamSkipped", data: { ...asker, workstream: id } },
  );
}

/** Lets a barrier pass that is not kept by work alone. */
export function pass(state: MissionState, name: string, asker: MissionAsker): MissionAnswer {
  const barrier = Object.hasOwn(state.spec?.barriers ?? {}, name) ? state.spec?.barriers[name] : undefined;
  if (barrier === undefined)
    return refused(
      "unknown",
      `the mission "${state.name}" has no barrier "${name}"; it has ${Object.keys(state.spec?.barriers ?? {}).join(", ") || "none"}`,
    );
  if (Object.hasOwn(state.barriers, name)) return done(`${name} is open already`);
  const held = whyClosed(state, barrier);
  if (held?.why === "waits") return refused("needs", `${name} ${held.text}`);
  return done(`${name} is open`, { type: "BarrierOpened", data: { ...asker, barrier: name } });
}
