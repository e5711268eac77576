import { envOf, type OfferMcp } from "../headless/mcp-offer.ts";

/**
 * Named on the command line, and no others: what a repository's own `.mcp.json` would start is not started unasked.
 * Somebody who names servers in `args` has theirs beside ours.
 */
export const offerToClaude: OfferMcp = (servers, { file }) => {
  const config = file("mcp.json");
  const mcpServers = Object.fromEntries(
    servers.map((server) => [
      server.name,
      { type: "stdio", command: server.command, args: server.args, env: envOf(server), alwaysLoad: true },
    ]),
  );
  return {
    args: [`--mcp-config=${config}`, "--strict-mcp-config"],
    files: { [config]: JSON.stringify({ mcpServers }) },
  };
};
