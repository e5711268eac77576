import type { Command } from "commander";
import { showExamples, type Bind } from "../define-command.ts";
import type { Invocation } from "../invocation.ts";
import type { TrustOptions } from "../trust-files.ts";

/** The command by which a person accepts changed protected files, or has them brought back. */
export function addTrust(parent: Command, bind: Bind): void {
  const command = parent
    .command("trust")
    .summary("accept changed protected files")
    .description(
      "Accepts a run's protected files exactly as they are now, byte for byte, and lets the run go on if it waited for that. A file that changes afterwards is found again.",
    )
    .argument("<RUN>", "the run's id, or the beginning or end of it")
    .option("--show-diff", "show what is accepted: how it differs from what was trusted")
    .option("--dry-run", "only look; nothing is accepted")
    .option("--undo", "bring the files back to what was trusted instead")
    .action(
      bind(async (call: Invocation, run: string, options: TrustOptions) =>
        (await import("../trust-files.ts")).trustFiles(call, run, options),
      ),
    );
  showExamples(
    command,
    ["trust mail-1 --show-diff", "see what differs and accept it"],
    ["trust mail-1 --show-diff --dry-run", "see it first"],
    ["trust mail-1 --undo", "have it brought back"],
  );
}
