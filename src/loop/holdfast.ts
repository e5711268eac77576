import type { Recorded } from "../model/events/events.ts";
import { asFault, type Fault } from "../model/fault.ts";
import type { Budget } from "../model/requests/budget.ts";
import type { RunRequest } from "../model/requests/requests.ts";
import type { Jsonify } from "../model/values/jsonify.ts";
import { openRun, type LoadedRun } from "../runtime/load-run.ts";
import type { WorkflowFunction } from "./workflow-function.ts";
import { closedFault } from "./life/program-error.ts";
import { ProgramLife } from "./life/program-life.ts";
import { askRun, settledOutcome, type Asked } from "./ask-run.ts";
import {
  appendOwned,
  askedReopen,
  type OwnedWork,
  reopenRun,
  workUnderLease,
  programRun,
} from "./life/owned-run.ts";
import { endedResult } from "./life/program-end.ts";
import { checkBudget, checkNamed, checkRunOptions } from "./check-run-options.ts";
import { Cooldown } from "./cooldown.ts";
import { asJson } from "./scope/json-value.ts";
import { liveProgram } from "./life/live-program.ts";
import { MailRound } from "./life/mail-round.ts";
import { RegisteredPrograms, type DefineOptions } from "./registered-programs.ts";
import { ErrorClasses } from "./scope/step-error.ts";
import { treeLimits } from "./life/tree-limits.ts";
import { checkStart, claimProgram, recordProgram } from "./life/claim-program.ts";
import { followRun, runResult, type EventsOptions, type Following } from "./follow-run.ts";
import { getRun, listRuns, type ListOptions, type RunInfo, type RunRow } from "./read-runs.ts";
import { ResumableRuns } from "./resumable-runs.ts";
import { LibraryWorker, type ServeOptions, type Worker } from "./worker.ts";
import type { HoldfastPorts, RunArguments, RunOptions, StartOptions } from "./run-options.ts";
import { takeLease, type WaitOptions } from "./life/wait-for-lease.ts";

/** What is known of a run before its lease is taken, and how it is taken. */
interface OwnOrder extends WaitOptions {
  readonly before: LoadedRun | null;
}

interface Active {
  readonly result: Promise<unknown>;
  life: ProgramLife | null;
  stop: (error: Error) => void;
}

/** The library for agents written in TypeScript: workflow functions that survive the end of their process. */
export class Holdfast {
  readonly #ports: HoldfastPorts;
  readonly #errors: ErrorClasses;
  readonly #cooldown: Cooldown;
  readonly #programs = new RegisteredPrograms();
  readonly #active = new Map<string, Active>();
  readonly #resumable: ResumableRuns;
  readonly #workers = new Set<Worker>();
  readonly #mail: MailRound;
  readonly #unwatch: () => void;
  #cancelBeat: () => void = () => undefined;
  #closed = false;

