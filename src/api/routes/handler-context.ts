import type { IncomingMessage, ServerResponse } from "node:http";
import type { Journal } from "../../journal/journal.ts";
import type { SharedResourceState } from "../../model/host/shared-resource.ts";
import type { RequestProof } from "../../model/requests/principal.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { WatchEntry } from "../../views/runs/watch-entry.ts";
import type { SharedResourceView } from "../../views/status/status-shared-resources.ts";
import type { Identity } from "../guard/roles.ts";
import type { Sessions } from "../guard/sessions.ts";
import type { TokenStore } from "../guard/token-store.ts";
import type { Asker } from "./asker.ts";
import type { Once } from "./once.ts";
import type { EventHub } from "../stream/event-hub.ts";
import type { TerminalOperations } from "../terminal/terminal-port.ts";
import type { Tickets } from "../terminal/tickets.ts";

/** A command to be performed as the command line performs it, on the store that is served. */
export interface CommandOrder {
  readonly words: readonly string[];
  readonly asker: Asker;
  /** People's text instead of documents, so wide. */
  readonly columns?: number;
  /** By which asking again asks once. */
  readonly once: Once;
  /** The run that is asked: what it was asked under this key before is not asked again, only answered. */
  readonly asks?: string;
  /** Keeps what would stand on stdout, in JSON too. */
  readonly isWhole?: boolean;
  /** What commands that are printed must name instead of the store. */
  readonly named?: string;
  readonly proof?: RequestProof;
  /** The folder that it is called in. */
  readonly cwd?: string;
  /** What stands in the place of standard input. */
  readonly input?: string;
}

export interface Performed {
  readonly exitCode: number;
  readonly documents: readonly unknown[];
  readonly text: string;
  readonly notes: string;
  readonly fault: PerformedFault | null;
  /** Where going on begins, of a command that printed what comes in parts. */
  readonly cursor: string | null;
}

/** A command line that works with this server: it wants exactly what the command prints. */
export interface CommandWish {
  readonly json: boolean;
  readonly columns: number;
  /** The address by which it reaches the server. */
  readonly named: string | null;
}

export interface PerformedFault {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface Screen {
  readonly title: string;
  readonly lines: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number } | null;
}

export interface FileDiffOrder {
  readonly run: string;
  /** Two checkpoints. */
  readonly from: string;
  readonly to: string;
  /** Only this file; only files behind that one. */
  readonly path?: string;
  readonly after?: string;
  readonly limit: number;
}

export interface FileDiffs {
  readonly count: number;
  readonly files: readonly {
    readonly path: string;
    readonly kind: string;
    readonly binary: boolean;
    readonly bytesBefore: number | null;
    readonly bytesAfter: number | null;
    readonly diff: string | null;
    readonly isCut: boolean;
  }[];
  readonly next: string | null;
}

/** What the composition root lends to the routes. */
export interface Operations extends TerminalOperations {
  /** As commands name the store with `--store`; null where they need not. */
  readonly store: string | null;
  readonly perform: (order: CommandOrder) => Promise<Performed>;
  readonly journal: Journal;
  readonly loadRun: (run: string) => Promise<RunState | null>;
  /** The run that is meant by an id or a part of one. */
  readonly findRun: (text: string) => Promise<string>;
  /** All runs as `watch` shows them. */
  readonly watchEntries: (now: number) => Promise<readonly WatchEntry[]>;
  /** What runs share, as far as anything was reported of it. */
  readonly loadSharedResources: () => Promise<readonly SharedResourceState[]>;
  /** That of it which is in trouble. */
  readonly troubled: (now: number) => Promise<readonly SharedResourceView[]>;
  /** What the terminal of a session shows; null where it cannot be seen from here. */
  readonly screenOf: (session: string) => Promise<Screen | null>;
  readonly fileDiffs: (order: FileDiffOrder) => Promise<FileDiffs>;
  /** The lines of the file that `export` writes. */
  readonly exportLines: (run: string) => Promise<AsyncIterable<string | Uint8Array>>;
}

/** One admitted request, as its handler sees it. */
export interface HandlerContext {
  readonly operations: Operations;
  readonly identity: Identity | null;
  readonly asker: Asker;
  readonly once: Once;
  /** People's text is asked for instead of JSON; then so wide. */
  readonly columns: number | null;
  readonly command: CommandWish | null;
  readonly signal: AbortSignal;
  readonly tokens: TokenStore;
  readonly sessions: Sessions;
  /** For terminals. */
  readonly tickets: Tickets;
  readonly session: string | null;
  readonly hub: EventHub;
  readonly url: string;
  readonly now: () => number;
  /** The contract; it is made of the table of all routes, which therefore cannot name it. */
  readonly openApi: () => unknown;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}
