import { isFault, type Fault } from "../model/fault.ts";
import { EXIT } from "./shell/define-command.ts";
import type { Invocation } from "./shell/invocation.ts";
import { fileName, openFile } from "./run/run-source.ts";

/** Checks an exported file from its first line to its last, without any store. */
export async function verifyFile(call: Invocation, word: string): Promise<number> {
  try {
    const { header, events } = await openFile(call, word);
    let count = 0;
    for await (const event of events) count = event.seq;
    const { run, head, exportedAt } = header;
    const file = fileName(word);
    call.output.document({ ok: true, file, run, events: count, head, exportedAt, damages: [] });
    call.output.line(`${file}: ${run}, ${String(count)} events are as they were written`);
    call.output.line(`exported: ${exportedAt}`);
    call.output.line(`head: ${head.hash}`);
    return EXIT.done;
  } catch (error) {
    if (isFault(error, "journal_damaged")) return printDamage(call, error);
    throw error;
  }
}

/** Only the first: what follows it cannot be assessed, since each event stands on the one before. */
function printDamage(call: Invocation, { code, message, details }: Fault): number {
  const { file, run, line, seq, what } = details;
  call.output.document({
    ok: false,
    file,
    run,
    damages: [{ line, seq, what }],
    error: { code, message, details },
  });
  call.output.note(`holdfast: ${message}`);
  return EXIT.store;
}
