import type { Command } from "commander";
import { REISSUE_REASONS, type ReissueReason } from "../../../model/state/drift.ts";
import { Fault } from "../../../model/fault.ts";
import { examples, type Bind } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";

const RUN = "the run's id, or the beginning or end of it";

/** The commands for when what work builds on has moved. */
export function addReissue(parent: Command, bind: Bind): void {
  parent
    .command("reissue")
    .summary("have work redone from the files as they are")
    .description(
      "Has steps redone on the current base, in one act: sessions at work on them are ended and do not count, and they have all their attempts. The files stay.",
    )
    .argument("<RUN>", RUN)
    .option("--step <name>", "only this step; otherwise every step that started and is not done")
    .option("--reason <why>", `why: ${REISSUE_REASONS.join(", ")}`)
    .addHelpText(
      "after",
      examples(
        ["reissue mail-1 --reason drift", "your branch went on meanwhile"],
        ["reissue mail-1 --step sort --reason stale", "one step"],
      ),
    )
    .action(bind(reissue));
  addReconcile(parent, bind);
}

const isReason = (text: string | undefined): text is ReissueReason =>
  (REISSUE_REASONS as readonly (string | undefined)[]).includes(text);

async function reissue(
  call: Invocation,
  run: string,
  { step, reason }: { readonly step?: string; readonly reason?: string },
): Promise<number> {
  if (!isReason(reason))
    throw new Fault(
      "usage",
      `${reason === undefined ? "no reason is given" : `"${reason}" is no reason`}; expected --reason with one of ${REISSUE_REASONS.join(", ")}`,
    );
  const { askRun } = await import("../../ask/ask-run.ts");
  return askRun(call, run, { kind: "reissue", reason, ...(step === undefined ? {} : { step }) });
}

function addReconcile(parent: Command, bind: Bind): void {
  parent
    .command("reconcile")
    .summary("take your own commits as what the run builds on")
    .description(
      "Takes commits that you have put on top as what the run builds on from now on. Rewritten history, another branch, and changes of Holdfast's own files are refused with the reason.",
    )
    .argument("<RUN>", RUN)
    .option("--accept-head", "take HEAD as it was seen")
    .addHelpText(
      "after",
      examples(
        ["reconcile mail-1 --accept-head", "goes on from your commits"],
        ["reconcile mail-1 --accept-head --json", "the answer as JSON"],
      ),
    )
    .action(bind(reconcile));
}

async function reconcile(
  call: Invocation,
  run: string,
  { acceptHead }: { readonly acceptHead?: boolean },
): Promise<number> {
  if (acceptHead !== true)
    throw new Fault("usage", "what shall be done with your commits? Expected --accept-head");
  return (await import("../../ask/ask-run.ts")).askRun(call, run, { kind: "reconcile" });
}
