import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Stage } from "./story-orders.ts";

/** What half of the stories are about, so that they come where chance alone leads seldom. */
export interface Plot {
  /** What people do before the run's worktree is made. */
  readonly first: readonly string[];
  /** The agent's acts; without names, any of them. */
  readonly agent: readonly (readonly string[] | undefined)[];
  /** People's acts while the agent works, before the tree is looked at again, and before the work is accepted. */
  readonly beside: readonly string[] | undefined;
  readonly kept: readonly string[];
  readonly accepting: readonly (readonly string[] | undefined)[];
  /** Paths that git ignores and that are copied into the run's worktree. */
  readonly paths: readonly string[];
}

const ANY: Plot = {
  first: ["edit", "editSame", "stage", "nothing"],
  agent: [undefined, undefined],
  beside: undefined,
  kept: [],
  accepting: [undefined, undefined],
  paths: [],
};

/** Both sides commit the same line: they are merged in the run's worktree. */
const CONFLICT: Plot = {
  ...ANY,
  first: ["edit", "nothing"],
  agent: [["change"], ["nothing", "write", "mode", "manyFiles", "oddNames"]],
  beside: ["nothing", "commit", "tag", "stage", "prune"],
  accepting: [undefined, ["commitSame"]],
};

/** The agent works on top of what a person has not committed, which the acceptance replaces. */
const ON_TOP: Plot = {
  ...ANY,
  first: ["editSame"],
  agent: [["change"], ["nothing", "write", "remove", "manyFiles"]],
  beside: ["nothing", "edit", "tag", "collect"],
  accepting: [
    ["nothing", "edit", "tag", "collect"],
    ["nothing", "edit"],
  ],
};

/** A person removes the tree when the agent has taken files away: what is made again must not bring them back. */
const EMPTIED: Plot = {
  ...ANY,
  agent: [
    ["remove", "replaceByFolder"],
    ["write", "nothing", "oddNames", "mode"],
  ],
  kept: ["removeFolder", "removeWorktree"],
};

/** What git ignores comes along, as installed packages do. */
const CARRIED: Plot = { ...ANY, paths: ["carried", "nowhere"] };

const PLOTS: readonly Plot[] = [CONFLICT, ANY, CONFLICT, EMPTIED, CARRIED, ANY, ANY, ON_TOP, ANY, ANY];

export const plotOf = (seed: number): Plot => PLOTS[seed % PLOTS.length] ?? ANY;

export const isCarriedPath = (at: string): boolean => /^carried(?:\/|$)/.test(at);

/** Something of the user's that git ignores. */
export function makeIgnored({ project, git }: Stage): void {
  const exclude = path.resolve(project, git("rev-parse", "--git-path", "info/exclude").trim());
  mkdirSync(path.dirname(exclude), { recursive: true });
  appendFileSync(exclude, "/carried\n");
  mkdirSync(path.join(project, "carried", "inner"), { recursive: true });
  writeFileSync(path.join(project, "carried", "package"), "of the user\n");
  writeFileSync(path.join(project, "carried", "inner", "names"), "ünï\n");
  symlinkSync("inner/names", path.join(project, "carried", "link"));
}
