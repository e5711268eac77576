/** How long things may take; tests use shorter ones. */
export interface PostgresTiming {
  /** Until a connection stands, greetings included. */
  readonly connectMs: number;
  /** For one statement on the server, waiting for other writers included; the server itself ends it then. */
  readonly statementMs: number;
  /** Until an answer must have come; after that the connection counts as cut. Longer than `statementMs`. */
  readonly answerMs: number;
  /** How long a server may stay away before callers are told so. */
  readonly awayMs: number;
  /** The first pause before connecting again; it doubles up to the longest, and chance takes a part of it. */
  readonly pauseMs: number;
  readonly pauseMsMax: number;
  /** How often a watcher looks for itself, should a notification have been lost. */
  readonly pollMs: number;
  /**
   * At most one notification to others in this time; while appends go on without a pause, at most one in the longest.
   * Each is a transaction, and the server commits those one after the other.
   */
  readonly tellMs: number;
  readonly tellMsMax: number;
}

export const POSTGRES_TIMING: PostgresTiming = {
  connectMs: 5_000,
  statementMs: 10_000,
  answerMs: 15_000,
  awayMs: 60_000,
  pauseMs: 50,
  pauseMsMax: 1_000,
  pollMs: 2_000,
  tellMs: 20,
  tellMsMax: 320,
};
