import { envOf, objectIn, type OfferMcp } from "../headless/mcp-offer.ts";

const VARIABLE = "OPENCODE_CONFIG_CONTENT";

/** As a configuration in the environment, which opencode reads beside its files. One that is there is added to. */
export const offerToOpencode: OfferMcp = (servers, { env }) => {
  const before = objectIn(env[VARIABLE]);
  const own = objectIn(JSON.stringify(before["mcp"] ?? {}));
  const offered = servers.map((server): [string, object] => [
    server.name,
    {
      type: "local",
      command: [server.command, ...server.args],
      environment: envOf(server),
      enabled: true,
    },
  ]);
  const mcp = { ...own, ...Object.fromEntries(offered) };
  return { env: { [VARIABLE]: JSON.stringify({ ...before, mcp }) } };
};
