import type { AgentKind } from "../../model/agent/kinds/registry.ts";
import type { Signal } from "../../model/agent/signals.ts";
import type { Json } from "./json-fields.ts";
import type { Ledger } from "../meters/file-meter.ts";
import type { OfferMcp } from "./mcp-offer.ts";

/** What one vendor's agent is given, whichever vendor it is. */
export interface HeadlessTask {
  /** Added by whoever configured it. */
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
  /** What the conversation had used up by a line, where lines tell the total of the whole conversation. */
  readonly totalOf?: (event: Json) => TokenCount | undefined;
}

/** Our own arguments, unless somebody chose otherwise by one of these names. */
export const unless = (
  names: readonly string[],
  { args }: HeadlessTask,
  ours: readonly string[],
): readonly string[] =>
  args.some((arg) => names.some((name) => arg === name || arg.startsWith(`${name}=`))) ? [] : ours;
