import type { Command } from "commander";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { findRun } from "../../run/find-run.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { leftSessionLines, leftSessions } from "../../supervise/left-sessions.ts";

export function addInvestigate(parent: Command, bind: Bind): void {
  parent
    .command("investigate")
    .summary("sessions that live although their attempt has ended")
    .description(
      "Shows the sessions on this host that still run although their attempt has ended: process, program, since when, last output, conversation. Nothing is ended unless you ask for it. Without RUN: of all runs.",
    )
    .argument("[RUN]", "the run's id, or the beginning or end of it")
    .option("--end", "end them, politely first, with everything they started")
    .addHelpText(
      "after",
      examples(
        ["investigate mail-1", "what still runs of this run, and what it is"],
        ["investigate mail-1 --end", "end it"],
      ),
    )
    .action(bind(investigate));
}

const GRACE_MS = 10_000;

async function investigate(
  call: Invocation,
  text: string | undefined,
  { end }: { readonly end?: boolean },
): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const run = text === undefined ? undefined : await findRun(system.ports.journal, text);
    const found = await leftSessions(system, run);
    const failures: string[] = [];
    for (const { session } of end === true ? found : []) {
      const outcome = await system.sessions.end(session, GRACE_MS);
      if (outcome.kind === "failed") failures.push(`${session}: ${outcome.text}`);
    }
    call.output.document({ sessions: found, ended: end === true && failures.length === 0, failures });
    if (found.length === 0) call.output.line("no session runs whose attempt has ended");
    for (const one of found) for (const line of leftSessionLines(one)) call.output.line(line);
    for (const failure of failures) call.output.line(`could not be ended: ${failure}`);
    if (found.length > 0 && end !== true)
      call.output.line(
        `leave it as it is, or end it: ${call.command("investigate", ...(run === undefined ? [] : [run]), "--end")}`,
      );
    else if (found.length > 0 && failures.length === 0) call.output.line("ended");
    return failures.length === 0 ? EXIT.done : EXIT.unsuccessful;
  });
}
