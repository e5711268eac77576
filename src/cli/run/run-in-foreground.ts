import type { System } from "../../main.ts";
import { asFault, errorText, Fault } from "../../model/fault.ts";
import type { Recorded } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { printableLine } from "../../model/text/printable.ts";
import { isWorking } from "../../model/state/run-status.ts";
import type { StoreStop } from "../../model/host/store-resource.ts";
import { stopText } from "../../views/status/store-view.ts";
import { unreceivedText, unreceivedWords } from "../../views/runs/unreceived-words.ts";
import { EXIT, EXIT_OF_STATUS } from "../shell/define-command.ts";
import { followRun } from "./follow-run.ts";
import { onInterrupt, type Interrupt } from "./interrupts.ts";
import type { Invocation } from "../shell/invocation.ts";
import { lastLines } from "../print/last-lines.ts";
import { workOf, workRows } from "../ask/run-work.ts";
import { ensureSupervisor, type LivingSupervisor } from "../supervise/detached-supervisor.ts";
import { keepDeadlines, mayHandOver, onlyNotifies } from "./keep-deadlines.ts";
import { supervisedStatus } from "../supervise/look-at-supervision.ts";
import { createProgress, type Progress } from "../print/progress.ts";
import { whoAsks } from "../ask/who-asks.ts";

/** So long a person in the foreground waits for others to be notified. */
const NOTIFY_GRACE_MS = 2_000;
/** So long a blocked run may have live sessions before the command hands it over and returns. */
const SUSPEND_WAIT_MS = 90_000;
/** Ctrl-C ends the command no later than this: by a pause, by handing over, or by leaving the run as it is. */
const PAUSE_WAIT_MS = 20_000;
const LEAVE_WAIT_MS = 15_000;

type Supervisor = ReturnType<System["supervisor"]>;

export interface FrontOptions {
  /** False: no matter what the configuration says, no background supervisor is started for what this command leaves. */
  readonly handOver?: boolean;
}

/**
 * Supervises one run in this process and shows it.
 *
 * States: working; pausing, after the first Ctrl-C; letting go, after a signal that leaves no time (TERM, HUP), a
 * reader that went away, or a bound that was reached; over. A second Ctrl-C ends the process where it stands.
 * Invariants:
 * 1. What is let go while it works or has a deadline is taken over by a background supervisor, or the text says that
 *    nobody will act.
 * 2. After the first Ctrl-C the command ends within `PAUSE_WAIT_MS + LEAVE_WAIT_MS`, no matter what the run and the
 *    store do.
 * 3. A run that is blocked returns within `SUSPEND_WAIT_MS`, even where a session cannot be ended.
 */
export async function runInForeground(
  call: Invocation,
  system: System,
  created: Awaited<ReturnType<System["createRun"]>>,
  options: FrontOptions,
): Promise<number> {
  const { run } = created;
  const onMirrorFault = (_: string, text: string): void => progress.say(`${run} goes on, but ${text}`);
  const onStoreFull = (text: string): void => progress.say(`the disk is full; ${run} goes on: ${text}`);
  const onStoreRoom = (): void => progress.say("there is room again");
  const reports = { onMirrorFault, onStoreFull, onStoreRoom };
  const supervisor: Supervisor = system.supervisor({ only: run, held: created, ...reports });
  const progress = createProgress(call.output, () => supervisor.stateOf(run));
  const front = new Front({
    call,
    system,
    supervisor,
    progress,
    run,
    handsOver: mayHandOver(system, options.handOver),
  });
  const quiet = onInterrupt((signal) => front.interrupt(signal));
  call.output.onUnread(() => front.unread());
  try {
    progress.say(`${run} · Ctrl-C pauses it · see also ${call.command("status", run)}`);
    await front.work();
    progress.close();
    return await front.conclude();
  } finally {
    progress.close();
    front.close();
    quiet();
  }
}

interface Parts {
  readonly handsOver: boolean;
  readonly call: Invocation;
  readonly system: System;
  readonly supervisor: Supervisor;
  readonly progress: Progress;
  readonly run: string;
}

