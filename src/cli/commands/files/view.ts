import path from "node:path";
import type { Command } from "commander";
import { plainText } from "../../../files/plain-file.ts";
import type { Recorded } from "../../../model/events/events.ts";
import { Fault } from "../../../model/fault.ts";
import { fileName, openFile } from "../../run/run-source.ts";
import { showExamples, type Bind } from "../../shell/define-command.ts";
import { EXIT } from "../../shell/exit-codes.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { packageFolder } from "../../shell/package-folder.ts";
import { viewerPage, type ViewerParts } from "../../view/viewer-page.ts";

interface ViewOptions {
  readonly out?: string;
}

const PART_BYTES_MAX = 16 * 1024 * 1024;

export function addView(parent: Command, bind: Bind): void {
  const command = parent
    .command("view")
    .summary("make a page of an exported run, to be read without a store")
    .description(
      "Checks an exported run as `verify` does, and writes one HTML file that shows it as the dashboard does: its timeline, steps, conversation, cost, reasons and journal. The file works from disk, needs no server and loads nothing.",
    )
    .argument("<FILE>", "a file that `holdfast export` wrote; - for standard input")
    .option("--out <file>", "where to write it (default: beside the export, ending in .html)")
    .action(bind(view));
  showExamples(
    command,
    ["view mail-1.jsonl", "writes mail-1.html"],
    ["export mail-1 | holdfast view - --out mail-1.html", "from the store, without a file between"],
  );
}

async function view(call: Invocation, word: string, { out }: ViewOptions): Promise<number> {
  const parts = viewerParts();
  if (word === "-" && out === undefined)
    throw new Fault("usage", "standard input has no name to be written beside; expected --out FILE");
  const { header, recorded } = await openFile(call, word);
  const events: Recorded[] = [];
  for await (const event of recorded()) events.push(event);
  const { run, head, exportedAt } = header;
  const name = out ?? `${word.replace(/\.jsonl$/, "")}.html`;
  const file = path.resolve(call.surroundings.cwd, name);
  const { exportedRuns } = await import("../../../main.ts");
  await exportedRuns.write(file, onePiece(viewerPage(parts, { run, head, exportedAt, events })));
  call.output.document({ run, file, events: events.length, head, exportedAt, ok: true });
  call.output.line(`${fileName(word)}: ${run}, ${String(events.length)} events are as they were written`);
  call.output.line(`open it with a browser: ${file}`);
  return EXIT.done;
}

async function* onePiece(text: string): AsyncGenerator<string> {
  yield text;
}

function viewerParts(): ViewerParts {
  const part = (name: string): string => {
    const file = path.join(packageFolder(), "dist", "viewer", name);
    const text = plainText(file, { bytesMax: PART_BYTES_MAX });
    if (text !== undefined) return text;
    throw new Fault("not_found", `the viewer is not built: there is no ${file}; build it: \`npm run build\``);
  };
  return { script: part("viewer.js"), styles: part("styles.css") };
}
