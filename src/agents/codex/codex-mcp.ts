import { envOf, type OfferMcp } from "../headless/mcp-offer.ts";

/** A start of the command line on a busy machine. */
const START_LIMIT_S = 60;
/** A question to a person is waited for this long, and asked again. */
const CALL_LIMIT_S = 120;

/**
 * As settings on the command line, beside those of its own file. Every process of a machine can read arguments, so
 * the values go through the environment and only their names are told.
 */
export const offerToCodex: OfferMcp = (servers) => ({
  args: servers.flatMap((server) =>
    Object.entries({
      command: server.command,
      args: server.args,
      env_vars: server.env.map(({ name }) => name),
      startup_timeout_sec: START_LIMIT_S,
      tool_timeout_sec: CALL_LIMIT_S,
    }).flatMap(([key, value]) => ["--config", `mcp_servers.${server.name}.${key}=${JSON.stringify(value)}`]),
  ),
  env: Object.assign({}, ...servers.map(envOf)) as Record<string, string>,
});
