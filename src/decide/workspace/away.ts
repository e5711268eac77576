import type { Effect } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { HomeHost } from "../../model/host/supervision.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { Rule, Rules } from "../rules/rule.ts";
import { fetchFiles, isComing } from "./fetch-files.ts";
import { shownRemote } from "./left-behind.ts";

/**
 * A run whose files are on another host. While that host lives, the run is left to it. Once it is gone, the run is
 * moved here with the copy of its files that is on the remote, or blocked by name; nothing of it is touched or charged, and
 * it continues when that host is back (F2).
 */
export const isAway = ({ claim }: RunState): boolean => claim.away !== undefined;

/** Whether something of the run is in files that only its home has. */
export const hasFiles = ({ steps, workspace, checkpoints, guards }: RunState): boolean =>
  workspace.worktree !== null ||
  Object.values(steps).some(({ started }) => started > 0) ||
  [workspace.trees, checkpoints, guards].some((things) => Object.keys(things).length > 0);

/** The host that has the run's files, where that is another one than the given; null where the run may be worked here. */
export function homeElsewhere(state: RunState, here: HomeHost): HomeHost | null {
  const { home } = state.claim;
  return home === undefined || home.id === here.id || !hasFiles(state) ? null : home;
}

/** Whether the run was blocked for want of its home, and that is here. */
export const isBack = ({ claim, blocked }: RunState, here: HomeHost): boolean =>
  claim.waits === true && blocked?.reason === "host_lost" && claim.home?.id === here.id;

/** What needs no files. */
const AWAY_RULES: ReadonlySet<string> = new Set(["escalation", "request", "notice", "away"]);
export const AWAY_PERFORMED: ReadonlySet<Effect["kind"]> = new Set(["Notify", "FetchFiles"]);

export function rulesFor(state: RunState, rules: Rules): Rules {
  if (!isAway(state)) return rules;
  const isComingHere = isComing(state);
  return rules.filter(({ name }: Rule) => AWAY_RULES.has(name) && !(isComingHere && name === "request"));
}

export function decideAway(state: RunState, now: number): RunEvent[] {
  const { claim, status, blocked, attempts } = state;
  if (claim.away === undefined)
    return claim.waits === true && blocked?.reason === "host_lost"
      ? [{ type: "RunUnblocked", data: {} }]
      : [];
  const fetching = fetchFiles(state, now);
  if (fetching !== null) return fetching;
  if (status !== "queued" && status !== "running" && status !== "pausing") return [];
  const attemptKept = Object.keys(attempts).length > 0;
  const detail = `the files of the run are on ${claim.home?.name ?? "another host"}, which is gone${whyHere(state)}; start Holdfast there (\`holdfast up\`) and the run continues by itself`;
  return [
    { type: "RunBlocked", data: { blocked: { reason: "host_lost", detail, attemptKept, guidance: [] } } },
  ];
}

/** Why the run does not go on with the copy of its files; empty where none was to be made. */
export function whyHere({ settings, claim, upload: { last, fetch } }: RunState): string {
  const { remote } = settings.workspace;
  const here = claim.away?.name ?? "this host";
  if (remote === undefined) return "";
  if (last === null) return `, and no copy of them is on ${shownRemote(remote)} yet`;
  if (claim.missing.length > 0) return `, and ${here} cannot use their copy: ${claim.missing.join("; ")}`;
  return `, and their copy on ${shownRemote(remote)} could not be fetched to ${here}: ${fetch.failure}; it is tried again`;
}
