/**
 * The program that is killed around worktrees, commits, acceptance and clean-up: a run of two steps in a worktree of
 * its own, each of whose work is committed; once complete it is accepted, and its worktree removed.
 *
 * Usage: accepted-run.ts FOLDER. Started again on the same folder it goes on where the journal stops.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { liveUntilAccepted, writingStep } from "./accepted-life.ts";

export const ACCEPTED_RUN = "accepted";

void liveUntilAccepted({
  file: import.meta.filename,
  id: ACCEPTED_RUN,
  goal: "be accepted",
  steps: [writingStep("one", []), writingStep("two", ["one"])],
  workspace: { isolation: "run", uncommitted: "carry", carry: ["packages"] },
  writer: ({ cwd, step: name }) => {
    writeFileSync(join(cwd, name), `${name}\n`);
    if (name === "two") writeFileSync(join(cwd, "shared"), "the user's, and two's\n");
    return name;
  },
  files: { README: "one\n", shared: "committed\n", ".gitignore": "packages\n" },
  drafts: { draft: "the user's\n", shared: "the user's\n", packages: "installed\n" },
});
