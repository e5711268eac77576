/** Every way Holdfast itself can fail, by stable name. The CLI maps each to an exit code. */
export const FAULT_CODES = {
  usage: "the command or its arguments are wrong",
  config_invalid: "a configuration or flow file is not valid",
  not_found: "the named thing does not exist",
  untrusted: "what a repository names would be run, and nobody has trusted it",
  refused: "the request is not allowed in this state",
  file_refused: "a file is not a regular one, or is too large to be read",
  store_unavailable: "the store cannot be opened or reached",
  store_foreign: "the file is not a Holdfast store",
  store_truncated: "the store file is empty or cut short",
  store_version: "the store was written by another version",
  store_gone: "the store was deleted or replaced while it was open",
  store_full: "there is no space left for the store",
  store_readonly: "the store cannot be written",
  store_failed: "the disk refused a write or a sync",
  store_busy: "another process holds the store for too long",
  journal_damaged: "recorded events do not match their hashes or are missing",
  event_unknown: "the journal holds an event that this version does not know",
  agent_missing: "the agent or function of a step is not available here",
  agent_failed: "the agent could not be started or reached",
  supervisor_failed: "a supervisor could not be started",
  diverged: "a workflow function asked for something other than what was recorded",
  closed: "the store or supervisor was closed",
  cancelled: "the run was cancelled",
  budget_exhausted: "the budget does not suffice",
  broken_promise: "an invariant of Holdfast itself does not hold",
} as const;

export type FaultCode = keyof typeof FAULT_CODES;
export type FaultRetry = "never" | "later" | "after-human";

export interface FaultOptions {
  readonly retry?: FaultRetry;
  readonly cause?: unknown;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The one class that crosses a module's edge. Its message says what failed, the value seen, what was expected, what to do. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly retry: FaultRetry;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: FaultCode, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "Fault";
    this.code = code;
    this.retry = options.retry ?? "never";
    this.details = options.details ?? {};
  }
}

export const isFault = (error: unknown, code?: FaultCode): error is Fault =>
  error instanceof Fault && (code === undefined || error.code === code);

/** Words of any thrown value, for records and messages. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What was thrown, as a fault: anything unforeseen is a promise of ours that was broken. */
export const asFault = (error: unknown): Fault =>
  error instanceof Fault ? error : new Fault("broken_promise", errorText(error), { cause: error });

/** On in production: a broken invariant stops the supervisor, and its next start reconciles. */
export function invariant(holds: boolean, invariant: string): asserts holds {
  if (!holds) throw new Fault("broken_promise", `invariant broken: ${invariant}`);
}
