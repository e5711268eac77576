import type { StartOrder } from "./agent-driver.ts";

/** A server of the Model Context Protocol that the agent is to start, as `session/new` names it. */
export interface McpServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/** The server of tools that an agent is offered: the command line itself, speaking for that one attempt. */
export const mcpServersOf =
  (ownCommand: readonly [string, ...string[]] | undefined, store: string | undefined) =>
  ({ run, attempt }: StartOrder): readonly McpServer[] => {
    if (ownCommand === undefined || store === undefined || store === "memory:") return [];
    const [command, ...args] = ownCommand;
    const env = [
      { name: "HOLDFAST_STORE", value: store },
      { name: "HOLDFAST_MCP_RUN", value: run },
      { name: "HOLDFAST_MCP_ATTEMPT", value: attempt },
    ];
    return [{ name: "holdfast", command, args: [...args, "mcp"], env }];
  };
