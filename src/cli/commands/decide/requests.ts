import type { Command } from "commander";
import { examples, type Bind } from "../../shell/define-command.ts";
import type { RunRequest } from "../../../model/requests/requests.ts";
import type { Invocation } from "../../shell/invocation.ts";

const RUN = "the run's id, or the beginning or end of it";
const OPTIONAL_RUN = `${RUN}; may be left out where only one can be meant`;

/** The commands that ask something of a run. */
export function addRequests(parent: Command, bind: Bind): void {
  addResume(parent, bind);
  addPause(parent, bind);
  addCancel(parent, bind);
  addRetry(parent, bind);
  addReopen(parent, bind);
}

const ask = async (call: Invocation, run: string | undefined, request: RunRequest): Promise<number> =>
  (await import("../../ask/ask-run.ts")).askRun(call, run, request);

interface ResumeOptions {
  readonly agent?: string;
  readonly step?: string;
  readonly trust?: boolean;
}

const resume = async (
  call: Invocation,
  run: string | undefined,
  { agent, ...options }: ResumeOptions,
): Promise<number> =>
  agent === undefined
    ? (await import("../../ask/ask-run.ts")).resumeRun(call, run)
    : (await import("../../ask/hand-off.ts")).resumeWith(call, run, { to: agent, ...options });

function addResume(parent: Command, bind: Bind): void {
  parent
    .command("resume")
    .summary("let a paused run go on")
    .description(
      "Lets a paused run go on, or one whose supervisor is gone. Starts a supervisor if none lives. With --agent another agent continues, with a record of what was done, as with `handoff`.",
    )
    .argument("[RUN]", OPTIONAL_RUN)
    .option("--agent <name>", "who continues, named as for `run`")
    .option("--step <name>", "with --agent: the step, where several are open")
    .option("--trust", "trust what the repository's files name, as they are now")
    .addHelpText(
      "after",
      examples(
        ["resume mail-1", "goes on where it was, in the background"],
        ["resume mail-1 --agent codex", "another agent continues; a blocked run too, if that step blocks it"],
        ["resume mail-1 --json", "the answer as JSON"],
      ),
    )
    .action(bind(resume));
}

function addPause(parent: Command, bind: Bind): void {
  parent
    .command("pause")
    .summary("put a run to rest")
    .description("Ends the live sessions of a run and keeps everything that is done, until it is resumed.")
    .argument("[RUN]", OPTIONAL_RUN)
    .addHelpText(
      "after",
      examples(
        ["pause mail-1", "puts it to rest; attempts cut short do not count"],
        ["pause mail-1 && holdfast status mail-1", "and shows where it stands"],
      ),
    )
    .action(bind((call: Invocation, run: string | undefined) => ask(call, run, { kind: "pause" })));
}

function addCancel(parent: Command, bind: Bind): void {
  parent
    .command("cancel")
    .summary("end a run for good")
    .description(
      "Ends the live sessions of a run, and the run. It can still be tried again with `retry` or `reopen`.",
    )
    .argument("[RUN]", OPTIONAL_RUN)
    .addHelpText(
      "after",
      examples(["cancel mail-1", "ends it"], ["cancel mail-1 --json", "the answer as JSON"]),
    )
    .action(bind((call: Invocation, run: string | undefined) => ask(call, run, { kind: "cancel" })));
}

function addRetry(parent: Command, bind: Bind): void {
  parent
    .command("retry")
    .summary("give failed steps new attempts")
    .description(
      "Continues a blocked, paused, failed or cancelled run, with new attempts for what failed. The configuration and the flow's file are read again: agents that they bind otherwise now are used so, and the answer says what changed.",
    )
    .argument("[RUN]", OPTIONAL_RUN)
    .option("--step <name>", "only this step")
    .addHelpText(
      "after",
      examples(["retry mail-1", "everything that failed"], ["retry mail-1 --step sort", "one step"]),
    )
    .action(bind(retry));
}

const retry = async (
  call: Invocation,
  run: string | undefined,
  options: { readonly step?: string },
): Promise<number> => (await import("../../ask/retry-run.ts")).retryRun(call, run, options);

function addReopen(parent: Command, bind: Bind): void {
  parent
    .command("reopen")
    .summary("make an ended run workable again")
    .description("Makes a completed, failed or cancelled run paused, so that it can be resumed or retried.")
    .argument("<RUN>", RUN)
    .addHelpText(
      "after",
      examples(
        ["reopen mail-1", "it is paused afterwards"],
        ["reopen mail-1 && holdfast retry mail-1 --step sort", "does one step again"],
      ),
    )
    .action(bind((call: Invocation, run: string) => ask(call, run, { kind: "reopen" })));
}
