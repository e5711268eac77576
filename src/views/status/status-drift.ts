import { isReworkAdvised, overlapPct, shareOf } from "../../decide/workspace/decide-conflict.ts";
import { movedText, unsafeBecause } from "../../decide/workspace/decide-drift.ts";
import { commandText } from "../../model/text/command-text.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** What has moved under a run's work, and what can be done about it. */
export interface StatusDrift {
  readonly from: string | null;
  readonly to: string | null;
  readonly branch: string | null;
  /** Whether it lies on top of what was there. */
  readonly safe: boolean;
  readonly files: readonly string[];
  readonly count: number;
  readonly text: string;
  readonly command: string;
}

export function statusDrift(state: RunState, store: string | null): StatusDrift | null {
  const { found, base } = state.drift;
  if (found === null) return null;
  const { worktree } = state.workspace;
  const from = base?.commit ?? worktree?.from ?? null;
  const safe = worktree === null && unsafeBecause(base, found) === null;
  const words = safe
    ? ["reconcile", state.run, "--accept-head"]
    : ["reissue", state.run, "--reason", worktree === null ? "baseline" : "drift"];
  const { commit: to, branch, files, count } = found;
  const text = `${movedText(from, found)}, ${String(count)} files`;
  return { from, to, branch, safe, files, count, text, command: commandText(words, store) };
}

/** Work that could not be taken in because others have changed the same. */
export interface StatusConflict {
  readonly times: number;
  readonly files: readonly string[];
  readonly overlapPct: number;
  /** The one that is advised comes first. */
  readonly commands: readonly string[];
}

export function statusConflict(state: RunState, store: string | null): StatusConflict | null {
  const { times, files } = state.conflict;
  if (times === 0) return null;
  const again = commandText(["reissue", state.run, "--reason", "conflict"], store);
  const merge = commandText(["accept", state.run, "--resolution", "merge"], store);
  const commands = isReworkAdvised(state) ? [again, merge] : [merge, again];
  return { times, files, overlapPct: overlapPct(state), commands };
}

/** Another run that has changed the same, before either was taken in. */
export interface StatusOverlap {
  readonly run: string;
  readonly files: readonly string[];
  readonly count: number;
  readonly overlapPct: number;
  readonly command: string;
}

/** Little in common is worked again; what is much is for a person to merge, when nobody is at work there. */
export function statusOverlaps(state: RunState, store: string | null): StatusOverlap[] {
  const isAtWork = Object.keys(state.attempts).length > 0;
  const merge = isAtWork ? ["pause", state.run] : ["accept", state.run, "--resolution", "merge"];
  return state.overlap.peers.map(({ run, files, count }) => {
    const share = shareOf(count, state.overlap.own);
    const words =
      share < state.settings.conflict.overlapPct ? ["reissue", state.run, "--reason", "conflict"] : merge;
    return { run, files, count, overlapPct: share, command: commandText(words, store) };
  });
}

/** A step that would be given out otherwise now; or files that cannot be read, which is about no step. */
export interface StatusBinding {
  readonly step: string;
  readonly kind: "rebinding" | "authority" | "unreadable";
  readonly text: string;
  readonly command: string;
}

export const statusBindings = (state: RunState, store: string | null): StatusBinding[] => [
  ...unreadable(state),
  ...state.binding.found.map(({ step, kind, text }) => ({
    step,
    kind,
    text,
    command: commandText(["reissue", state.run, "--step", step, "--reason", kind], store),
  })),
];

/** It concerns the runs of that folder, and only what they would be notified of again. */
function unreadable({ binding: { source, unread } }: RunState): StatusBinding[] {
  const file = source?.config ?? source?.flow;
  if (unread === undefined || file === undefined) return [];
  const text = `its files cannot be read, so the run continues as it was started: ${unread.split("\n", 1)[0] ?? ""}`;
  return [{ step: "", kind: "unreadable", text, command: commandText(["validate", file], null) }];
}
