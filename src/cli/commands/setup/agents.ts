import type { Command } from "commander";
import type { AgentReport } from "../../../main.ts";
import { type Bind, examples, EXIT } from "../../shell/define-command.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { tableLines } from "../../print/table.ts";
import type { TryOptions } from "../../try-one.ts";

/** Adds the list of agents, and the trial of one of them. */
export function addAgents(parent: Command, bind: Bind): void {
  const command = parent
    .command("agents")
    .summary("which agents can work here")
    .description(
      "Lists the kinds of agents, whether their programs are installed here and in which version, what each can do, and how to get what is missing.",
    )
    .action(bind(agents));
  command.addHelpText(
    "after",
    examples(
      ["agents", "what is here, what is missing and how to get it"],
      ["agents --json", "for programs, with everything that each can do"],
      ["agents try coder", "what is recognised of a configured agent"],
    ),
  );
  addTry(command, bind);
}

async function agents(call: Invocation): Promise<number> {
  const { surveyAgents, surveyConfigured } = await import("../../../main.ts");
  const specs = (await call.config()).agents;
  const reports = await surveyAgents(specs);
  const configured = surveyConfigured(specs);
  const namesOf = (kind: string): string[] =>
    configured.filter((one) => one.kind === kind).map(({ name }) => name);
  call.output.document({
    agents: reports.map((report) => ({ ...report, configured: namesOf(report.kind) })),
    configured,
  });
  const rows = reports.map((report) => [
    report.kind,
    report.state,
    versionText(report),
    abilities(report),
    namesOf(report.kind).join(", "),
  ]);
  for (const line of tableLines([["KIND", "STATE", "VERSION", "CAN", "CONFIGURED AS"], ...rows]))
    call.output.line(line);
  for (const { kind, remedy } of reports) if (remedy !== null) call.output.line(`→ ${kind}: ${remedy}`);
  for (const { name, remedy } of configured)
    if (remedy !== null) call.output.line(`→ agent "${name}": ${remedy}`);
  return EXIT.done;
}

const versionText = ({ version, known }: AgentReport): string =>
  version === null ? "-" : `${version}${known === false ? " (unknown to us)" : ""}`;

const STEERED = {
  live: "accepts messages at work",
  "between-turns": "accepts messages between turns",
  none: null,
} as const;

/** Money that an agent does not report while it works is priced from its tokens. */
const howCounted = ({ usd, usdBy }: AgentReport["capabilities"]["counts"]): string =>
  `${usd === "live" ? " live" : ""}${usdBy === "prices" ? " (money priced from tokens)" : ""}`;

function abilities({ capabilities }: AgentReport): string {
  const { outlivesSupervisor, steer, resume, permissions, usage, counts, mcp } = capabilities;
  const words = [
    outlivesSupervisor ? "outlives" : null,
    STEERED[steer],
    resume ? "resumes" : null,
    permissions ? "asks" : null,
    usage ? `counts${howCounted(counts)}` : null,
    mcp ? "MCP" : null,
  ];
  return words.filter((word) => word !== null).join(", ");
}

function addTry(parent: Command, bind: Bind): void {
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