class Front {
  readonly #parts: Parts;
  #interrupted = false;
  #handedOver: Promise<LivingSupervisor | Error> | null = null;
  #stop: StoreStop | null = null;
  #cancelNotifying: () => void = () => undefined;
  #concluding = false;
  #suspending: NodeJS.Timeout | null = null;
  #late: NodeJS.Timeout | null = null;
  #bound: NodeJS.Timeout | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async work(): Promise<void> {
    const { supervisor } = this.#parts;
    const over = new AbortController();
    const shown = this.#show(over.signal).catch((error: unknown) => {
      // Without a view there is no foreground any more; the run goes on with its next supervisor.
      supervisor.stop();
      throw error;
    });
    const worked = supervisor.work().finally(() => over.abort());
    const [, shownEnd] = await Promise.allSettled([worked, shown]);
    const end = await worked;
    if (end.kind === "stopped") this.#stop = end.stop;
    if (shownEnd.status === "rejected") throw shownEnd.reason;
  }

  interrupt(signal: Interrupt): void {
    // A terminal that is closed says so once to each process, and perhaps again: only Ctrl-C is a person's.
    if (this.#interrupted && signal === "SIGHUP") return;
    if (this.#interrupted || (this.#concluding && signal === "SIGINT")) this.#leaveAtOnce();
    else if (signal === "SIGINT") this.#pause();
    else this.#letGo();
  }

  unread(): void {
    const { call, run, handsOver } = this.#parts;
    const how = handsOver ? "a background supervisor goes on with it" : "nobody supervises it now";
    call.output.note(
      `the reader closed the output; ${run} is released: ${how}; see ${call.command("status", run)}`,
    );
    this.#letGo();
  }

  /** Says how it ended, and what to do next. */
  async conclude(): Promise<number> {
    const { call, system, run, handsOver } = this.#parts;
    this.#concluding = true;
    for (const timer of [this.#suspending, this.#late]) if (timer !== null) clearTimeout(timer);
    const handedTo = await this.#handedOver;
    const state = await system.loadRun(run);
    if (state === null) throw new Fault("not_found", `the run "${run}" is no longer in the store`);
    const work = await workOf(call, system, state);
    const view = await supervisedStatus(system, state, call.store.named);
    call.output.document(work === null ? view : { ...view, work });
    for (const line of lastLines(call, state, { handedTo, isShown: work !== null })) call.output.line(line);
    for (const [name, text] of work === null ? [] : workRows(work, "whole"))
      call.output.line(`${name}: ${text}`);
    call.output.line(`why: ${call.command("why", run)}`);
    for (const words of unreceivedWords(state)) call.output.line(printableLine(unreceivedText(words)));
    const stop = this.#stop;
    if (stop !== null) call.output.line(`${stopText(stop)}; continue with ${call.command("start")}`);
    if (handedTo === null && stop === null) await keepDeadlines(call, system, state, handsOver);
    const code = EXIT_OF_STATUS[state.status];
    return code === EXIT.waiting && this.#interrupted ? EXIT.interrupted : code;
  }

  close(): void {
    this.#cancelNotifying();
    for (const timer of [this.#suspending, this.#late, this.#bound]) if (timer !== null) clearTimeout(timer);
  }

  /** The run stays as it is; its next supervisor is started at once, since there may be little time. */
  #letGo(): void {
    this.#interrupted = true;
    this.#handOver();
    this.#endBy(LEAVE_WAIT_MS);
  }

  #handOver(): void {
    const { call, system, supervisor, handsOver } = this.#parts;
    supervisor.stop();
    if (!handsOver) return;
    this.#handedOver ??= ensureSupervisor(call, system).catch((error: unknown) => asFault(error));
  }

  async #show(until: AbortSignal): Promise<void> {
    const { run, system } = this.#parts;
    const { journal } = system.ports;
    for await (const event of followRun(journal, run, { after: 0, until })) this.#showOne(event);
    this.#cancelNotifying();
  }

  #showOne(event: Recorded): void {
    const { progress, supervisor, run } = this.#parts;
    progress.event(event);
    // Blocked just before, say: there is nothing to pause.
    if (this.#interrupted && event.type === "RequestAnswered" && event.data.answer.kind === "refused")
      this.#letGo();
    const state = supervisor.stateOf(run);
    this.#cancelNotifying();
    this.#watchSuspending(state);
    if (state === undefined || !onlyNotifies(state)) return;
    const timer = setTimeout(() => supervisor.stop(), NOTIFY_GRACE_MS);
    this.#cancelNotifying = () => clearTimeout(timer);
  }

  /** A run that waits for somebody has its sessions suspended; where one lives on, somebody else waits for its end. */
  #watchSuspending(state: Readonly<RunState> | undefined): void {
    const isWaiting = state?.status === "blocked" || state?.status === "awaiting_approval";
    if (!isWaiting) {
      if (this.#suspending !== null) clearTimeout(this.#suspending);
      this.#suspending = null;
      return;
    }
    this.#suspending ??= setTimeout(() => {
      const { progress } = this.#parts;
      progress.say("a session of it still lives and is left to its next supervisor");
      this.#handOver();
    }, SUSPEND_WAIT_MS);
  }

  #pause(): void {
    const { progress, system, run, call, supervisor } = this.#parts;
    this.#interrupted = true;
    const status = supervisor.stateOf(run)?.status;
    if (status !== undefined && !isWorking(status)) {
      progress.say(`leaving: ${run} is ${status}; Ctrl-C again leaves at once`);
      this.#letGo();
      return;
    }
    progress.say("pausing: live sessions are being ended; Ctrl-C again leaves at once");
    this.#endBy(PAUSE_WAIT_MS + LEAVE_WAIT_MS);
    this.#late = setTimeout(() => {
      progress.say("the pause takes long; its next supervisor waits for it");
      this.#handOver();
    }, PAUSE_WAIT_MS);
    const asked = system.requests.ask(run, { kind: "pause" }, { by: whoAsks(call), waitMs: 0 });
    asked.catch((error: unknown) => {
      call.output.note(`holdfast: it could not be paused: ${errorText(error)}`);
      this.#letGo();
    });
  }

  /** A store that does not answer holds nobody. */
  #endBy(ms: number): void {
    if (this.#bound !== null) clearTimeout(this.#bound);
    this.#bound = setTimeout(() => this.#leaveAtOnce(), ms);
  }

  #leaveAtOnce(): void {
    const { call, progress, run } = this.#parts;
    progress.close();
    call.output.note(
      `left ${run} as it stands; it is not lost. It goes on with: ${call.command("resume", run)}`,
    );
    process.exit(EXIT.interrupted);
  }
}
