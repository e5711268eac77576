import { ask } from "./answers.ts";
import type { Command } from "commander";
import { Fault } from "../../../model/fault.ts";
import { examples, type Bind } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";

const RUN = "the run's id, or the beginning or end of it";

/** The commands that send something to a run: a signal, what became of a step in doubt, a changed setting. */
export function addSignals(parent: Command, bind: Bind): void {
  addSignal(parent, bind);
  addSettle(parent, bind);
  addSet(parent, bind);
}

/** A value as people write it on the command line. */
function jsonValue(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Fault(
      "usage",
      `${what} ${text} is no JSON; expected a value such as true, 42, '"a text"' or '{"ok":true}'`,
    );
  }
}

function addSignal(parent: Command, bind: Bind): void {
  parent
    .command("signal")
    .summary("send a signal to a run of the library")
    .description(
      "Sends a signal that a run's workflow function waits for, or will wait for: it is queued by its name.",
    )
    .argument("<RUN>", RUN)
    .argument("<NAME>", "the signal's name, as in run.waitFor(NAME)")
    .argument("[VALUE]", "its value as JSON; null if left out")
    .addHelpText(
      "after",
      examples(
        ["signal triage-1 approval true", "the function continues with { value: true }"],
        [`signal triage-1 answer '"later"'`, "a text is written as JSON"],
      ),
    )
    .action(
      bind((call: Invocation, run: string, name: string, value: string | undefined) =>
        ask(call, run, {
          kind: "signal",
          name,
          value: value === undefined ? null : jsonValue(value, "the value"),
        }),
      ),
    );
}

function addSettle(parent: Command, bind: Bind): void {
  parent
    .command("settle")
    .summary("say what became of a step in doubt")
    .description(
      "Says of a step in doubt, which a process began and did not live to record, that it was done or that it may be done again.",
    )
    .argument("<RUN>", RUN)
    .argument("<KEY>", "the step's key, as `status` shows it, or its name")
    .option("--done <json>", "it was done, and this is its result")
    .option("--again", "it was not done, or may be done twice")
    .addHelpText(
      "after",
      examples(
        [`settle triage-1 step:pay --done '"receipt 7"'`, "it is not done again"],
        ["settle triage-1 step:pay --again", "it is done again"],
      ),
    )
    .action(bind(settle));
}

function settle(
  call: Invocation,
  run: string,
  key: string,
  { done, again }: { readonly done?: string; readonly again?: boolean },
): Promise<number> {
  if ((done === undefined) === (again !== true))
    throw new Fault("usage", "settle needs one of --done JSON (it was done) and --again (do it again)");
  const outcome =
    done === undefined
      ? ({ kind: "again" } as const)
      : ({ kind: "done", value: jsonValue(done, "--done") } as const);
  return ask(call, run, { kind: "settle", key, outcome });
}

function addSet(parent: Command, bind: Bind): void {
  parent
    .command("set")
    .summary("change settings of a run")
    .description(
      "Changes limits and settings of a run, whether it is running, blocked or paused; they hold at once. A run that lacked only them goes on.",
    )
    .argument("<RUN>", RUN)
    .argument(
      "[SETTING...]",
      "KEY=VALUE, one or more: budget.usd, limits.run, step.NAME.limit, or a key of the configuration",
    )
    .option("--note <text>", "why, for the journal")
    .option("--all", "without RUN: for all runs of the store, budget.day.usd and budget.day.tokens")
    .addHelpText(
      "after",
      examples(
        ["set mail-1 budget.usd=40", "a run that had spent its budget goes on"],
        ["set mail-1 budget.tokens=2000000 budget.time=8h", "several at once"],
        ['set mail-1 limits.run=4h --note "it is a large one"', "more time, and why"],
        ["set mail-1 step.build.budget.usd=5 attempts.perStep=5", "of one step, and of all"],
        ["set --all budget.day.usd=80", "what all runs together may spend in one day"],
      ),
    )
    .action(
      bind(
        async (
          call: Invocation,
          run: string,
          words: readonly string[],
          { note, all }: { readonly note?: string; readonly all?: boolean },
        ) => {
          if (all === true) return (await import("../../run/day-budget.ts")).setForAll(call, [run, ...words]);
          if (words.length === 0)
            throw new Fault("usage", `expected KEY=VALUE after the run, such as set ${run} budget.usd=40`);
          const { settingRequests } = await import("../../run/run-settings.ts");
          let code = 0;
          for (const request of settingRequests(words, note)) code = await ask(call, run, request);
          return code;
        },
      ),
    );
}
