import { envOf, objectIn, type OfferMcp } from "../headless/mcp-offer.ts";

const VARIABLE = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH";
const USUAL = "/etc/gemini-cli/system-defaults.json";

/**
 * As the defaults of the system, which are below all that a person has set: their file is taken over and added to.
 * The settings of the person and of the project stay as they are and still count.
 */
export const offerToGemini: OfferMcp = (servers, { file, env, read }) => {
  const settings = file("gemini-defaults.json");
  const before = objectIn(read(env[VARIABLE] ?? USUAL));
  const own = objectIn(JSON.stringify(before["mcpServers"] ?? {}));
  const offered = servers.map((server) => [
    server.name,
    // Trusted: nobody is there to be asked before each call.
    { command: server.command, args: server.args, env: envOf(server), trust: true },
  ]);
  const mcpServers = { ...own, ...Object.fromEntries(offered) };
  return {
    env: { [VARIABLE]: settings },
    files: { [settings]: JSON.stringify({ ...before, mcpServers }) },
  };
};
