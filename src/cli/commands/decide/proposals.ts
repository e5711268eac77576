import type { Command } from "commander";
import { examples, type Bind } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";
import type { RejectOptions } from "../../ask/settle-proposal.ts";

const ID = "the proposal's id, such as mail-1.p1";

/** The commands around what agents propose that may not write themselves. */
export function addProposals(parent: Command, bind: Bind): void {
  parent
    .command("proposals")
    .summary("list what a run's agents propose")
    .description("Lists what agents of a run propose that may not write in its tree, oldest first.")
    .argument("<RUN>", "the run's id, or the beginning or end of it")
    .addHelpText(
      "after",
      examples(
        ["proposals mail-1", "each with its id, step, state and files"],
        ["proposals mail-1 --json", "with bases and digests"],
      ),
    )
    .action(
      bind(async (call: Invocation, run: string) =>
        (await import("../../ask/list-proposals.ts")).listProposals(call, run),
      ),
    );
  addProposal(parent, bind);
}

function addProposal(parent: Command, bind: Bind): void {
  const command = parent
    .command("proposal")
    .summary("show, apply or reject a proposal")
    .description("About one proposal: its patch, and what becomes of it.");
  command.addHelpText(
    "after",
    examples(
      ["proposal show mail-1.p1", "its patch"],
      ["proposal apply mail-1.p1", "into the run's tree"],
      ['proposal reject mail-1.p1 --note "the error is not handled"', "back to its step"],
    ),
  );
  addShow(command, bind);
  addApply(command, bind);
  addReject(command, bind);
}

function addShow(command: Command, bind: Bind): void {
  command
    .command("show")
    .summary("print its patch")
    .description("Prints what a proposal changes, as a patch that git can read.")
    .argument("<ID>", ID)
    .addHelpText(
      "after",
      examples(
        ["proposal show mail-1.p1", "its patch"],
        ["proposal show mail-1.p1 | git apply --stat", "how much it changes"],
      ),
    )
    .action(
      bind(async (call: Invocation, id: string) =>
        (await import("../../ask/list-proposals.ts")).showProposal(call, id),
      ),
    );
}

function addApply(command: Command, bind: Bind): void {
  command
    .command("apply")
    .summary("bring it into the run's tree")
    .description(
      "Brings a proposal into the run's tree and lets the run go on. Where a file has changed since, nothing is done and the files are named. What is overwritten is kept first.",
    )
    .argument("<ID>", ID)
    .addHelpText(
      "after",
      examples(
        ["proposal apply mail-1.p1", "its step is done"],
        ["proposal apply mail-1.p1 --json", "the files, as JSON"],
      ),
    )
    .action(
      bind(async (call: Invocation, id: string) =>
        (await import("../../ask/settle-proposal.ts")).applyProposal(call, id),
      ),
    );
}

function addReject(command: Command, bind: Bind): void {
  command
    .command("reject")
    .summary("send it back, or do without it")
    .description("Sends a proposal back: its step is redone, with the reason. Or does without it.")
    .argument("<ID>", ID)
    .option("--note <text>", "what has to be better")
    .option("--drop", "the step is done without it, and the run goes on")
    .addHelpText(
      "after",
      examples(
        ['proposal reject mail-1.p1 --note "the error is not handled"', "the step is worked again"],
        ['proposal reject mail-1.p1 --drop --note "not needed"', "the run goes on without it"],
      ),
    )
    .action(
      bind(async (call: Invocation, id: string, options: RejectOptions) =>
        (await import("../../ask/settle-proposal.ts")).rejectProposal(call, id, options),
      ),
    );
}
