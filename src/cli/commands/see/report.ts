import path from "node:path";
import { readPlainAt } from "../../../files/plain-file.ts";
import { Option, type Command } from "commander";
import type { Recorded } from "../../../model/events/events.ts";
import { Fault } from "../../../model/fault.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { RUN_OR_FILE, withRuns } from "../../run/run-source.ts";

interface ReportOptions {
  readonly format?: "md" | "html";
  readonly out?: string;
  readonly force?: boolean;
}

export function addReport(parent: Command, bind: Bind): void {
  parent
    .command("report")
    .summary("everything about a run in one readable document")
    .description(
      "Writes one document: goal, outcome, what is left to do, steps with their attempts, checks with their evidence, questions to people and who settled them, decisions, cost and a timeline. HTML needs nothing beside itself.",
    )
    .argument("[RUN|FILE]", `${RUN_OR_FILE}; left out: the only open run, or the newest`)
    .addOption(
      new Option("--format <format>", "md or html; by the name of --out, or md").choices(["md", "html"]),
    )
    .option("--out <file>", "write to this file instead; a report that is there is replaced")
    .option("--force", "replace the file even if it is no report")
    .addHelpText(
      "after",
      examples(
        ["report mail-1 --out mail-1.html", "a page to send or to keep"],
        ["report mail-1 > mail-1.md", "as Markdown"],
        ["report mail-1.jsonl", "of an exported run, without a store"],
      ),
    )
    .action(bind(report));
}

function report(call: Invocation, text: string | undefined, options: ReportOptions): Promise<number> {
  return withRuns(call, [text], async ([source]) => {
    if (source === undefined) throw new Fault("not_found", `there is no run "${text ?? ""}"`);
    const events: Recorded[] = [];
    for await (const event of { [Symbol.asyncIterator]: () => source.events }) events.push(event);
    const { reportOf } = await import("../../../views/report/report.ts");
    const { REPORT_MARK, reportHtml, reportMarkdown } = await import("../../../views/report/report-text.ts");
    const document = reportOf(events, call.store.named);
    const format = options.format ?? (/\.html?$/i.test(options.out ?? "") ? "html" : "md");
    const page = format === "html" ? reportHtml(document) : reportMarkdown(document);
    if (options.out === undefined) {
      if (call.output.json) call.output.document({ ...document, format, text: page });
      else call.output.product(page);
      return EXIT.done;
    }
    const file = path.resolve(call.surroundings.cwd, options.out);
    if (options.force !== true) await refuseOthers(file, REPORT_MARK);
    const { exportedRuns } = await import("../../../main.ts");
    await exportedRuns.write(file, once(page));
    call.output.document({ run: document.run, file, format });
    call.output.line(`${document.run}: the report is in ${file}`);
    return EXIT.done;
  });
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

const MARK_BYTES = 64;

/** A report may be rewritten; what somebody else wrote is not ours to replace. */
async function refuseOthers(file: string, mark: string): Promise<void> {
  const read = readPlainAt(file, { from: 0, bytesMax: MARK_BYTES, links: "follow" });
  if (read.kind !== "read" || read.stats.size === 0) return;
  if (read.bytes.toString("utf8").includes(mark)) return;
  throw new Fault(
    "usage",
    `${file} is there and is no report; name another file, or replace it with --force`,
    {
      details: { file },
    },
  );
}
