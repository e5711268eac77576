import type { EventData } from "../model/events.ts";
import { portsText } from "./status-workspace.ts";

type Told = "WorktreeCreated" | "WorktreeRemoved" | "WorktreeKept" | "WorkJoined" | "JoinRefused";

const NAMED_MAX = 5;
const WHY_MAX = 300;

const namesOf = (files: readonly string[], count: number): string => {
  const named = files.slice(0, NAMED_MAX);
  const more = count - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${String(more)} more` : ""}`;
};

/** What is said about worktrees, and about work that comes from those of single steps. */
export const TELL_WORKTREES: { readonly [Type in Told]: (data: EventData<Type>) => string } = {
  WorktreeCreated: ({ tree, branch, ports, step }) =>
    `${step === undefined ? "" : `step ${step} `}works in a worktree of its own: ${tree} on branch ${branch}${ports === null ? "" : `, ports ${portsText(ports)}`}`,
  WorktreeRemoved: ({ tree, snapshot }) =>
    `worktree ${tree} removed${snapshot === null ? "" : `; all of it is in snapshot ${snapshot.slice(0, 12)}`}`,
  WorktreeKept: ({ tree, why }) => `worktree ${tree} is kept: ${why.slice(0, WHY_MAX)}`,
  WorkJoined: ({ step, commit, into, how, files, count }) =>
    how === "already"
      ? `step ${step}: nothing of it is new to ${into}`
      : `step ${step}: its work is on ${into} now (${commit.slice(0, 12)}, ${how === "merge" ? "a merge" : "a fast-forward"}): ${namesOf(files, count)}`,
  JoinRefused: ({ step, why, files }) =>
    `step ${step}: not brought onto the run's branch: ${why.slice(0, WHY_MAX)}${files.length === 0 ? "" : `: ${namesOf(files, files.length)}`}`,
};
