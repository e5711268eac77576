import type { Json } from "./json-fields.ts";
import type { McpServer } from "../mcp-servers.ts";
import type { Ledger } from "../meters/file-meter.ts";
import type { AgentKind } from "../../model/agent/kinds/registry.ts";
import type { Signal } from "../../model/agent/signals.ts";

/** What one vendor's agent is given, whichever vendor it is. */
export interface HeadlessTask {
  /** Added by the one that configured it. */
  readonly args: readonly string[];
  readonly model?: string | undefined;
  /** The conversation to go on with. */
  readonly resume?: string | undefined;
  /** A name for a new conversation, for agents that let it be chosen. */
  readonly conversation: string;
  /** What offers it servers of tools; empty where there are none. */
  readonly offer?: readonly string[];
}

/** What is known of a session before its first line. */
export interface SessionPast {
  readonly startedAt: number;
  /** What the conversation had used up before this session, where an agent counts it in. */
  readonly usedBefore: TokenCount;
}

export interface TokenCount {
  readonly tokensIn: number;
  /** The part of it that was read from a cache. */
  readonly cachedIn: number;
  readonly tokensOut: number;
}

export const NO_TOKENS: TokenCount = { tokensIn: 0, cachedIn: 0, tokensOut: 0 };

/** What the lines of one session mean; it may remember earlier ones. Anything it does not know is `null`. */
export interface Vocabulary {
  /** A line of stdout: one JSON object. */
  event(event: Json): readonly Signal[] | null;
  /** Whether the last event was a piece of an answer, which is reported when it is whole. */
  partial?(): boolean;
  /** A line of stderr: words, and not to be taken too seriously. */
  words(text: string): readonly Signal[] | null;
}

export interface LedgerOf {
  /** The folder, by the environment that it is started in. */
  readonly home: (env: Readonly<Record<string, string | undefined>>) => string | undefined;
  readonly open: (home: string) => Ledger;
}

/**
 * One vendor's agent as a program that reads its prompt from its standard input, where no other user of the machine can
 * read it and it cannot be an option, and prints JSON Lines.
 */
export interface HeadlessAgent {
  readonly use: AgentKind;
  /** As people call it. */
  readonly title: string;
  /** Looked up on PATH. */
  readonly program: string;
  /** How to get it. */
  readonly install: string;
  /** Versions whose output was recorded and is tested against. */
  readonly knownVersions: readonly string[];
  readonly argv: (task: HeadlessTask) => readonly string[];
  /** For every start; undefined takes a variable out. What a person has set or configured comes first. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly offerMcp: OfferMcp;
  /** Whether it litters, and so gets a temporary folder of its own. */
  readonly ownTmp?: boolean;
  readonly vocabulary: (past: SessionPast) => Vocabulary;
  /** Where it keeps its conversations, in which its usage stands as it works. */
  readonly ledger?: LedgerOf;
  /** What the conversation had used up by a line, where lines show the total of the whole conversation. */
  readonly totalOf?: (event: Json) => TokenCount | undefined;
}

/** Our own arguments, unless somebody chose otherwise by one of these names. */
export const unless = (
  names: readonly string[],
  { args }: HeadlessTask,
  ours: readonly string[],
): readonly string[] =>
  args.some((arg) => names.some((name) => arg === name || arg.startsWith(`${name}=`))) ? [] : ours;

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
