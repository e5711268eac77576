import type { System } from "../main.ts";
import { errorText, Fault } from "../model/fault.ts";
import type { Recorded } from "../model/events.ts";
import type { RunState } from "../model/run-state.ts";
import { printableLine } from "../model/printable.ts";
import { statusView } from "../views/status.ts";
import { unheardText, unheardWords } from "../views/unheard.ts";
import { EXIT, EXIT_OF_STATUS } from "./exit-codes.ts";
import { followRun } from "./follow-run.ts";
import { onInterrupt, type Interrupt } from "./interrupts.ts";
import type { Invocation } from "./invocation.ts";
import { createProgress, type Progress } from "./progress.ts";
import { resultText } from "./status-lines.ts";
import { onlyTells, tellLater } from "./tell-later.ts";
import { whoAsks } from "./who-asks.ts";

/** So long a person in front waits for others to be told. */
const TELL_GRACE_MS = 2_000;

type Supervisor = ReturnType<System["supervisor"]>;
type Created = Awaited<ReturnType<System["createRun"]>>;

/**
 * Works one run in this process and shows it.
 *
 * States: working; pausing, after the first Ctrl-C; letting go, after a signal that leaves no time (TERM, HUP) or a
 * reader that went away; over. A second Ctrl-C ends the process where it stands. Whatever happens the run is in the
 * store, and the text says how it goes on.
 */
export async function runInFront(call: Invocation, system: System, created: Created): Promise<number> {
  const { run } = created;
  const onMirrorFault = (_: string, text: string): void => progress.say(`${run} goes on, but ${text}`);
  const supervisor: Supervisor = system.supervisor({ only: run, held: created, onMirrorFault });
  const progress = createProgress(call.output, () => supervisor.stateOf(run));
  const front = new Front(call, system, supervisor, progress, run);
  const quiet = onInterrupt((signal) => front.interrupt(signal));
  call.output.onUnread(() => {
    call.output.note(
      `nobody reads any more; ${run} is let go and goes on with: ${call.command("resume", run)}`,
    );
    front.letGo();
  });
  try {
    progress.say(`${run} · Ctrl-C pauses it · see also ${call.command("status", run)}`);
    await front.work();
  } finally {
    progress.close();
    quiet();
  }
  return front.conclude();
}

class Front {
  readonly #call: Invocation;
  readonly #system: System;
  readonly #supervisor: Supervisor;
  readonly #progress: Progress;
  readonly #run: string;
  #interrupted = false;
  #cancelTelling: () => void = () => undefined;

  constructor(call: Invocation, system: System, supervisor: Supervisor, progress: Progress, run: string) {
    this.#call = call;
    this.#system = system;
    this.#supervisor = supervisor;
    this.#progress = progress;
    this.#run = run;
  }

  async work(): Promise<void> {
    const over = new AbortController();
    const shown = this.#show(over.signal).catch((error: unknown) => {
      // Without a view there is no "in front" any more; the run goes on with whoever takes it next.
      this.#supervisor.stop();
      throw error;
    });
    const worked = this.#supervisor.work().finally(() => over.abort());
    const [, shownEnd] = await Promise.allSettled([worked, shown]);
    await worked;
    if (shownEnd.status === "rejected") throw shownEnd.reason;
  }

  interrupt(signal: Interrupt): void {
    if (this.#interrupted) this.#leaveAtOnce();
    else if (signal === "SIGINT") this.#pause();
    else this.letGo();
  }

  /** The run stays as it is, for whoever takes it next. */
  letGo(): void {
    this.#interrupted = true;
    this.#supervisor.stop();
  }

  /** Says how it ended, and what to do next. */
  async conclude(): Promise<number> {
    const state = await this.#system.loadRun(this.#run);
    if (state === null) throw new Fault("not_found", `the run "${this.#run}" is no longer in the store`);
    this.#call.output.document(statusView(state, this.#call.store.named));
    for (const line of this.#lastLines(state)) this.#call.output.line(line);
    for (const words of unheardWords(state)) this.#call.output.line(printableLine(unheardText(words)));
    if (!this.#interrupted) await tellLater(this.#call, this.#system, state);
    const code = EXIT_OF_STATUS[state.status];
    return code === EXIT.waiting && this.#interrupted ? EXIT.interrupted : code;
  }

  async #show(until: AbortSignal): Promise<void> {
    for await (const event of followRun(this.#system.rooms.journal, this.#run, { after: 0, until }))
      this.#showOne(event);
    this.#cancelTelling();
  }

  #showOne(event: Recorded): void {
    this.#progress.event(event);
    const state = this.#supervisor.stateOf(this.#run);
    this.#cancelTelling();
    if (state === undefined || !onlyTells(state)) return;
    const timer = setTimeout(() => this.#supervisor.stop(), TELL_GRACE_MS);
    this.#cancelTelling = () => clearTimeout(timer);
  }

  #pause(): void {
    this.#interrupted = true;
    this.#progress.say("pausing: live sessions are being ended; Ctrl-C again leaves at once");
    const asked = this.#system.requests.ask(
      this.#run,
      { kind: "pause" },
      { by: whoAsks(this.#call), waitMs: 0 },
    );
    asked.catch((error: unknown) => {
      this.#call.output.note(`holdfast: it could not be paused: ${errorText(error)}`);
      this.#supervisor.stop();
    });
  }

  #leaveAtOnce(): void {
    this.#progress.close();
    this.#call.output.note(
      `left ${this.#run} as it stands; it is not lost. It goes on with: ${this.#call.command("resume", this.#run)}`,
    );
    process.exit(EXIT.interrupted);
  }

  #lastLines(state: RunState): string[] {
    const view = statusView(state, this.#call.store.named);
    const why = `why: ${this.#call.command("why", this.#run)}`;
    const result = resultText(view.result);
    switch (state.status) {
      case "completed":
        return [`${this.#run} is completed`, ...(result === null ? [] : [`result: ${result}`]), why];
      case "failed":
      case "cancelled":
        return [
          `${this.#run} is ${state.status}${view.failure === null ? "" : `: ${view.failure}`}`,
          ...next(view.next),
          why,
        ];
      case "blocked":
        return [`${this.#run} is blocked: ${view.blocked?.detail ?? ""}`, ...next(view.next), why];
      case "paused":
      case "awaiting_approval":
        return [`${this.#run} is ${state.status}; nothing is lost`, ...next(view.next), why];
      case "queued":
      case "running":
      case "pausing":
        return [
          `${this.#run} was let go and is not lost; sessions that can go on without a supervisor do`,
          ...next(this.#call.command("resume", this.#run)),
          why,
        ];
    }
  }
}

const next = (command: string | null): string[] => (command === null ? [] : [`it goes on with: ${command}`]);
