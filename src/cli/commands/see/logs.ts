import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import type { System } from "../../../main.ts";
import { Fault } from "../../../model/fault.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { wholeNumber } from "./events.ts";
import { findRun, newestRun } from "../../run/find-run.ts";
import { endOfFollowing, isStandstill } from "../../run/end-of-following.ts";
import { onInterrupt } from "../../run/interrupts.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { LOG_START, readCursor } from "../../run/log-cursor.ts";
import { LogPrinter } from "../../print/log-printer.ts";
import { didYouMean } from "../../shell/nearest.ts";

interface LogsOptions {
  readonly step?: string;
  readonly follow?: boolean;
  readonly raw?: boolean;
  readonly lines?: number;
  readonly cursor?: string;
}

export function addLogs(parent: Command, bind: Bind): void {
  parent
    .command("logs")
    .summary("what the agents of a run said and did")
    .description(
      "Prints what the agents of a run said and did, attempt by attempt: of agents that print JSON, and of functions, as a transcript; of others what they wrote to stdout and stderr. Control characters are shown and do nothing. With --json: each line as it was printed. Without RUN: of the newest run.",
    )
    .argument("[RUN]", "the run's id, or the beginning or end of it")
    .option("--step <step>", "only of this step")
    .option(
      "-f, --follow",
      "continue with what comes, until the run has ended or waits for somebody (exit 3)",
    )
    .option("-n, --lines <count>", "only so many lines of what is there already", wholeNumber)
    .option("--raw", "as it was printed, also what is made for programs")
    .option("--cursor <cursor>", "only what comes after the line that had this cursor in --json")
    .addHelpText(
      "after",
      examples(
        ["logs mail-1 -f -n 20", "the last lines, and then what comes"],
        ["logs mail-1 --step build", "only of one step, all its attempts"],
        ["logs mail-1 --json", "each line with its attempt, for programs"],
      ),
    )
    .action(bind(logs));
}

const LOOK_EVERY_MS = 250;

async function logs(call: Invocation, text: string | undefined, options: LogsOptions): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const { journal } = system.ports;
    const run = text === undefined ? await newestRun(journal) : await findRun(journal, text);
    const state = await system.loadRun(run);
    checkStep(options.step, Object.keys(state?.steps ?? {}));
    const printer = new LogPrinter(call, system, {
      run,
      agents: state?.agents ?? {},
      step: options.step,
      raw: options.raw === true || call.output.json,
      from: options.cursor === undefined ? LOG_START : readCursor(options.cursor),
      last: options.lines,
    });
    let interrupted = false;
    const quiet = onInterrupt(() => (interrupted = true));
    try {
      for (;;) {
        // In this order: what was printed before the run ended is read after it was seen to have.
        const over = options.follow !== true || (await isStill(system, run));
        await printer.look();
        if (over || interrupted) break;
        await delay(LOOK_EVERY_MS);
      }
    } finally {
      quiet();
    }
    printer.finish();
    if (interrupted) return EXIT.interrupted;
    return options.follow === true ? endOfFollowing(call, system, run) : EXIT.done;
  });
}

/** Nothing more comes by itself. */
async function isStill(system: System, run: string): Promise<boolean> {
  const state = await system.loadRun(run);
  return state === null || isStandstill(state.status);
}

function checkStep(step: string | undefined, steps: readonly string[]): void {
  if (step === undefined || steps.includes(step)) return;
  throw new Fault(
    "usage",
    `--step is "${step}", which is no step of this run${didYouMean(step, steps) || `; expected one of ${steps.join(", ")}`}`,
    { details: { step, steps } },
  );
}
