import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { plainTextIfAny } from "../../files/plain-file.ts";
import { inheritedEnvironment } from "../inherited-environment.ts";
import type { SessionFolder } from "../keeper/session-folder.ts";
import type { McpServer } from "../mcp-servers.ts";
import type { HeadlessAgent, McpOffer } from "./headless-agent.ts";

interface Offering {
  readonly servers: readonly McpServer[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What its user has configured stays as it is: tools are offered beside it. May be repeated. */
export function offerTools(
  agent: HeadlessAgent,
  { folder }: SessionFolder,
  { servers, env }: Offering,
): McpOffer {
  if (servers.length === 0) return {};
  const offer = agent.offerMcp(servers, {
    file: (name) => path.join(folder, name),
    env: { ...inheritedEnvironment(process.env, {}), ...env },
    read,
    list,
  });
  for (const one of offer.folders ?? []) mkdirSync(one, { recursive: true, mode: 0o700 });
  for (const [link, target] of Object.entries(offer.links ?? {}))
    if (!existsSync(link)) symlinkSync(target, link);
  return offer;
}

const SETTINGS_BYTES_MAX = 4 * 1024 * 1024;

/** Settings that the user's own agent keeps, often a link among dotfiles. */
const read = (file: string): string | undefined =>
  plainTextIfAny(file, { bytesMax: SETTINGS_BYTES_MAX, links: "follow" });

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
