import type { Command } from "commander";
import { Fault } from "../../../model/fault.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { Invocation } from "../../shell/invocation.ts";
import type { McpStreams } from "../../mcp/mcp-stdio.ts";

export function addMcp(parent: Command, bind: Bind): void {
  parent
    .command("mcp")
    .summary("tools for an agent at work, as a server of the Model Context Protocol")
    .description(
      "Serves tools on stdin and stdout to the agent of one attempt: read the task, report progress, save a checkpoint, set an alarm, ask a person. Started by agents that Holdfast runs, whose configuration says how: HOLDFAST_MCP_RUN and HOLDFAST_MCP_ATTEMPT say for whom it speaks, HOLDFAST_MCP_TOKEN proves it, and HOLDFAST_MCP_DOOR names the file that knows the store.",
    )
    .addHelpText("after", examples(["mcp", "as an agent starts it"], ["mcp --help", "what it needs"]))
    .action(bind(mcp));
}

async function mcp(call: Invocation): Promise<number> {
  const { env } = call.surroundings;
  const { serveOnSocket } = await import("../../mcp/mcp-socket.ts");
  const bearer = bearerIn(env);
  const [{ serveTools }, { agentTools }, { speakerOf }, { readDoor }] = await Promise.all([
    import("../../mcp/mcp-stdio.ts"),
    import("../../mcp/agent-tools.ts"),
    import("../../mcp/speaker.ts"),
    import("../../../main.ts"),
  ]);
  const door = readDoor(bearer.door);
  const token = env["HOLDFAST_MCP_TOKEN"] ?? "";
  const notAdmitted = door.admits(bearer, token) ? null : whyNot(bearer, token);
  // The store is the door's, no matter what the agent's own surroundings say.
  const own = new Invocation({ store: door.store }, call.output, call.surroundings);
  return own.withSystem("empty", async (system) => {
    const write = (line: string): void => own.output.product(line);
    const tools = agentTools(system, speakerOf(bearer, notAdmitted));
    const serve = (streams: McpStreams): Promise<void> => serveTools(tools, "1", streams);
    const listen = env["HOLDFAST_MCP_LISTEN"] ?? "";
    await (listen === "" ? serve({ input: process.stdin, write }) : serveOnSocket(listen, serve));
    return EXIT.done;
  });
}

interface Bearer {
  readonly run: string;
  readonly attempt: string;
  readonly door: string;
}

/** Said to the agent at every call: a server that does not begin says nothing to anybody. */
const whyNot = ({ run, attempt }: Bearer, token: string): string =>
  token === ""
    ? `nobody may speak for ${attempt} of ${run} without its token; expected HOLDFAST_MCP_TOKEN, which Holdfast gives to the agent that it starts`
    : `the token in HOLDFAST_MCP_TOKEN is not that of ${attempt} of ${run}; each attempt has its own and speaks for itself alone`;

function bearerIn(env: Readonly<Record<string, string | undefined>>): Bearer {
  const [run, attempt, door] = ["RUN", "ATTEMPT", "DOOR"].map((name) => env[`HOLDFAST_MCP_${name}`] ?? "");
  if (run && attempt && door) return { run, attempt, door };
  throw new Fault(
    "usage",
    "holdfast mcp does not know for whom it speaks; expected HOLDFAST_MCP_RUN, HOLDFAST_MCP_ATTEMPT and HOLDFAST_MCP_DOOR, which Holdfast gives to the agents that it starts",
  );
}
