import type { Reader } from "../../open-reader.ts";
import { Fault } from "../../model/fault.ts";
import type { CheckpointState } from "../../model/state/kept-state.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isWorking } from "../../model/state/run-status.ts";
import { innerText, pathsText } from "../../views/status/status-workspace.ts";
import type { Invocation } from "../shell/invocation.ts";

type Workspace = Reader["ports"]["workspace"];
type Changes = Awaited<ReturnType<Workspace["compare"]>>;

/** From where to where the work of a run is looked at. */
export interface WorkSpan {
  readonly project: string;
  readonly tree: string;
  /** The checkpoint it is counted from, and the one it is counted to. */
  readonly from: CheckpointState;
  readonly to: CheckpointState;
}

/** What a run has changed, as far as it was kept: from its first checkpoint, or the one named, to its last. */
export function workSpan(state: RunState, since?: string): WorkSpan | null {
  const inOrder = Object.values(state.checkpoints).sort((one, other) => one.seq - other.seq);
  const from = since === undefined ? inOrder[0] : checkpointOf(state, since);
  const to = inOrder.findLast(({ tree }) => tree === from?.tree);
  if (from === undefined || to === undefined) return null;
  return { project: from.project, tree: from.tree, from, to };
}

export function checkpointOf({ checkpoints, run }: RunState, id: string): CheckpointState {
  const found = Object.hasOwn(checkpoints, id) ? checkpoints[id] : undefined;
  if (found !== undefined) return found;
  const ids = Object.keys(checkpoints);
  throw new Fault("not_found", `${run} has no checkpoint "${id}"; it has ${ids.join(", ") || "none"}`);
}

export const changesOf = (
  { workspace }: Reader["ports"],
  { project, tree, from, to }: WorkSpan,
): Promise<Changes> => workspace.compare({ project, tree }, from.snapshot.id, to.snapshot.id);

/** Where the work of a run is, what it has changed, and what to do with it. */
export interface RunWork {
  readonly folder: string;
  /** Its own; null where it worked in the user's folder. */
  readonly branch: string | null;
  readonly accepted: boolean;
  readonly changed: readonly string[];
  readonly count: number;
  /** Repositories inside the tree that the run has changed or made, which no commit of it holds. */
  readonly inner?: readonly string[];
  readonly commands: { readonly changes: string; readonly accept: string | null };
}

const NAMED_MAX = 100;

/** Null while it works, and where nothing was kept that could be compared. */
export async function workOf(call: Invocation, system: Reader, state: RunState): Promise<RunWork | null> {
  const span = isWorking(state.status) ? null : workSpan(state);
  if (span === null) return null;
  const found = await changesOf(system.ports, span).catch(() => null);
  if (found === null) return null;
  const { worktree, commit } = state.workspace;
  const { inner = [] } = commit;
  const own = found.changes.filter(({ path }) => !inner.some((folder) => path.startsWith(`${folder}/`)));
  const count = found.count - (found.changes.length - own.length);
  const isOpen = worktree !== null && !commit.accepted && count > 0;
  return {
    folder: worktree === null ? state.cwd : span.tree,
    branch: worktree?.branch ?? null,
    accepted: commit.accepted,
    changed: own.slice(0, NAMED_MAX).map(({ path }) => path),
    count,
    ...(inner.length === 0 ? {} : { inner }),
    commands: {
      changes: call.command("changes", state.run),
      accept: isOpen && state.status === "completed" ? call.command("accept", state.run) : null,
    },
  };
}

/** The same for people, as rows of `status`, which names the folder already; `whole` names it too. */
export function workRows(
  { folder, branch, accepted, changed, count, inner = [], commands }: RunWork,
  extent: "rest" | "whole" = "rest",
): [string, string][] {
  const leftOut: [string, string][] = inner.length === 0 ? [] : [["left out", leftOutText(inner, folder)]];
  if (count === 0) return [["work", "no file was changed"], ...leftOut];
  const where = branch === null ? `in ${folder}` : `on branch ${branch}, not in your branch yet`;
  const taken = accepted ? "and accepted into your branch" : where;
  return [
    ["work", `${String(count)} ${count === 1 ? "file" : "files"} changed ${taken}`],
    ["files", pathsText(changed, count)],
    ...leftOut,
    ...(extent === "whole" && branch !== null && !accepted
      ? ([["folder", folder]] as [string, string][])
      : []),
    ["see it", commands.changes],
    ...(commands.accept === null ? [] : ([["take it", commands.accept]] as [string, string][])),
  ];
}

export const leftOutText = (inner: readonly string[], folder: string): string =>
  `${innerText(inner)}: in no commit of the run; copy what you need from ${folder}`;
