import { firstInLine } from "../../decide/dispatch/ready-queue.ts";
import { holdOf } from "../../decide/resources/shared-resources.ts";
import { commandText } from "../../model/text/command-text.ts";
import type { SharedResourceState } from "../../model/host/shared-resource.ts";
import { sharedResourceText } from "../../model/host/resource-address.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { incidentText, pauseText } from "../text/describe-shared-resource.ts";

/** An account, a host or a repository that is in trouble, as people are shown it. */
export interface SharedResourceView {
  readonly ground: string;
  /** `paused`: nothing is started; `trying`: one run goes first; `open`: it works, what it suffered from is not over. */
  readonly state: "paused" | "trying" | "open";
  readonly why: string | null;
  readonly until: string | null;
  readonly text: string;
  readonly incident: string | null;
  /** What ends the pause; null where there is none. */
  readonly command: string | null;
}

function viewOf(
  resource: string,
  { pause, incident }: Pick<SharedResourceState, "pause" | "incident">,
  { now, store }: { readonly now: number; readonly store: string | null },
): SharedResourceView | null {
  const standing = pause !== null && pause.reopenedAt === null ? pause : null;
  if (standing === null && incident === null) return null;
  const state = standing === null ? "open" : now < standing.until ? "paused" : "trying";
  const waits = state === "paused" && standing !== null ? `, ${countdown(standing.until - now)}` : "";
  const text =
    standing === null
      ? `${sharedResourceText(resource)} is open`
      : `${pauseText(resource, standing)}${waits}`;
  const command = standing === null ? null : commandText(["unpause", resource], store);
  const suffered = incident === null ? text : `${text}; ${incidentText(incident)}`;
  return {
    ground: resource,
    state,
    why: standing?.why ?? null,
    until: standing === null ? null : isoTime(standing.until),
    text: state === "paused" && command !== null ? `${suffered}; end the pause with ${command}` : suffered,
    incident: incident?.id ?? null,
    command,
  };
}

/** Long after a pause nobody has asked, nothing is known of a shared resource any more. */
const FORGOTTEN_MS = 24 * 3_600_000;

/** What is in trouble in a store, for `runs` and `inbox`. */
export const troubledResources = (
  resources: readonly SharedResourceState[],
  now: number,
  store: string | null = null,
): SharedResourceView[] =>
  resources
    .filter(({ at, pause }) => now - Math.max(at, pause?.until ?? 0) < FORGOTTEN_MS)
    .flatMap((state) => viewOf(state.ground, state, { now, store }) ?? []);

/** What a run knows of what it shares with others. */
export const sharedResourcesSeen = (
  state: RunState,
  now: number,
  store: string | null = null,
): SharedResourceView[] =>
  Object.entries(state.sharedResources).flatMap(([resource, { news }]) => {
    const incident = news.incident === null ? null : { ...news.incident, members: [], lastAt: 0 };
    const pause = news.pause === null ? null : { ...news.pause, successes: 0 };
    return viewOf(resource, { pause, incident }, { now, store }) ?? [];
  });

export interface HeldStep {
  readonly name: string;
  readonly until: number;
  readonly ground: string | null;
}

/** A step that is ready and kept from being started; null for none. */
export function heldStep(state: RunState, now: number): HeldStep | null {
  if (state.status !== "running") return null;
  for (const step of firstInLine(state)) {
    const hold = holdOf(state, step, now);
    if (hold !== null) return { name: step.spec.name, ...hold };
  }
  return null;
}

export function heldEvidence(state: RunState, now: number): string[] {
  const held = heldStep(state, now);
  const lines = sharedResourcesSeen(state, now).map(({ text }) => text);
  if (held === null) return lines;
  const what = held.ground === null ? "the crash guard" : sharedResourceText(held.ground);
  const until = held.until === Infinity ? "" : `, ${countdown(held.until - now)}`;
  return [`step ${held.name} waits for ${what}${until}`, ...lines];
}

/** `for 2 h 5 min more`. */
export function countdown(ms: number): string {
  if (ms <= 0) return "which is over";
  const minutes = Math.ceil(ms / 60_000);
  const hours = Math.floor(minutes / 60);
  if (hours > 0) return `for ${String(hours)} h ${String(minutes % 60)} min more`;
  return ms < 60_000 ? `for ${String(Math.ceil(ms / 1_000))} s more` : `for ${String(minutes)} min more`;
}
