import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { inheritedEnvironment } from "../inherited-environment.ts";
import type { SessionFolder } from "../keeper/session-folder.ts";
import type { McpServer } from "../mcp-servers.ts";
import type { HeadlessAgent } from "./headless-agent.ts";
import type { McpOffer } from "./mcp-offer.ts";

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

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