  constructor(ports: HoldfastPorts) {
    this.#ports = ports;
    this.#errors = ports.errors ?? new ErrorClasses();
    this.#cooldown = new Cooldown(ports.sharedWait);
    const { journal, world } = ports;
    this.#resumable = new ResumableRuns({ ...ports, programs: this.#programs });
    this.#mail = new MailRound({
      journal,
      world,
      found: (addresses) => {
        for (const id of addresses) this.#look(this.#active.get(id)?.life ?? null);
      },
      failed: (error) => {
        for (const { life } of this.#active.values()) life?.end(asFault(error));
      },
    });
    this.#unwatch = journal.watch(() => {
      this.#mail.hint();
    });
    this.#beat();
  }

  /** Registers a workflow function, so that `resumeAll` finds it in another process. */
  define<Input, Value>(
    name: string,
    workflow: WorkflowFunction<Input, Value>,
    options: DefineOptions = {},
  ): void {
    this.#programs.define(name, workflow, options);
  }

  /** Begins a run, resumes it, or gives the recorded result of one that is finished. */
  run<Input, Value>(
    id: string,
    workflow: WorkflowFunction<Input, Value>,
    ...[options = {}]: RunArguments<Input>
  ): Promise<Jsonify<Value>> {
    return this.#run(id, workflow as WorkflowFunction<unknown>, options) as Promise<Jsonify<Value>>;
  }

  #run(id: string, workflow: WorkflowFunction<unknown>, options: RunOptions<unknown>): Promise<unknown> {
    const active = this.#active.get(id);
    if (active !== undefined) return active.result;
    let stop: (error: Error) => void = () => undefined;
    const stopped = new Promise<never>((_, reject) => {
      stop = reject;
    });
    stopped.catch(() => undefined);
    const entry: Active = { result: Promise.resolve(), life: null, stop };
    const result = Promise.race([this.#work(id, workflow, options, entry), stopped]).finally(() => {
      if (this.#active.get(id) === started) this.#active.delete(id);
    });
    const started: Active = Object.assign(entry, { result });
    this.#active.set(id, started);
    return result;
  }

  /**
   * Begins a run for a worker (`serve`) or for `resumeAll`, in any process: it is recorded, and nothing is done for
   * it here. Of a run that is there nothing is changed.
   */
  async start(id: string, name: string, options: StartOptions = {}): Promise<void> {
    checkStart(id, name, options);
    const order = { before: await openRun(this.#ports.journal, id), ifHeld: "wait" as const };
    if (order.before !== null) return;
    await this.#owned(id, order, (known, epoch) =>
      recordProgram(
        this.#ports,
        { id, pinned: { name, version: options.version ?? this.#programs.newest(name) }, options, known },
        epoch,
      ),
    );
  }

  /** Goes on with every unfinished run whose workflow function is registered; answers their ids. */
  async resumeAll(): Promise<string[]> {
    const resumed: string[] = [];
    for await (const { run, workflow } of this.#resumable.find((one) => !this.#active.has(one))) {
      this.#run(run, workflow as WorkflowFunction, {}).catch(() => undefined);
      resumed.push(run);
    }
    return resumed.toReversed();
  }

  /** Works everything that the registered functions can work, here and now and in time to come, until it is closed. */
  serve(options: ServeOptions = {}): Worker {
    if (this.#closed) throw closedFault("a worker");
    const worker = new LibraryWorker(
      {
        ...this.#ports,
        resumable: this.#resumable,
        isActive: (run) => this.#active.has(run),
        isWaiting: (run) => this.#active.get(run)?.life?.isWaiting === true,
        resume: (run, workflow) => this.#run(run, workflow, { ifHeld: "refuse" }),
      },
      options,
    );
    this.#workers.add(worker);
    return worker;
  }

  /** A run as it stands; null if there is none. */
  get(id: string): Promise<RunInfo | null> {
    return getRun(this.#ports.journal, id);
  }

  /** The runs of programs, the newest first. */
  async list(options: ListOptions = {}): Promise<RunRow[]> {
    return listRuns(this.#ports.journal, options);
  }

  /** Waits for the end of a run, whichever process works it, and gives its result or throws its error. */
  async result<Value = unknown>(
    id: string,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Jsonify<Value>> {
    const ended = await runResult(this.#following(id), id, options, this.#errors);
    return ended as Jsonify<Value>;
  }

  /** What is recorded of a run, from a cursor on, and what comes as it comes, until the run has ended. */
  events(id: string, options: EventsOptions = {}): AsyncIterableIterator<Recorded> {
    return followRun(this.#following(id), id, options);
  }

  #following(id: string): Following {
    return { ...this.#ports, closed: () => (this.#closed ? closedFault(id) : null) };
  }

  /** Sends a signal to a run, whether or not it is at work anywhere: signals that come early are kept by name. */
  async signal(id: string, name: string, value: unknown): Promise<Asked> {
    checkNamed("hf.signal", name, 'hf.signal("triage-1", "approval", { ok: true })');
    const given = asJson(value, `the signal "${name}"`) ?? null;
    return this.#ask(id, { kind: "signal", name, value: given });
  }

  /** Changes the named kinds of a run's budget; one that was stopped by it goes on. */
  async setBudget(id: string, budget: Budget): Promise<Asked> {
    return this.#ask(id, { kind: "budget", budget: checkBudget(budget, id) });
  }

  /** Says what became of a step in doubt: it was done, with that value, or it may be done again. */
  async settle(id: string, key: string, outcome: { readonly done: unknown } | "again"): Promise<Asked> {
    return this.#ask(id, { kind: "settle", key, outcome: settledOutcome(outcome) });
  }

  async cancel(id: string): Promise<Asked> {
    return this.#ask(id, { kind: "cancel" });
  }

  /** Everything asked of a run goes through its inbox and is decided by the process that holds it. */
  #ask(id: string, request: RunRequest): Promise<Asked> {
    const isStarting = (): boolean => this.#active.get(id)?.life === null;
    return askRun(this.#ports, { id, request, isStarting });
  }

  /** Lets a failed or cancelled run be tried again: the step it failed of is done again. */
  async reopen(id: string): Promise<Asked> {
    return this.#owned(id, { before: null, ifHeld: "refuse" }, (known, epoch) =>
      reopenRun(this.#ports, { id, known, epoch }),
    );
  }

  /** Lets go of every run, which stays resumable, and of the store. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelBeat();
    this.#unwatch();
    this.#mail.close();
    await Promise.allSettled([...this.#workers].map((worker) => worker.close()));
    const leaving = [...this.#active].map(async ([id, { life, stop, result }]) => {
      stop(closedFault(id));
      life?.end(closedFault(id));
      await result.catch(() => undefined);
      if (life !== null) await this.#ports.leases.release(id, life.state.epoch);
    });
    // A store that refuses to let a run go is closed all the same.
    await Promise.all(leaving).finally(() => this.#ports.close());
  }

  async #work(
    id: string,
    workflow: WorkflowFunction<unknown>,
    options: RunOptions<unknown>,
    entry: Active,
  ): Promise<unknown> {
    if (this.#closed) throw closedFault(id);
    checkRunOptions(id, workflow, options);
    const before = await openRun(this.#ports.journal, id);
    const isAsked = before !== null && (await askedReopen(this.#ports.journal, before.state)) !== null;
    const ended = isAsked ? null : endedResult(id, before?.state ?? null, this.#errors);
    if (ended !== null) return ended.value;
    return this.#owned(id, { before, ...options }, async (known, epoch) => {
      const asked = known === null ? null : await askedReopen(this.#ports.journal, known.state);
      if (known !== null && asked !== null)
        await appendOwned(this.#ports, known.state, epoch, asked.events, asked);
      const loaded = await claimProgram(
        this.#ports,
        { id, pinned: this.#programs.of(workflow), options, known },
        epoch,
      );
      const over = endedResult(id, loaded.state, this.#errors);
      if (over !== null) return over.value;
      const state = programRun(loaded.state);
      const pinnedProgram = this.#programs.forRun(id, workflow, state.program);
      const limits = treeLimits(options.limits, state.program.limits, this.#ports.limits);
      const life = new ProgramLife(this.#ports, {
        ...loaded,
        state,
        epoch,
        limits,
        errors: this.#errors,
        cooldown: this.#cooldown,
      });
      entry.life = life;
      return liveProgram(life, pinnedProgram, known === null);
    });
  }

  #owned<Value>(id: string, { before, ...wait }: OwnOrder, work: OwnedWork<Value>): Promise<Value> {
    const closed = (): Fault | null => (this.#closed ? closedFault(id) : null);
    const take = (): Promise<number> => takeLease(this.#ports, { ...wait, id, closed });
    return workUnderLease(this.#ports, { id, before, work, take, letsGo: () => !this.#closed });
  }

  #look(life: ProgramLife | null): void {
    life?.readMail().catch((error: unknown) => {
      life.end(asFault(error));
    });
  }

  #beat(): void {
    const { world, leases, leaseMs } = this.#ports;
    this.#cancelBeat = world.timer(leaseMs / 3, () => {
      leases.beat().catch(() => undefined);
      if (!this.#closed) this.#beat();
    });
  }
}
