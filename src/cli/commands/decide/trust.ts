import type { Command } from "commander";
import { examples, type Bind } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";
import type { TrustOptions } from "../../trust-files.ts";
import type { RepositoryOptions } from "../../trust/trust-repository.ts";

/** The command by which a person trusts a repository, and accepts changed protected files of a run, or has them brought back. */
export function addTrust(parent: Command, bind: Bind): void {
  parent
    .command("trust")
    .summary("trust this repository, or a run's changed files")
    .description(
      "Without RUN: shows which programs, hooks, checks, gate actions and agents' configuration the repository of this folder names, asks, and trusts them exactly as they are now, byte for byte. With RUN: accepts what the run obeys and its protected files as they are now, and lets the run go on if it waited for that. What changes afterwards is asked about again.",
    )
    .argument("[RUN]", "the run's id, or the beginning or end of it")
    .option("--show-diff", "show what is accepted: how it differs from what was trusted")
    .option("--dry-run", "only look; nothing is accepted")
    .option("--undo", "with RUN: bring the files back to what was trusted instead")
    .option(
      "--return <path>",
      "with RUN: a file of yours that was undone beside an agent; may be given several times",
      (path: string, before: readonly string[] = []) => [...before, path],
    )
    .option("--yes", "without RUN: do not ask; for scripts")
    .option("--flow <file>", "without RUN: a flow's file that lies elsewhere than in .holdfast/flows")
    .addHelpText(
      "after",
      examples(
        ["trust", "see what this repository would have run, and trust it"],
        ["trust --yes", "the same in a script"],
        ["trust mail-1 --show-diff", "see what differs and accept it"],
        ["trust mail-1 --show-diff --dry-run", "see it first"],
        ["trust mail-1 --undo", "have it brought back"],
        ["trust mail-1 --return CLAUDE.md", "it was yours, and not the agent's: have it again"],
      ),
    )
    .action(
      bind(async (call: Invocation, run: string | undefined, options: TrustOptions & RepositoryOptions) =>
        run === undefined
          ? (await import("../../trust/trust-repository.ts")).trustRepository(call, options)
          : (await import("../../trust-files.ts")).trustFiles(call, run, options),
      ),
    );
}
