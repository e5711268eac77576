/**
 * The program that is killed around worktrees of single steps: two steps that write at the same time, each in a tree of
 * its own, and a third that needs both; what they make is joined, and accepted once the run is complete.
 *
 * Usage: joined-run.ts FOLDER. Started again on the same folder it goes on where the journal stops.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { liveUntilAccepted, writingStep } from "./accepted-life.ts";

export const JOINED_RUN = "joined";

void liveUntilAccepted({
  file: import.meta.filename,
  id: JOINED_RUN,
  goal: "be joined",
  steps: [writingStep("one", []), writingStep("two", []), writingStep("three", ["one", "two"])],
  workspace: { isolation: "attempt", teardown: "true" },
  writer: ({ cwd, step: name }) => {
    writeFileSync(join(cwd, name), `${name}\n`);
    if (name !== "two")
      writeFileSync(join(cwd, "README"), readFileSync(join(cwd, "README"), "utf8").replace(name, `${name}!`));
    // What git ignores is in no commit, and must not be lost either.
    writeFileSync(join(cwd, `${name}.ignored`), "");
    return name;
  },
  files: { README: "one\n\n\n\nthree\n", ".gitignore": "*.ignored\nmade-by-setup\n" },
  drafts: {},
});
