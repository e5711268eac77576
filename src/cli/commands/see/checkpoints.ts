import type { Command } from "commander";
import { examples, type Bind } from "../../shell/define-command.ts";
import type { HandoffOptions } from "../../ask/hand-off.ts";
import type { Invocation } from "../../shell/invocation.ts";

const RUN = "the run's id, or the beginning or end of it";
const OPTIONAL_RUN = `${RUN}; may be left out where only one can be meant`;

/** The commands around checkpoints: take one, list them, go back to one. */
export function addCheckpoints(parent: Command, bind: Bind): void {
  addCheckpoint(parent, bind);
  addList(parent, bind);
  addChanges(parent, bind);
  addRestore(parent, bind);
  addHandoff(parent, bind);
}

function addHandoff(parent: Command, bind: Bind): void {
  parent
    .command("handoff")
    .summary("give a step to another agent")
    .description(
      "Gives a step to another agent, with a note of what was done, what is left and what is open. A session at work on it is ended first.",
    )
    .argument("<RUN>", RUN)
    .option("--to <agent>", "the agent's name, as for run --agent")
    .option("--step <name>", "the step, where several are open")
    .option("--reason <text>", "why; it is recorded")
    .option("--trust", "trust that agent as the repository's files name it now (see docs/trust.md)")
    .addHelpText(
      "after",
      examples(
        ["handoff mail-1 --to codex", "the step at work, or the one that blocks"],
        [
          'handoff mail-1 --to expert --step sort --reason "it goes round in circles"',
          "one of several steps",
        ],
      ),
    )
    .action(
      bind(async (call: Invocation, run: string, options: HandoffOptions) =>
        (await import("../../ask/hand-off.ts")).handOff(call, run, options),
      ),
    );
}

function addCheckpoint(parent: Command, bind: Bind): void {
  parent
    .command("checkpoint")
    .summary("keep where a run stands")
    .description(
      "Keeps where a run stands: all files of its folder, tracked or not, its steps and its agents' conversations. Nothing of your repository is touched.",
    )
    .argument("[RUN]", OPTIONAL_RUN)
    .option("--note <text>", "words to find it by")
    .addHelpText(
      "after",
      examples(
        ["checkpoint mail-1", "it is recorded once its files are verified"],
        ['checkpoint mail-1 --note "before the rewrite"', "with words to find it by"],
      ),
    )
    .action(
      bind(async (call: Invocation, run: string | undefined, { note }: { readonly note?: string }) =>
        (await import("../../ask/ask-run.ts")).askRun(call, run, {
          kind: "checkpoint",
          ...(note === undefined ? {} : { note }),
        }),
      ),
    );
}

function addList(parent: Command, bind: Bind): void {
  parent
    .command("checkpoints")
    .summary("list what a run can be put back to")
    .description(
      "Lists the checkpoints of a run, oldest first, or the files that differ between two of them.",
    )
    .argument("[RUN]", OPTIONAL_RUN)
    .option("--diff <ids...>", "two checkpoints: which files differ between them")
    .addHelpText(
      "after",
      examples(
        ["checkpoints mail-1", "each with its id, time, cause and files"],
        ["checkpoints mail-1 --diff c2 c5", "what changed between two of them"],
      ),
    )
    .action(
      bind(
        async (
          call: Invocation,
          run: string | undefined,
          { diff }: { readonly diff?: readonly string[] },
        ) => {
          const { listCheckpoints, diffCheckpoints } = await import("../../ask/list-checkpoints.ts");
          return diff === undefined ? listCheckpoints(call, run) : diffCheckpoints(call, run, diff);
        },
      ),
    );
}

function addChanges(parent: Command, bind: Bind): void {
  parent
    .command("changes")
    .summary("what a run has changed, as a diff")
    .description(
      "Shows what a run has changed in its files: from its first checkpoint, or from the one named, to its last.",
    )
    .argument("[RUN]", `${RUN}; left out: the only open run, or the newest`)
    .argument("[CHECKPOINT]", "such as c3: what was changed since then")
    .option("--stat", "only the names of the files")
    .addHelpText(
      "after",
      examples(
        ["changes mail-1", "everything it changed, as a diff"],
        ["changes mail-1 c2 --stat", "the files that it changed since a checkpoint"],
      ),
    )
    .action(
      bind(
        async (
          call: Invocation,
          run: string | undefined,
          checkpoint: string | undefined,
          options: { readonly stat?: boolean },
        ) => (await import("../../print/diff/show-changes.ts")).showChanges(call, run, checkpoint, options),
      ),
    );
}

function addRestore(parent: Command, bind: Bind): void {
  parent
    .command("restore")
    .summary("put a run back to a checkpoint")
    .description(
      "Puts a run back to a checkpoint: its files, its steps and its agents' conversations. What is in the folder now is kept first. The run is paused afterwards. Waits until the files are back; paths that the checkpoint does not hold are named and left as they are.",
    )
    .argument("<RUN>", RUN)
    .argument("[CHECKPOINT]", "such as c3; the last one if left out")
    .option(
      "--repository",
      "only the folder .git, which is gone or damaged, from the copy that is kept of it",
    )
    .addHelpText(
      "after",
      examples(
        ["restore mail-1 c3", "files and steps are as they were then"],
        ["restore mail-1 && holdfast resume mail-1", "back to the last one, and on from there"],
        [
          "restore mail-1 --repository",
          "an agent has removed .git: branches, index and stash are as they were",
        ],
      ),
    )
    .action(
      bind(
        async (
          call: Invocation,
          run: string,
          checkpoint: string | undefined,
          options: { readonly repository?: boolean },
        ) =>
          options.repository === true
            ? (await import("../../ask/bring-repository.ts")).bringRepository(call, run)
            : (await import("../../ask/restore-run.ts")).restoreRun(call, run, checkpoint),
      ),
    );
}
