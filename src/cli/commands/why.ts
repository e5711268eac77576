import type { Command } from "commander";
import type { Recorded } from "../../model/events.ts";
import { whyView } from "../../views/why.ts";
import { showExamples, type Bind } from "../define-command.ts";
import { EXIT } from "../exit-codes.ts";
import { findRun } from "../find-run.ts";
import { eventsAfter } from "../follow-run.ts";
import type { Invocation } from "../invocation.ts";
import { printableLine } from "../../model/printable.ts";
import { wholeNumber } from "./events.ts";

interface WhyOptions {
  readonly at?: number;
}

export function addWhy(parent: Command, bind: Bind): void {
  const command = parent
    .command("why")
    .summary("how a run came to where it stands")
    .description(
      "Tells the turning points of a run in plain words, oldest first, each with its event's number as evidence.",
    )
    .argument("<RUN>", "the run's id, or the beginning or end of it")
    .option("--at <seq>", "up to this event", wholeNumber)
    .action(bind(why));
  showExamples(
    command,
    ["why mail-1", "the whole chain"],
    ["why mail-1 --at 40 --json", "as it was after event 40, for programs"],
  );
}

function why(call: Invocation, text: string, { at }: WhyOptions): Promise<number> {
  return call.withSystem("empty", async ({ rooms: { journal } }) => {
    const run = await findRun(journal, text);
    const events: Recorded[] = [];
    for await (const event of eventsAfter(journal, run, 0)) {
      if (at !== undefined && event.seq > at) break;
      events.push(event);
    }
    const chain = whyView(events);
    call.output.document({ run, at: events.at(-1)?.seq ?? 0, chain });
    for (const { seq, at: time, text: words } of chain)
      call.output.line(`${String(seq).padStart(5)}  ${time}  ${printableLine(words)}`);
    call.output.line(`evidence: ${call.command("events", run)}`);
    return EXIT.done;
  });
}
