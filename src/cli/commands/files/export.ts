import path from "node:path";
import type { Command } from "commander";
import { Fault } from "../../../model/fault.ts";
import { isoTime } from "../../../model/text/iso-time.ts";
import { escapeInJson } from "../../../model/text/printable.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { findRun } from "../../run/find-run.ts";
import type { Invocation } from "../../shell/invocation.ts";

export function addExport(parent: Command, bind: Bind): void {
  parent
    .command("export")
    .summary("write a run out, to be verified without the store")
    .description(
      "Prints a run as JSON Lines: a header, every event as it was recorded, and a closing line. The hashes in it can be checked by `holdfast verify FILE` wherever the file goes. What is appended meanwhile is left out.",
    )
    .argument("<RUN>", "the run's id, or the beginning or end of it")
    .option("--out <file>", "write to this file instead; it is there wholly or not at all")
    .addHelpText(
      "after",
      examples(
        ["export mail-1 --out mail-1.jsonl", "to a file"],
        ["export mail-1 | gzip > mail-1.jsonl.gz", "to another program"],
      ),
    )
    .action(bind(exportRun));
}

function exportRun(call: Invocation, text: string, { out }: { readonly out?: string }): Promise<number> {
  return call.withSystem("empty", async ({ ports: { journal, world } }) => {
    const { exportedRuns } = await import("../../../main.ts");
    const run = await findRun(journal, text);
    const head = await journal.head(run);
    if (head === null) throw new Fault("not_found", `there is no run "${run}" in this store any more`);
    const lines = exportedRuns.lines(journal, { run, head, exportedAt: isoTime(world.now()) });
    if (out === undefined) {
      // Its hashes cover the text as it is; a terminal, which only shows it, gets what is harmless.
      for await (const line of lines) call.output.product(call.output.live ? escapeInJson(line) : line);
      return EXIT.done;
    }
    const file = path.resolve(call.surroundings.cwd, out);
    await exportedRuns.write(file, lines);
    call.output.document({ run, file, events: head.seq, head: { seq: head.seq, hash: head.hash } });
    call.output.line(`${run}: ${String(head.seq)} events are in ${file}`);
    call.output.line(`head: ${head.hash}`);
    return EXIT.done;
  });
}
