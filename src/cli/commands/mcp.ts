import type { Command } from "commander";
import { Fault } from "../../model/fault.ts";
import { showExamples, type Bind } from "../define-command.ts";
import { EXIT } from "../exit-codes.ts";
import type { Invocation } from "../invocation.ts";
import type { Speaker } from "../mcp/agent-tools.ts";

export function addMcp(parent: Command, bind: Bind): void {
  const command = parent
    .command("mcp")
    .summary("tools for an agent at work, as a server of the Model Context Protocol")
    .description(
      "Serves tools on stdin and stdout to the agent of one attempt: read the task, report progress, ask a person. Started by agents that Holdfast runs, which are told how; HOLDFAST_MCP_RUN and HOLDFAST_MCP_ATTEMPT say for whom it speaks.",
    )
    .action(bind(mcp));
  showExamples(
    command,
    ["mcp", "as an agent starts it"],
    ["mcp --store sqlite:./runs.db", "for a run of that store"],
  );
}

async function mcp(call: Invocation): Promise<number> {
  const speaker = speakerIn(call.surroundings.env);
  const [{ serveTools }, { agentTools }] = await Promise.all([
    import("../mcp/mcp-stdio.ts"),
    import("../mcp/agent-tools.ts"),
  ]);
  return call.withSystem("empty", async (system) => {
    const write = (line: string): void => void process.stdout.write(line);
    await serveTools(agentTools(system, speaker), "1", { input: process.stdin, write });
    return EXIT.done;
  });
}

function speakerIn(env: Readonly<Record<string, string | undefined>>): Speaker {
  const [run, attempt] = [env["HOLDFAST_MCP_RUN"] ?? "", env["HOLDFAST_MCP_ATTEMPT"] ?? ""];
  if (run !== "" && attempt !== "") return { run, attempt };
  throw new Fault(
    "usage",
    "holdfast mcp does not know for whom it speaks; expected HOLDFAST_MCP_RUN and HOLDFAST_MCP_ATTEMPT, which Holdfast gives to the agents that it starts",
  );
}
