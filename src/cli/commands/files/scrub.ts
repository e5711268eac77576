import path from "node:path";
import type { Command } from "commander";
import type { System } from "../../../main.ts";
import { plainText } from "../../../files/plain-file.ts";
import { Fault } from "../../../model/fault.ts";
import { SECRET_LENGTH_MIN } from "../../../model/text/redact.ts";
import { valueRemover, type ValueRemover } from "../../../model/events/remove-value.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { logFile } from "../../supervise/detached-supervisor.ts";
import { findRun } from "../../run/find-run.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { secretReader } from "../../ask/read-secret.ts";
import { scrubLines } from "../../print/scrub-lines.ts";
import { personOnly } from "../../ask/who-asks.ts";

interface ScrubOptions {
  readonly valueFile?: string;
  readonly valueStdin?: boolean;
  readonly yes?: boolean;
}

export function addScrub(parent: Command, bind: Bind): void {
  parent
    .command("scrub")
    .summary("remove a secret that got into a run")
    .description(
      "Removes a value from what is kept of a run: events, requests, large values, snapshots, what its agents printed, its mirrors and the supervisor's log, also where it stands URL-encoded, escaped in JSON or inside of base64. Without --yes it only says where the value is. Hashes of events change from the first changed one on; a record of that is appended, which `verify` shows. Checkpoints, outputs and exports keep files byte for byte: they are named and left as they are. The value is typed, or read from a file or standard input, and is printed nowhere.",
    )
    .argument("<RUN>", "the run's id, or the beginning or end of it; no supervisor may work on it")
    .option(
      "--value-file <file>",
      "read the value from this file; the line break at its end is no part of it",
    )
    .option("--value-stdin", "read the value from standard input")
    .option("--yes", "remove it; without this nothing is changed")
    .addHelpText(
      "after",
      examples(
        ["scrub mail-1", "asks for the value, and says where it stands"],
        ["scrub mail-1 --value-file ./leaked --yes", "removes it"],
        ["pass show deploy | holdfast scrub mail-1 --value-stdin --yes", "from a password manager"],
      ),
    )
    .action(bind(scrub));
}

async function scrub(call: Invocation, text: string, options: ScrubOptions): Promise<number> {
  const value = await valueOf(call, options);
  if (value.length < SECRET_LENGTH_MIN)
    throw new Fault(
      "usage",
      `the value has ${String(value.length)} characters; expected at least ${String(SECRET_LENGTH_MIN)}, since a shorter one stands in many texts by chance`,
    );
  if (!call.storeExists) throw new Fault("not_found", `there is no store ${call.store.shown}`);
  return call.withSystem("empty", (system) =>
    scrubIn(call, system, { text, value, yes: options.yes === true }),
  );
}

async function scrubIn(
  call: Invocation,
  system: System,
  { text, value, yes }: { readonly text: string; readonly value: string; readonly yes: boolean },
): Promise<number> {
  const by = await personOnly(call, system, "remove anything from what is kept");
  const run = await findRun(system.ports.journal, text);
  const remover: ValueRemover = valueRemover(value);
  const places = { log: logFile(call), archive: path.join(call.stateFolder, "archive") };
  const done = await system.scrubRun({ run, by, remover, remove: yes }, places);
  const { lines, isClean, document } = scrubLines(done, yes, (...words) => call.command(...words));
  call.output.document(document);
  for (const line of lines) call.output.line(line);
  return isClean ? EXIT.done : EXIT.unsuccessful;
}

const VALUE_BYTES_MAX = 65_536;

/** Never an argument: those stand in the history of the shell, and other users can read them. */
async function valueOf(call: Invocation, { valueFile, valueStdin = false }: ScrubOptions): Promise<string> {
  if (valueFile !== undefined && valueStdin)
    throw new Fault("usage", "--value-file and --value-stdin are given; expected one of them");
  if (valueFile !== undefined) return withoutEnd(fileText(path.resolve(call.surroundings.cwd, valueFile)));
  if (valueStdin) return withoutEnd(await inputText());
  const reader = secretReader(false);
  if (reader === null)
    throw new Fault(
      "usage",
      "there is no terminal to type the value in; name a file or pipe it: holdfast scrub RUN --value-stdin",
    );
  try {
    return await reader.next("The value to remove (it is not shown)");
  } finally {
    reader.close();
  }
}

function fileText(file: string): string {
  const text = plainText(file, { bytesMax: VALUE_BYTES_MAX, links: "follow" });
  if (text === undefined) throw new Fault("not_found", `there is no file ${file}`);
  return text;
}

async function inputText(): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > VALUE_BYTES_MAX)
      throw new Fault("usage", `more than ${String(VALUE_BYTES_MAX)} bytes came on standard input`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

const withoutEnd = (text: string): string => text.replace(/\r?\n$/, "");
