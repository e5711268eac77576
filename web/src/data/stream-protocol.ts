/** An event as pages are told of it; its data is there for runs that are watched. */
export interface StreamEvent {
  readonly run: string;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly data?: unknown;
}

export type Connection = "connecting" | "live" | "lost" | "refused";

/** What the one stream of a browser tells each of its tabs. */
export type StreamMessage =
  | { readonly kind: "connection"; readonly connection: Connection; readonly at: number }
  | { readonly kind: "events"; readonly events: readonly StreamEvent[]; readonly at: number }
  /** Something may have been missed: everything is read again. */
  | { readonly kind: "reset" };

/** What a tab tells the stream. */
export type TabMessage =
  { readonly kind: "watch"; readonly runs: readonly string[] } | { readonly kind: "bye" };
