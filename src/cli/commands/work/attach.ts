import { spawnSync } from "node:child_process";
import type { Command } from "commander";
import { Fault } from "../../../model/fault.ts";
import type { AttemptState, RunState } from "../../../model/state/run-state.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { findRun } from "../../run/find-run.ts";
import type { Invocation } from "../../shell/invocation.ts";

interface AttachOptions {
  readonly step?: string;
  readonly type?: boolean;
  readonly print?: boolean;
}

export function addAttach(parent: Command, bind: Bind): void {
  parent
    .command("attach")
    .summary("see the terminal in which an agent works")
    .description(
      "Shows the terminal of an agent that is driven by `tmux`. What you type goes nowhere unless you ask for it; leave with C-b d.",
    )
    .argument(
      "[RUN]",
      "the run's id, or the beginning or end of it; may be left out where only one has not ended",
    )
    .option("--step <name>", "where several agents work: the step")
    .option("--type", "let what you type reach the agent")
    .option("--print", "print the command instead of running it")
    .addHelpText(
      "after",
      examples(
        ["attach mail-1", "look on"],
        ["attach mail-1 --step build --type", "type to the agent of one step"],
      ),
    )
    .action(bind(attach));
}

async function attach(call: Invocation, text: string | undefined, options: AttachOptions): Promise<number> {
  const words = await call.withSystem("empty", async (system) => {
    const run = await findRun(system.ports.journal, text);
    const state = await system.loadRun(run);
    if (state === null) throw new Fault("not_found", `there is no run "${run}" in this store`);
    const { session } = terminalAttempt(state, options.step);
    return system.attachCommand(session, options.type === true);
  });
  const [program = "env", ...args] = words;
  if (options.print === true || !process.stdin.isTTY || !process.stdout.isTTY) {
    call.output.document({ command: words });
    call.output.line(words.join(" "));
    return EXIT.done;
  }
  const { error, status } = spawnSync(program, args, { stdio: "inherit" });
  if (error !== undefined) throw new Fault("usage", `the terminal could not be shown: ${error.message}`);
  if (status !== 0)
    throw new Fault("not_found", "the agent's terminal is not there; it has ended, or works on another host");
  return EXIT.done;
}

function terminalAttempt(state: RunState, step: string | undefined): AttemptState {
  const live = Object.values(state.attempts).filter((one) => step === undefined || one.step === step);
  const [attempt, ...others] = live;
  const where = step === undefined ? "" : ` in step "${step}"`;
  if (attempt === undefined)
    throw new Fault(
      "refused",
      `no agent of ${state.run} works${where} just now: the run is ${state.status}; it can be attached to while an agent in a terminal works`,
      { details: { run: state.run, status: state.status, allowedIn: ["running"] } },
    );
  if (others.length > 0)
    throw new Fault(
      "usage",
      `several agents are running; name one with --step: ${live.map((one) => one.step).join(", ")}`,
    );
  const use = state.agents[attempt.agent]?.use ?? "unknown";
  if (use !== "tmux")
    throw new Fault(
      "usage",
      `the agent ${attempt.agent} is driven by ${use} and has no terminal; expected one with use: tmux`,
    );
  return attempt;
}
