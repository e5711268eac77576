import { NAMED_MAX, describeFiles } from "./describe-proposal.ts";
import { shellWord } from "../../model/text/command-text.ts";
import type { EventData } from "../../model/events/events.ts";
import { portsText } from "../status/status-workspace.ts";

type Described =
  | "WorktreeCreated"
  | "FilesCarried"
  | "WorktreeRemoved"
  | "WorktreeKept"
  | "WorkJoined"
  | "JoinRefused"
  | "WorkAccepted";

const WHY_MAX = 300;

/** Where not all are named, git lists them: those in which what was carried differs from what it was based on. */
function replacedText({ ref, files, count }: NonNullable<EventData<"WorkAccepted">["replaced"]>): string {
  const source = `git restore --source=${shellWord(ref)}`;
  const bringsBack =
    count <= NAMED_MAX
      ? `${source} -- ${files.map(shellWord).join(" ")}`
      : `git diff --name-only -z ${shellWord(`${ref}^`)} ${shellWord(ref)} | ${source} --pathspec-from-file=- --pathspec-file-nul`;
  return `; your uncommitted changes in ${describeFiles(files, count)} were carried into the run and are part of it; your own version of before is kept: ${bringsBack}`;
}

/** What is said about worktrees, and about work that comes from those of single steps. */
export const DESCRIBE_WORKTREES: { readonly [Type in Described]: (data: EventData<Type>) => string } = {
  WorktreeCreated: ({ tree, branch, ports, step }) =>
    `${step === undefined ? "" : `step ${step} `}works in a worktree of its own: ${tree} on branch ${branch}${ports === null ? "" : `, ports ${portsText(ports)}`}`,
  FilesCarried: ({ files, count, paths, left }) => {
    const parts = [
      ...(count === 0
        ? []
        : [`uncommitted changes of yours copied into the worktree: ${describeFiles(files, count)}`]),
      ...(paths.length === 0 ? [] : [`copied too: ${describeFiles(paths, paths.length)}`]),
      ...(left.length === 0
        ? []
        : [
            `not copied: ${left
              .map(({ path, why }) => `${path} (${why.slice(0, WHY_MAX)})`)
              .slice(0, NAMED_MAX)
              .join(", ")}`,
          ]),
    ];
    return parts.length === 0
      ? "nothing to copy into the worktree: all of yours is committed"
      : parts.join("; ");
  },
  WorkAccepted: ({ commit, into, how, files, count, upTo, replaced }) => {
    const work = `the work${upTo === undefined ? "" : ` up to ${upTo}`}`;
    return how === "already"
      ? `${work} is in ${into} already`
      : `${work} is in ${into} now (${commit.slice(0, 12)})${count === 0 ? "; it changed no more files" : `: ${describeFiles(files, count)}`}${replaced === undefined ? "" : replacedText(replaced)}`;
  },
  WorktreeRemoved: ({ tree, snapshot }) =>
    `worktree ${tree} removed${snapshot === null ? "" : `; all of it is in snapshot ${snapshot.slice(0, 12)}`}`,
  WorktreeKept: ({ tree, why }) => `worktree ${tree} is kept: ${why.slice(0, WHY_MAX)}`,
  WorkJoined: ({ step, commit, into, how, files, count }) =>
    how === "already"
      ? `step ${step}: nothing of it is new to ${into}`
      : `step ${step}: its work is on ${into} now (${commit.slice(0, 12)}, ${how === "merge" ? "a merge" : "a fast-forward"}): ${describeFiles(files, count)}`,
  JoinRefused: ({ step, why, files }) =>
    `step ${step}: not brought onto the run's branch: ${why.slice(0, WHY_MAX)}${files.length === 0 ? "" : `: ${describeFiles(files, files.length)}`}`,
};
