import type { Command } from "commander";
import { examples, type Bind } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";
import type { TryOptions } from "../../try-one.ts";

export function addTry(parent: Command, bind: Bind): void {
  parent
    .command("try")
    .summary("find out what is recognised of an agent")
    .description(
      "Lets an agent do a harmless task in a temporary folder, and reports what was recognised: start, prompt, work, calls, usage, context, dialogs, session and end. Agents that can be aimed at a model on this machine talk with one that plays a script, with a home folder of their own; another is given the task with its own provider. Proposes what to configure.",
    )
    .argument("<NAME>", "a configured agent, or a kind such as claude")
    .option("--timeout <time>", "how long it may take (default: 2m)")
    .option("--offline", "never ask the agent's own provider")
    .option("--trust", "trust what the repository's files name, as it is now (see docs/trust.md)")
    .addHelpText(
      "after",
      examples(
        ["agents try coder", "what is recognised, and what to configure"],
        ["agents try coder --offline --json", "for programs; never with its own provider"],
      ),
    )
    .action(bind(tryAgent));
}

async function tryAgent(call: Invocation, name: string, options: TryOptions): Promise<number> {
  const { tryOne } = await import("../../try-one.ts");
  return tryOne(call, name, options);
}
