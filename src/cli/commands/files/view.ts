import { hash } from "node:crypto";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { Command } from "commander";
import { fileName, openFile } from "../../run/run-source.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { packageFolder } from "../../shell/package-folder.ts";
import { plainText } from "../../../files/plain-file.ts";
import type { Recorded } from "../../../model/events/events.ts";
import { Fault, invariant } from "../../../model/fault.ts";

const PART_BYTES_MAX = 16 * 1024 * 1024;

export function addView(parent: Command, bind: Bind): void {
  parent
    .command("view")
    .summary("make a page of an exported run, to be read without a store")
    .description(
      "Checks an exported run as `verify` does, and writes one HTML file that shows it as the dashboard does: its timeline, steps, conversation, cost, reasons and journal. The file works from disk, needs no server and loads nothing.",
    )
    .argument("<FILE>", "a file that `holdfast export` wrote; - for standard input")
    .option("--out <file>", "where to write it (default: beside the export, ending in .html)")
    .addHelpText(
      "after",
      examples(
        ["view mail-1.jsonl", "writes mail-1.html"],
        ["export mail-1 | holdfast view - --out mail-1.html", "from the store, without a file between"],
      ),
    )
    .action(bind(view));
}

async function view(call: Invocation, word: string, { out }: { readonly out?: string }): Promise<number> {
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

/**
 * One page that needs nothing but itself: the pages of the dashboard on one exported run.
 *
 * 1. Its policy names the one script and the one style by their hashes: nothing else in the page can run, and the page
 *    can load and reach nothing.
 * 2. What comes from the run is in one element that is no script, compressed and in base64: its letters can end no
 *    element and begin none, no matter what an agent has written.
 */
interface ViewerParts {
  readonly script: string;
  readonly styles: string;
}

const sourceHash = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`;

/** Inside of an element only its own end is read as markup. */
const inElement = (text: string, element: "script" | "style"): string => {
  invariant(
    !text.toLowerCase().includes(`</${element}`),
    `the built ${element} does not end its own element`,
  );
  return text;
};

/** In a script the beginning of a comment is read as markup too; the compiler leaves it in texts alone. */
const withoutComments = (script: string): string => script.replaceAll("<!--", String.raw`\x3C!--`);

function viewerPage(parts: ViewerParts, exported: unknown): string {
  const { styles } = parts;
  const script = withoutComments(parts.script);
  const policy = [
    "default-src 'none'",
    `script-src ${sourceHash(script)}`,
    `style-src ${sourceHash(styles)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const data = gzipSync(JSON.stringify(exported)).toString("base64");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Holdfast</title>
<style id="react-aria-pressable-style">${inElement(styles, "style")}</style>
</head>
<body>
<div id="app"></div>
<script type="application/octet-stream" id="holdfast-export">${data}</script>
<script type="module">${inElement(script, "script")}</script>
</body>
</html>
`;
}
