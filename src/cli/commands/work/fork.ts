import type { Command } from "commander";
import { Fault } from "../../../model/fault.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { findRun } from "../../run/find-run.ts";
import type { Invocation } from "../../shell/invocation.ts";

export function addFork(parent: Command, bind: Bind): void {
  parent
    .command("fork")
    .summary("go on in a new run from an earlier event of a program's run")
    .description(
      "Begins a new run with the first events of a run of a program (a workflow function of the library). " +
        "What they record is not done again; the program goes on from there. The old run is left as it is.",
    )
    .argument("<RUN>", "the run's id, or the beginning or end of it")
    .option("--at <seq>", "the last event that is taken over, as `events` numbers them")
    .option("--as <run>", "the new run's id")
    .addHelpText(
      "after",
      examples(
        ["fork triage-1 --at 12", "goes on as triage-1-at-12"],
        ["fork triage-1 --at 12 --as triage-2 --json", "the new run's id, for programs"],
      ),
    )
    .action(bind(fork));
}

function fork(
  call: Invocation,
  text: string,
  { at, as }: { readonly at?: string; readonly as?: string },
): Promise<number> {
  if (at === undefined || !/^\d+$/.test(at))
    throw new Fault(
      "usage",
      `--at is ${at === undefined ? "missing" : `"${at}"`}; expected the number of an event, as \`events\` prints it`,
    );
  return call.withSystem("create", async (system) => {
    const from = await findRun(system.ports.journal, text);
    const { run, seq, body } = await system.forkRun(from, { at: Number(at), as, ...call.asked });
    const program = body === null ? `calls hf.run("${run}", …)` : `defines "${body}" and calls hf.resumeAll`;
    call.output.document({ from, run, seq, body, next: call.command("status", run) });
    call.output.line(`${run}: begun with the first ${String(seq)} events of ${from}, which is left as it is`);
    call.output.line(`it goes on in the next program that ${program}`);
    return EXIT.done;
  });
}
