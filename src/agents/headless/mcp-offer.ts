import type { McpServer } from "../mcp-servers.ts";

/** How one vendor's agent is offered servers of tools, without a change to what its user has configured. */
export interface McpOffer {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Files of the session that arguments or environment name, by path. They may hold a token: only the owner reads them. */
  readonly files?: Readonly<Record<string, string>>;
  /** Folders that must be there first. */
  readonly folders?: readonly string[];
  /** Links to what its user has, by path. */
  readonly links?: Readonly<Record<string, string>>;
}

/** Where an offer may put its files, and what is in the environment already. */
export interface McpPlace {
  readonly file: (name: string) => string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A file as it is now; undefined where it cannot be read. */
  readonly read: (file: string) => string | undefined;
  /** What is in a folder; nothing where it cannot be read. */
  readonly list: (folder: string) => readonly string[];
}

export type OfferMcp = (servers: readonly McpServer[], place: McpPlace) => McpOffer;

/** A server's environment as most configurations want it. */
export const envOf = ({ env }: McpServer): Readonly<Record<string, string>> =>
  Object.fromEntries(env.map(({ name, value }) => [name, value]));

/** A JSON object in a text; an empty one where there is none. */
export function objectIn(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}
