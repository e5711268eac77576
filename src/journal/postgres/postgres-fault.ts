import { errorText, Fault, isFault, type FaultCode, type FaultRetry } from "../../model/fault.ts";
import type { StoreAddress } from "./link/store-address.ts";

interface Reading {
  readonly code: FaultCode;
  readonly retry: FaultRetry;
  readonly advice: string;
}

const FAILED: Reading = {
  code: "store_failed",
  retry: "after-human",
  advice: "an answer was expected; look into the server's log, then start again",
};
const DAMAGED: Reading = {
  code: "journal_damaged",
  retry: "after-human",
  advice: "a readable store was expected; run `holdfast verify` and restore the store from a copy",
};
const DENIED: Reading = {
  code: "store_unavailable",
  retry: "after-human",
  advice: "a role that may connect to an existing database was expected; check user, password and database",
};
const READ_ONLY: Reading = {
  code: "store_readonly",
  retry: "after-human",
  advice:
    "a server that takes writes and a role that may create and change the store's schema were expected; check both",
};
const CHANGED: Reading = {
  code: "store_foreign",
  retry: "after-human",
  advice: "the tables of a Holdfast store were expected; check that nothing else uses this schema",
};
const BUSY: Reading = {
  code: "store_busy",
  retry: "later",
  advice: "nothing of it was written; other writers hold the store for too long: look for them and try again",
};
const FULL: Reading = {
  code: "store_full",
  retry: "later",
  advice: "nothing of it was written; free some space for the server, then try again",
};
const MISUSED: Reading = {
  code: "broken_promise",
  retry: "never",
  advice: "nothing of it was written; values that fit the store's columns were expected",
};

/** Codes of PostgreSQL, https://www.postgresql.org/docs/current/errcodes-appendix.html, or the first two signs of them. */
const READINGS: Readonly<Record<string, Reading>> = {
  "22": MISUSED,
  "23": DAMAGED,
  "25006": READ_ONLY,
  "28": DENIED,
  "3D000": DENIED,
  "3F000": CHANGED,
  "40": BUSY,
  "42501": READ_ONLY,
  "42883": CHANGED,
  "42P01": CHANGED,
  "42703": CHANGED,
  "53100": FULL,
  "55P03": BUSY,
  "57014": BUSY,
  XX001: DAMAGED,
  XX002: DAMAGED,
};

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** What the server said no with; null if it did not speak. */
function sqlState(error: unknown): string | null {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" && SQLSTATE.test(code) ? code : null;
}

/** The server is going, coming, or has no place left: it may be there again in a moment. */
const AWAY_STATES: readonly string[] = ["57P01", "57P02", "57P03", "57P05", "53300"];
const NETWORK =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|EAI_AGAIN|ENOTFOUND|ENOENT|EADDRNOTAVAIL|ERR_STREAM|EMFILE)/;

/** What the driver says without a code; the last when the server went between connecting and the first statement. */
const DRIVER_LOST = /^(Connection terminated|timeout expired|Client .* not queryable$)/;

/** The connection broke, or was broken because no answer came, while a statement was on its way. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** No word from the server, or a word that it is not there: whether a change was made is not known. */
export function isAway(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true;
  const state = sqlState(error);
  if (state !== null) return state.startsWith("08") || AWAY_STATES.includes(state);
  if (error instanceof AggregateError) return error.errors.every(isAway);
  if (!(error instanceof Error) || isFault(error)) return false;
  if ("code" in error && typeof error.code === "string") return NETWORK.test(error.code);
  return DRIVER_LOST.test(error.message);
}

/** The server is there and comes up: worth a moment even for someone who only just arrives. */
export const isStarting = (error: unknown): boolean => sqlState(error) === "57P03";

/** Undone as a whole by the server because of others; done again it succeeds. */
export function isUndone(error: unknown): boolean {
  const state = sqlState(error);
  return state === "40P01" || state === "40001";
}

/** The server takes no writes, such as a copy of another. */
export const isReadOnly = (error: unknown): boolean => sqlState(error) === "25006";

/** Names that lead to several addresses fail with several errors and no text of their own. */
const reasonOf = (error: unknown): string =>
  error instanceof AggregateError && error.message === ""
    ? [...new Set(error.errors.map(errorText))].join(", ")
    : errorText(error);

/** The one place where what the server says becomes a fault; any other error passes as it is. */
export function toFault(error: unknown, doing: string, { shown }: StoreAddress): Error {
  if (isAway(error)) return serverAway(error, doing, shown);
  const state = sqlState(error);
  if (state === null) return error instanceof Error ? error : new Fault("broken_promise", errorText(error));
  const { code, retry, advice } = READINGS[state] ?? READINGS[state.slice(0, 2)] ?? FAILED;
  const message = `${doing} failed on ${shown}: ${reasonOf(error)} (PostgreSQL ${state}); ${advice}`;
  return new Fault(code, message, { retry, cause: error, details: { store: shown, doing } });
}

/** A connection that did not come about for another reason than that the server is away. */
export function toRefusal(error: unknown, address: StoreAddress): Error {
  if (isFault(error) || sqlState(error) !== null) return toFault(error, "connecting", address);
  return new Fault(
    "store_unavailable",
    `connecting to ${address.shown} failed: ${reasonOf(error)}; check the address and what the server accepts`,
    { retry: "after-human", cause: error, details: { store: address.shown } },
  );
}

const serverAway = (error: unknown, doing: string, shown: string): Fault =>
  new Fault(
    "store_unavailable",
    `${doing} failed: the PostgreSQL server of ${shown} cannot be reached: ${reasonOf(error)}; check that it runs and listens there, then try again`,
    { retry: "later", cause: error, details: { store: shown, doing } },
  );

/** Reported to the one that asked for a change that was on its way when the server left for good. */
export const outcomeUnknown = (error: unknown, awayMs: number, { shown }: StoreAddress): Fault =>
  new Fault(
    "store_unavailable",
    `the PostgreSQL server of ${shown} has been away for ${String(Math.round(awayMs / 1_000))} s: ${reasonOf(error)}; whether the last change was kept is known only to it — read before writing again once it is back`,
    { retry: "later", cause: error, details: { store: shown } },
  );
