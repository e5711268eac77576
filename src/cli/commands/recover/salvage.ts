import type { Command } from "commander";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { findRun } from "../../run/find-run.ts";
import type { Invocation } from "../../shell/invocation.ts";

export function addSalvage(parent: Command, bind: Bind): void {
  parent
    .command("salvage")
    .summary("let a run with a damaged journal go on as another one")
    .description(
      "Takes everything before the damage over into a new run, which then waits for you to look what was done since. " +
        "The damaged run is left as it is.",
    )
    .argument("<RUN>", "the damaged run's id, or the beginning or end of it")
    .addHelpText(
      "after",
      examples(
        ["salvage mail-1", "goes on as mail-1-salvaged, up to the damage"],
        ["salvage mail-1 --json", "the new run's id, for programs"],
      ),
    )
    .action(bind(salvage));
}

function salvage(call: Invocation, text: string): Promise<number> {
  return call.withSystem("create", async (system) => {
    const damaged = await findRun(system.ports.journal, text);
    const { run, soundSeq } = await system.salvageRun(damaged);
    const next = call.command("status", run);
    call.output.document({ damaged, run, soundSeq, next });
    call.output.line(`${run}: goes on from event ${String(soundSeq)} of ${damaged}, which is left as it is`);
    call.output.line(`see ${next}`);
    return EXIT.done;
  });
}
