import type { Command } from "commander";
import { showExamples, type Bind } from "../define-command.ts";
import type { RunRequest } from "../../model/requests.ts";
import type { Invocation } from "../invocation.ts";

const RUN = "the run's id, or the beginning or end of it";

/** The commands that ask something of a run. */
export function addRequests(parent: Command, bind: Bind): void {
  addResume(parent, bind);
  addPause(parent, bind);
  addCancel(parent, bind);
  addRetry(parent, bind);
  addReopen(parent, bind);
}

const ask = async (call: Invocation, run: string, request: RunRequest): Promise<number> =>
  (await import("../ask-run.ts")).askRun(call, run, request);

const resume = async (call: Invocation, run: string): Promise<number> =>
  (await import("../ask-run.ts")).resumeRun(call, run);

function addResume(parent: Command, bind: Bind): void {
  const command = parent
    .command("resume")
    .summary("let a paused run go on")
    .description(
      "Lets a paused run go on, or one whose supervisor is gone. Starts a supervisor if none lives.",
    )
    .argument("<RUN>", RUN)
    .action(bind(resume));
  showExamples(
    command,
    ["resume mail-1", "goes on where it was, in the background"],
    ["resume mail-1 --json", "the answer as JSON"],
  );
}

function addPause(parent: Command, bind: Bind): void {
  const command = parent
    .command("pause")
    .summary("put a run to rest")
    .description("Ends the live sessions of a run and keeps everything that is done, until it is resumed.")
    .argument("<RUN>", RUN)
    .action(bind((call: Invocation, run: string) => ask(call, run, { kind: "pause" })));
  showExamples(
    command,
    ["pause mail-1", "puts it to rest; attempts cut short do not count"],
    ["pause mail-1 && holdfast status mail-1", "and shows where it stands"],
  );
}

function addCancel(parent: Command, bind: Bind): void {
  const command = parent
    .command("cancel")
    .summary("end a run for good")
    .description(
      "Ends the live sessions of a run, and the run. It can still be tried again with `retry` or `reopen`.",
    )
    .argument("<RUN>", RUN)
    .action(bind((call: Invocation, run: string) => ask(call, run, { kind: "cancel" })));
  showExamples(command, ["cancel mail-1", "ends it"], ["cancel mail-1 --json", "the answer as JSON"]);
}

function addRetry(parent: Command, bind: Bind): void {
  const command = parent
    .command("retry")
    .summary("give failed steps new attempts")
    .description("Lets a blocked, paused, failed or cancelled run go on, with new attempts for what failed.")
    .argument("<RUN>", RUN)
    .option("--step <name>", "only this step")
    .action(bind(retry));
  showExamples(command, ["retry mail-1", "everything that failed"], ["retry mail-1 --step sort", "one step"]);
}

const retry = (call: Invocation, run: string, { step }: { readonly step?: string }): Promise<number> =>
  ask(call, run, step === undefined ? { kind: "retry" } : { kind: "retry", step });

function addReopen(parent: Command, bind: Bind): void {
  const command = parent
    .command("reopen")
    .summary("make an ended run workable again")
    .description("Makes a completed, failed or cancelled run paused, so that it can be resumed or retried.")
    .argument("<RUN>", RUN)
    .action(bind((call: Invocation, run: string) => ask(call, run, { kind: "reopen" })));
  showExamples(
    command,
    ["reopen mail-1", "it is paused afterwards"],
    ["reopen mail-1 && holdfast retry mail-1 --step sort", "does one step again"],
  );
}
