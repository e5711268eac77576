import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import type { System } from "../../main.ts";
import type { EventData, Recorded } from "../../model/events.ts";
import { Fault } from "../../model/fault.ts";
import { isEnded } from "../../model/run-status.ts";
import { showExamples, type Bind } from "../define-command.ts";
import { EXIT } from "../exit-codes.ts";
import { findRun, newestRun } from "../find-run.ts";
import { eventsAfter } from "../follow-run.ts";
import { onInterrupt } from "../interrupts.ts";
import type { Invocation } from "../invocation.ts";
import { didYouMean } from "../nearest.ts";
import { UsageMeter } from "../usage-meter.ts";

interface LogsOptions {
  readonly step?: string;
  readonly follow?: boolean;
}

export function addLogs(parent: Command, bind: Bind): void {
  const command = parent
    .command("logs")
    .summary("what the agents of a run printed")
    .description(
      "Prints what the agents of a run wrote to their stdout and stderr, as it is, attempt by attempt; control characters are shown and do nothing. Without RUN: of the newest run.",
    )
    .argument("[RUN]", "the run's id, or the beginning or end of it")
    .option("--step <step>", "only of this step")
    .option("--follow", "go on with what is printed, until the run has ended")
    .action(bind(logs));
  showExamples(
    command,
    ["logs mail-1 --follow", "watch the agents of a run at work"],
    ["logs mail-1 --step build", "only of one step, all its attempts"],
    ["logs mail-1 --json", "each line with its attempt, for programs"],
  );
}

const LOOK_EVERY_MS = 250;

async function logs(call: Invocation, text: string | undefined, options: LogsOptions): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const { journal } = system.rooms;
    const run = text === undefined ? await newestRun(journal) : await findRun(journal, text);
    const state = await system.loadRun(run);
    checkStep(options.step, Object.keys(state?.steps ?? {}));
    const printer = new LogPrinter(call, system, run, options.step);
    let interrupted = false;
    const quiet = onInterrupt(() => (interrupted = true));
    try {
      for (;;) {
        // In this order: what was printed before the run ended is read after it was seen to have.
        const over = options.follow !== true || (await hasEnded(system, run));
        await printer.look(over);
        if (over || interrupted) break;
        await delay(LOOK_EVERY_MS);
      }
    } finally {
      quiet();
    }
    printer.finish();
    return interrupted ? EXIT.interrupted : EXIT.done;
  });
}

async function hasEnded(system: System, run: string): Promise<boolean> {
  const state = await system.loadRun(run);
  return state === null || isEnded(state.status);
}

function checkStep(step: string | undefined, steps: readonly string[]): void {
  if (step === undefined || steps.includes(step)) return;
  throw new Fault(
    "usage",
    `--step is "${step}", which is no step of this run${didYouMean(step, steps) || `; expected one of ${steps.join(", ")}`}`,
    { details: { step, steps } },
  );
}

type Attempt = EventData<"AttemptStarted">;

/** Prints the output of a run's sessions, each line once. */
class LogPrinter {
  readonly #call: Invocation;
  readonly #system: System;
  readonly #run: string;
  readonly #step: string | undefined;
  readonly #sessions = new Map<Attempt, ReturnType<System["tailOutput"]>>();
  #after = 0;
  #heading = "";
  readonly #meter = new UsageMeter();
  #isUsageNews = false;

  constructor(call: Invocation, system: System, run: string, step: string | undefined) {
    this.#call = call;
    this.#system = system;
    this.#run = run;
    this.#step = step;
  }

  /** Prints what is new; with `last`, what stands without a line end as well. */
  async look(last: boolean): Promise<void> {
    for await (const event of eventsAfter(this.#system.rooms.journal, this.#run, this.#after))
      this.#hear(event);
    for (const [attempt, tail] of this.#sessions)
      for (const line of [...tail.next(), ...(last ? tail.rest() : [])])
        this.#print(attempt, line.from, line.text);
    if (this.#isUsageNews && !this.#call.output.json) this.#call.output.note(`── ${this.#meter.text()}`);
    this.#isUsageNews = false;
  }

  finish(): void {
    for (const [attempt, tail] of this.#sessions)
      if (!tail.isHere())
        this.#call.output.note(
          `nothing of ${attempt.attempt} is here: it ran inside its supervisor, on another host, or never began`,
        );
    if (this.#sessions.size === 0) this.#call.output.note("no agent was started yet");
  }

  #hear(event: Recorded): void {
    this.#after = event.seq;
    if (this.#meter.hear(event)) this.#isUsageNews = true;
    if (event.type !== "AttemptStarted") return;
    if (this.#step === undefined || event.data.step === this.#step)
      this.#sessions.set(event.data, this.#system.tailOutput(event.data.session));
  }

  #print({ attempt, step, agent }: Attempt, stream: "out" | "err", text: string): void {
    const { output } = this.#call;
    const heading = `${attempt}${stream === "err" ? " (stderr)" : ""}`;
    if (heading !== this.#heading && !output.json) output.note(`── ${heading}`);
    this.#heading = heading;
    output.record({ run: this.#run, step, attempt, agent, stream, text });
    output.line(text);
  }
}
