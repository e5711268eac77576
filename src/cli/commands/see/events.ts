import { InvalidArgumentError, type Command } from "commander";
import type { System } from "../../../main.ts";
import type { Recorded } from "../../../model/events/events.ts";
import { knownTypes, printEvent, STANDING_EVENTS } from "../../print/print-event.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { findRun, newestRun } from "../../run/find-run.ts";
import { endOfFollowing, isStandstill } from "../../run/end-of-following.ts";
import { eventsAfter, followRun } from "../../run/follow-run.ts";
import { onInterrupt } from "../../run/interrupts.ts";
import type { Invocation } from "../../shell/invocation.ts";

interface EventsOptions {
  readonly type?: readonly string[];
  readonly since?: number;
  readonly follow?: boolean;
}

export function addEvents(parent: Command, bind: Bind): void {
  parent
    .command("events")
    .summary("what happened, event by event")
    .description(
      "Prints the journal of a run, oldest first; with --json as JSON Lines. Without RUN: of the newest run.",
    )
    .argument("[RUN]", "the run's id, or the beginning or end of it")
    .option("--type <type>", "only events of this type; may be given several times", collect)
    .option("--since <seq>", "only events after this one", wholeNumber)
    .option(
      "-f, --follow",
      "continue with what is appended, until the run has ended (exit 0) or waits for somebody (exit 3)",
    )
    .addHelpText(
      "after",
      examples(
        ["events mail-1 --follow", "watch a run that works in the background"],
        ["events mail-1 --type AttemptEnded --type StepFailed", "only what went wrong"],
        ["events mail-1 --since 120 --json", "the rest of a journal, for programs"],
      ),
    )
    .action(bind(events));
}

const collect = (value: string, previous: readonly string[] | undefined): string[] => [
  ...(previous ?? []),
  value,
];

export function wholeNumber(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError("Expected a whole number from 0.");
  return Number(value);
}

async function events(call: Invocation, text: string | undefined, options: EventsOptions): Promise<number> {
  const types = await knownTypes(options.type);
  return call.withSystem("empty", async (system) => {
    const { journal } = system.ports;
    const run = text === undefined ? await newestRun(journal) : await findRun(journal, text);
    if (text === undefined && !call.output.json) call.output.note(`events of ${run}:`);
    const show = (event: Recorded): void => {
      if (types === null || types.has(event.type)) printEvent(call.output, event);
    };
    const after = options.since ?? 0;
    if (options.follow === true) return follow(call, system, { run, after }, show);
    for await (const event of eventsAfter(journal, run, after)) show(event);
    return EXIT.done;
  });
}

/** Ends when nothing more comes by itself: the run has ended, or waits for somebody. */
async function follow(
  call: Invocation,
  system: System,
  { run, after }: { readonly run: string; readonly after: number },
  show: (event: Recorded) => void,
): Promise<number> {
  const over = new AbortController();
  let interrupted = false;
  const quiet = onInterrupt(() => {
    interrupted = true;
    over.abort();
  });
  try {
    const state = await system.loadRun(run);
    if (state === null || isStandstill(state.status)) over.abort();
    for await (const event of followRun(system.ports.journal, run, { after, until: over.signal })) {
      show(event);
      if (event.seq > (state?.seq ?? 0) && STANDING_EVENTS.includes(event.type)) over.abort();
    }
  } finally {
    quiet();
  }
  if (!interrupted) return endOfFollowing(call, system, run);
  call.output.note(`no longer following ${run}, which goes on as it was`);
  return EXIT.interrupted;
}
