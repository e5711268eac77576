import { isoTime } from "../../model/text/iso-time.ts";
import type { SharedResourceState } from "../../model/host/shared-resource.ts";
import { STORE_RESOURCE } from "../../model/host/resource-address.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { heldStep, troubledResources, type SharedResourceView } from "../status/status-shared-resources.ts";

/** A run that waits for something that it shares with others. */
export interface WaitingRun {
  readonly run: string;
  readonly step: string;
  readonly ground: string;
  /** When it goes on by itself; null where that is not known. */
  readonly until: string | null;
}

/** What was reported about an account, a host or a repository, whether or not it is in trouble. */
export interface SharedView {
  readonly ground: string;
  readonly kind: string;
  readonly name: string;
  readonly state: SharedResourceView["state"] | "fine";
  readonly heardAt: string;
  /** Failures in a row since it last worked. */
  readonly failures: number;
  readonly troubles: readonly {
    readonly at: string;
    readonly kind: string;
    readonly run: string;
    readonly attempt: string;
  }[];
  /** The incident that holds, and the attempts that suffer from it. */
  readonly incident: {
    readonly id: string;
    readonly cause: string;
    readonly since: string;
    readonly text: string;
    readonly members: readonly string[];
  } | null;
  readonly waiting: readonly WaitingRun[];
}

const SHOWN_MAX = 100;

export const waitingRuns = (states: Iterable<RunState>, now: number): WaitingRun[] =>
  [...states].flatMap((state): WaitingRun[] => {
    const held = heldStep(state, now);
    if (held === null || held.ground === null) return [];
    const until = Number.isFinite(held.until) ? isoTime(held.until) : null;
    return [{ run: state.run, step: held.name, ground: held.ground, until }];
  });

/** Everything that runs share, each with the runs that wait for it. */
export function sharedList(
  resources: readonly SharedResourceState[],
  waiting: readonly WaitingRun[],
  now: number,
): SharedView[] {
  const troubled = new Map(troubledResources(resources, now).map((view) => [view.ground, view.state]));
  return resources
    .filter(({ ground: resource }) => resource !== STORE_RESOURCE)
    .slice(0, SHOWN_MAX)
    .map((state) => ({
      ground: state.ground,
      kind: state.ground.slice(0, state.ground.indexOf(":")),
      name: state.ground.slice(state.ground.indexOf(":") + 1),
      state: troubled.get(state.ground) ?? "fine",
      heardAt: isoTime(state.at),
      failures: state.failures,
      troubles: state.troubles
        .slice(-SHOWN_MAX)
        .map(({ at, kind, run, attempt }) => ({ at: isoTime(at), kind, run, attempt })),
      incident: incidentOf(state),
      waiting: waiting.filter(({ ground: name }) => name === state.ground).slice(0, SHOWN_MAX),
    }));
}

function incidentOf({ incident }: SharedResourceState): SharedView["incident"] {
  if (incident === null) return null;
  const { id, cause, since, text, members } = incident;
  return { id, cause, since: isoTime(since), text, members: members.slice(0, SHOWN_MAX) };
}
