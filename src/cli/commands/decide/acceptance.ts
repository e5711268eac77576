import type { Command } from "commander";
import type { AcceptOptions, CommitOptions } from "../../ask/accept-run.ts";
import { examples, type Bind } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";

const RUN = "the run's id, or the beginning or end of it";

/** The commands by which a person takes over what a run has made. */
export function addAcceptance(parent: Command, bind: Bind): void {
  addAccept(parent, bind);
  addCommit(parent, bind);
}

function addAccept(parent: Command, bind: Bind): void {
  parent
    .command("accept")
    .summary("take a run's work into your branch")
    .description(
      "Commits what a run has made and takes its branch into the one that your tree is on, by a fast-forward or a merge. Nothing of yours is overwritten. For a run without a worktree the same as commit.",
    )
    .argument("<RUN>", RUN)
    .option("--message <text>", "of the commit, where something is left to commit")
    .option("--step <name>", "only what was committed up to this step; others may be at work on later ones")
    .option(
      "--as-done",
      "you have done the --step by hand: its checks are run, and where they pass the run goes on",
    )
    .option(
      "--resolution <how>",
      "merge: both sides of what others have changed too are put into the run's worktree for you to merge; once merged, the same command takes it in",
    )
    .option(
      "--dropped <how>",
      "of commits that the run was begun on and you have dropped since: leave them out, or bring them back",
    )
    .addHelpText(
      "after",
      examples(
        ["accept mail-1 --step plan", "what was done up to its step plan"],
        ["accept mail-1 --step build --as-done", "you repaired what build had to do; its checks decide"],
        ["accept mail-1", "its branch is taken into yours, and its worktree removed"],
        ['accept mail-1 --message "fix: sort the mail"', "in your words"],
      ),
    )
    .action(
      bind(async (call: Invocation, run: string, options: AcceptOptions) =>
        (await import("../../ask/accept-run.ts")).acceptRun(call, run, options),
      ),
    );
}

function addCommit(parent: Command, bind: Bind): void {
  parent
    .command("commit")
    .summary("commit what a run has changed")
    .description(
      "Commits exactly what a run has changed since its last commit, or the files named, on the branch that it works on, in your name and by your rules (`commit` in the configuration).",
    )
    .argument("<RUN>", RUN)
    .option("--message <text>", "instead of one made from the step and the goal")
    .option(
      "--file <path>",
      "only this file, from the folder that the run works in; may be given several times",
      (file: string, before: readonly string[] = []) => [...before, file],
    )
    .option(
      "--with-filters",
      "let your own git store the files that one of its filters handles, such as Git LFS; no hook is called",
    )
    .addHelpText(
      "after",
      examples(
        ["commit mail-1", "all that it has changed"],
        ['commit mail-1 --file src/sort.ts --message "fix: sort by date"', "one file, in your words"],
      ),
    )
    .action(
      bind(async (call: Invocation, run: string, options: CommitOptions) =>
        (await import("../../ask/accept-run.ts")).commitRun(call, run, options),
      ),
    );
}
