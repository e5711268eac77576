import type { Journal } from "../journal/journal.ts";
import { isFault } from "../model/fault.ts";
import type { World } from "../model/world.ts";
import type { WorkflowFunction } from "./workflow-function.ts";
import { ChangeBell } from "./life/change-bell.ts";
import { checkKeys, misused, shown } from "./check-run-options.ts";
import type { ResumableRuns } from "./resumable-runs.ts";

export interface ServeOptions {
  /** How many runs of this worker do something at a time; 10 unless said. A run that only waits does not count. */
  readonly concurrency?: number;
  /** The same for the runs of single functions, by name. */
  readonly perBody?: Readonly<Record<string, number>>;
  /** Ends the serving, as `close` does. */
  readonly signal?: AbortSignal;
  /** Called with what ended a run here: its failure, or why this process let go of it. */
  readonly onError?: (run: string, error: unknown) => void;
}

/** A process that works everything that its registered functions can work. */
export interface Worker {
  /** The runs that this worker has under way. */
  readonly running: readonly string[];
  /** Resolves once it has been closed; rejects if the store failed. */
  readonly closed: Promise<void>;
  /** Takes no more runs. Those under way go on until they end or the store is closed. */
  close(): Promise<void>;
}

interface WorkerPorts {
  readonly journal: Journal;
  readonly world: World;
  readonly resumable: ResumableRuns;
  isActive(run: string): boolean;
  /** Whether a run of this process does nothing but wait. */
  isWaiting(run: string): boolean;
  resume(run: string, workflow: WorkflowFunction): Promise<unknown>;
}

const CONCURRENCY = 10;
/** How soon a run whose process died is found although nothing was written. */
const LOOK_MS = 500;
/** A run that this process let go of without an end is tried again after a wait, which is doubled each time. */
const AGAIN_MS = 1_000;
const AGAIN_MS_MAX = 60_000;

interface LetGo {
  readonly times: number;
  readonly notBefore: number;
}

/**
 * Worker mode. States: serving; closed.
 *
 * 1. Everything this process knows (what is under way, what it let go of) is lost with it, and nothing follows from
 *    that: another worker finds the run by its journal and by the lease that nobody holds any more.
 * 2. A run is taken only by its lease: of two workers that find it one is refused.
 */
export class LibraryWorker implements Worker {
  readonly closed: Promise<void>;
  readonly #ports: WorkerPorts;
  readonly #options: ServeOptions;
  readonly #bell: ChangeBell;
  readonly #running = new Map<string, string>();
  readonly #letGo = new Map<string, LetGo>();
  #isClosed = false;

  constructor(ports: WorkerPorts, options: ServeOptions) {
    checkServe(options);
    this.#ports = ports;
    this.#options = options;
    this.#bell = new ChangeBell(ports);
    const end = (): void => {
      this.#end();
    };
    options.signal?.addEventListener("abort", end);
    if (options.signal?.aborted === true) this.#end();
    this.closed = this.#serve().finally(() => {
      options.signal?.removeEventListener("abort", end);
      this.#end();
    });
    this.closed.catch(() => undefined);
  }

  get running(): readonly string[] {
    return [...this.#running.keys()];
  }

  async close(): Promise<void> {
    this.#end();
    await this.closed;
  }

  #end(): void {
    this.#isClosed = true;
    this.#bell.close();
  }

  async #serve(): Promise<void> {
    while (!this.#isClosed) {
      for await (const { run, name, workflow } of this.#ports.resumable.find((one) => this.#isWanted(one))) {
        if (this.#isClosed || !this.#hasRoom()) break;
        if (this.#hasRoom(name)) this.#take(run, name, workflow as WorkflowFunction);
      }
      if (!this.#isClosed) await this.#bell.wait(LOOK_MS);
    }
  }

  #isWanted(run: string): boolean {
    return !this.#ports.isActive(run) && (this.#letGo.get(run)?.notBefore ?? 0) <= this.#ports.world.now();
  }

  #hasRoom(name?: string): boolean {
    const { concurrency = CONCURRENCY, perBody = {} } = this.#options;
    const limit = name === undefined ? concurrency : perBody[name];
    if (limit === undefined) return true;
    const busy = [...this.#running].filter(
      ([run, of]) => (name === undefined || of === name) && !this.#ports.isWaiting(run),
    );
    return busy.length < limit;
  }

  #take(run: string, name: string, workflow: WorkflowFunction): void {
    this.#running.set(run, name);
    this.#ports
      .resume(run, workflow)
      .then(
        () => this.#letGo.delete(run),
        (error: unknown) => {
          this.#failed(run, error);
        },
      )
      .finally(() => {
        this.#running.delete(run);
        this.#bell.ring();
      });
  }

  /** A run that ended is not found again; one that did not would be found at once, and fail at once, for ever. */
  #failed(run: string, error: unknown): void {
    const times = (this.#letGo.get(run)?.times ?? 0) + 1;
    const waitMs = Math.min(AGAIN_MS_MAX, AGAIN_MS * 2 ** (times - 1));
    this.#letGo.set(run, { times, notBefore: this.#ports.world.now() + waitMs });
    // Another worker was quicker: that is no news.
    if (!isFault(error, "refused")) this.#options.onError?.(run, error);
  }
}

function checkServe(options: ServeOptions): void {
  const { concurrency, perBody, signal, onError } = checkKeys("hf.serve", options, [
    "concurrency",
    "perBody",
    "signal",
    "onError",
  ]);
  const limits = { concurrency, ...(typeof perBody === "object" ? perBody : {}) };
  for (const [name, limit] of Object.entries(limits))
    if (limit !== undefined && (!Number.isSafeInteger(limit) || Number(limit) < 1))
      throw misused("hf.serve", `${name}: ${shown(limit)}`, "a whole number above 0");
  if (perBody !== undefined && (typeof perBody !== "object" || perBody === null))
    throw misused("hf.serve", `perBody: ${shown(perBody)}`, "{ triage: 2 }");
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw misused("hf.serve", `signal: ${shown(signal)}`, "the signal of an AbortController");
  if (onError !== undefined && typeof onError !== "function")
    throw misused("hf.serve", `onError: ${shown(onError)}`, "a function");
}
