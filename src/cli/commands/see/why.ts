import type { Command } from "commander";
import type { Recorded } from "../../../model/events/events.ts";
import { Fault } from "../../../model/fault.ts";
import { printableLine } from "../../../model/text/printable.ts";
import { whyView, type WhyLink, type WhyView } from "../../../views/why/why.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { fullDiskOf } from "../../supervise/host-faults.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { lookAtSupervision } from "../../supervise/look-at-supervision.ts";
import { RUN_OR_FILE, withRuns } from "../../run/run-source.ts";
import { wholeNumber } from "./events.ts";

const OVER: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

export function addWhy(parent: Command, bind: Bind): void {
  parent
    .command("why")
    .summary("how a run came to where it stands")
    .description(
      "Prints the causal chain of a run's state, from the state back to its root causes; each link is an event, with what was seen and the numbers of the events it follows from.",
    )
    .argument("[RUN|FILE]", `${RUN_OR_FILE}; left out: the only open run, or the newest`)
    .option("--at <seq>", "the state after this event", wholeNumber)
    .addHelpText(
      "after",
      examples(
        ["why mail-1", "the chain behind the state it is in"],
        ["why mail-1 --at 40 --json", "as it was after event 40, for programs"],
      ),
    )
    .action(bind(why));
}

function why(call: Invocation, text: string | undefined, { at }: { readonly at?: number }): Promise<number> {
  return withRuns(call, [text], async ([source]) => {
    if (source === undefined) throw new Fault("not_found", `there is no run "${text ?? ""}"`);
    const events: Recorded[] = [];
    let last = 0;
    for await (const event of { [Symbol.asyncIterator]: () => source.events }) {
      last = event.seq;
      if (at === undefined || event.seq <= at) events.push(event);
    }
    if (events.length === 0 || (at !== undefined && at > last))
      throw new Fault(
        "usage",
        `--at ${String(at)} is no event of ${source.run}; expected 1 to ${String(last)}`,
        { details: { run: source.run, at, last } },
      );
    const { system } = source;
    // An earlier state had its own supervisor, of whom nothing is known.
    const lookedOf =
      system === null || at !== undefined ? null : await lookAtSupervision(system, call.store.named);
    const view = whyView(events, call.store.named, lookedOf?.(source.run));
    const disk = system === null || at !== undefined || OVER.has(view.status) ? null : await fullDiskOf(call);
    call.output.document(disk === null ? view : { ...view, disk });
    if (disk !== null) call.output.line(`${disk.text}; see ${disk.command}`);
    for (const line of whyLines(view)) call.output.line(line);
    if (system !== null) call.output.line(`every event: ${call.command("events", source.run)}`);
    return EXIT.done;
  });
}

/** The state first, then back to its roots: a person asks about the state, and may stop reading at any link. */
function whyLines({ state, at, chain, leftOut, now, next }: WhyView): string[] {
  return [
    `${state} (event ${String(at)})`,
    ...now.map((line) => `  ${printableLine(line)}`),
    ...(next === null ? [] : [`  go on with: ${next}`]),
    "",
    ...[...chain].reverse().flatMap(linkLines),
    ...(leftOut === 0 ? [] : [`… and ${String(leftOut)} causes further back`]),
    "",
  ];
}

const linkLines = ({ seq, at, text, evidence, because }: WhyLink): string[] => [
  `${String(seq).padStart(5)}  ${at}  ${printableLine(text)}`,
  ...evidence.map((line) => `${" ".repeat(7)}${printableLine(line)}`),
  ...(because.length === 0 ? [] : [`${" ".repeat(7)}← ${because.join(", ")}`]),
];
