import { repositoryResource } from "../../model/host/resource-address.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** Making a place for work ready: a worktree, and the commands that are run there first. */
export const PLACE = "place";

/** Folders are of one host; null before anybody works the run. */
export const repositoryOf = ({ host, workspace }: RunState): string | null =>
  host === null ? null : repositoryResource(host, workspace.repository);
