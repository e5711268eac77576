/**
 * Gives every document that may blow up to everything that reads JSON or YAML, each in turn, and tells one line of JSON
 * after the other: what is read now, what it threw and is no refusal, and at the end that it is there still. It is a process
 * of its own, since one that hangs or aborts is what is looked for.
 *
 * Usage: explode.ts FOLDER COUNT
 */
import { isFault } from "../../../src/model/fault.ts";
import { BOMBS } from "./document-bombs.ts";
import { READERS } from "./json-readers.ts";

const [, , folder = "", count = "1"] = process.argv;
/** Nobody else writes it: it is what a program gave to the library. */
const OWN = "a patch of a loop's state";
const report = (line: object): unknown => process.stdout.write(`${JSON.stringify(line)}\n`);

for (const [bomb, payload] of Object.entries(BOMBS).slice(0, Number(count)))
  for (const [reader, read] of Object.entries(READERS)) {
    if (reader === OWN) continue;
    report({ reader, bomb });
    try {
      await read(payload, folder);
    } catch (error) {
      // A document that is none is refused by the parser itself.
      if (!isFault(error) && !(error instanceof SyntaxError))
        report({ threw: `${reader} on ${bomb}: ${String(error)}` });
    }
  }
report({ done: true });
