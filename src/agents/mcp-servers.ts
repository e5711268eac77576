import path from "node:path";
import type { StartOrder } from "./agent-driver.ts";
import { openDoor } from "./mcp-door.ts";

/** A server of the Model Context Protocol that the agent is to start, as `session/new` names it. */
export interface McpServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/** Where an agent in a sandbox finds the socket of its tools. */
export const TOOLS_SOCKET = "/run/holdfast/tools/socket";
/** And the program that passes its words on to that socket. */
export const TOOLS_RELAY = `/run/holdfast/tools-relay.m${path.extname(import.meta.url).slice(1)}`;

/** What servers of tools an attempt is offered. */
export type McpServersOf = (order: StartOrder) => readonly McpServer[];

export interface McpPlace {
  /** The command line itself; undefined where Holdfast is only a part of another program. */
  readonly ownCommand: readonly [string, ...string[]] | undefined;
  readonly store: string | undefined;
  /** Where sessions are kept, and the door with them. */
  readonly folder: string;
}

/**
 * The server of tools that an agent is offered: the command line itself, speaking for that one attempt. The store's
 * address, which may hold a password, is in the door's file and not in the environment.
 */
export const mcpServersOf =
  ({ ownCommand, store, folder }: McpPlace): McpServersOf =>
  ({ run, attempt, enter }) => {
    if (ownCommand === undefined || store === undefined || store === "memory:") return [];
    const [command, ...args] = ownCommand;
    const name = "holdfast";
    // What it starts there cannot reach the store, and speaks through a socket that is this attempt's alone.
    const socket = { name: "HOLDFAST_MCP_SOCKET", value: TOOLS_SOCKET };
    if (enter !== undefined) return [{ name, command: process.execPath, args: [TOOLS_RELAY], env: [socket] }];
    const door = openDoor(folder, store);
    const env = [
      { name: "HOLDFAST_MCP_DOOR", value: door.file },
      { name: "HOLDFAST_MCP_RUN", value: run },
      { name: "HOLDFAST_MCP_ATTEMPT", value: attempt },
      { name: "HOLDFAST_MCP_TOKEN", value: door.tokenOf({ run, attempt }) },
    ];
    return [{ name, command, args: [...args, "mcp"], env }];
  };
