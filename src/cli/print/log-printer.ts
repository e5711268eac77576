import type { System } from "../../main.ts";
import type { EventData, Recorded } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isStructured, transcriptLines } from "../../views/runs/transcript.ts";
import { eventsAfter } from "../run/follow-run.ts";
import type { Invocation } from "../shell/invocation.ts";
import { cursorText, type LogPlace } from "../run/log-cursor.ts";
import { UsageMeter } from "./usage-meter.ts";

type Attempt = EventData<"AttemptStarted">;
type Tail = ReturnType<System["tailOutput"]>;

export interface LogWish {
  readonly run: string;
  readonly agents: RunState["agents"];
  readonly step: string | undefined;
  /** As it was printed, also what is made for programs. */
  readonly raw: boolean;
  /** What stands before is printed already. */
  readonly from: LogPlace;
  /** Only so many lines of what is there at first. */
  readonly last: number | undefined;
}

interface Line {
  readonly attempt: Attempt;
  readonly stream: "out" | "err";
  readonly text: string;
  readonly cursor: string;
}

/**
 * Prints the output of a run's agents, each line once.
 *
 * 1. What an agent made for programs is shown as a transcript, from its signals in the journal; all else as it is.
 * 2. A line that is not ended is printed once its attempt has ended, so that a cursor never stands within a line.
 */
export class LogPrinter {
  readonly #call: Invocation;
  readonly #system: System;
  readonly #wish: LogWish;
  readonly #sessions = new Map<
    string,
    { readonly attempt: Attempt; readonly tail: Tail; seen: [number, number] }
  >();
  readonly #over = new Set<string>();
  readonly #printed = new Set<string>();
  readonly #meter = new UsageMeter();
  #place: { seq: number; lines: number; printed: Record<string, readonly [number, number]> };
  #heading = "";
  #isUsageNews = false;
  /** The first look, where only its end is wanted. */
  #held: Line[] | null;

  constructor(call: Invocation, system: System, wish: LogWish) {
    this.#call = call;
    this.#system = system;
    this.#wish = wish;
    this.#place = { ...wish.from, printed: { ...wish.from.printed } };
    this.#held = wish.last === undefined ? null : [];
  }

  /** Prints what is new. */
  async look(): Promise<void> {
    const { journal } = this.#system.ports;
    // Attempts stand in the journal from its beginning, no matter what was printed of them.
    const after = this.#sessions.size === 0 ? 0 : this.#place.seq;
    for await (const event of eventsAfter(journal, this.#wish.run, after)) this.#observe(event);
    for (const session of this.#sessions.values()) this.#read(session);
    const held = this.#held;
    this.#held = null;
    if (held !== null)
      for (const line of held.slice(-(this.#wish.last ?? 0) || held.length)) this.#write(line);
    if (this.#isUsageNews && !this.#call.output.json) this.#call.output.note(`── ${this.#meter.text()}`);
    this.#isUsageNews = false;
  }

  finish(): void {
    for (const { attempt, tail } of this.#sessions.values())
      if (!tail.isHere() && !this.#printed.has(attempt.attempt))
        this.#call.output.note(
          `nothing of ${attempt.attempt} is here: it ran inside its supervisor, on another host, or never began`,
        );
    if (this.#sessions.size === 0) this.#call.output.note("no agent was started yet");
  }

  get cursor(): string {
    return cursorText(this.#place);
  }

  #observe(event: Recorded): void {
    if (event.type === "AttemptStarted") this.#begin(event.data);
    if (event.type === "AttemptEnded") this.#over.add(event.data.attempt);
    if (this.#meter.observe(event)) this.#isUsageNews = true;
    if (event.seq <= this.#place.seq) return;
    const lines = event.type === "SignalsHeard" ? this.#transcript(event.data) : [];
    const attempt =
      event.type === "SignalsHeard" ? this.#sessions.get(event.data.attempt)?.attempt : undefined;
    lines.forEach((text, at) => {
      if (at < this.#place.lines || attempt === undefined) return;
      this.#place.lines = at + 1;
      this.#print(attempt, "out", text);
    });
    this.#place = { ...this.#place, seq: event.seq, lines: 0 };
  }

  #begin(attempt: Attempt): void {
    if (this.#wish.step !== undefined && attempt.step !== this.#wish.step) return;
    const tail = this.#system.tailOutput(attempt.session);
    this.#sessions.set(attempt.attempt, { attempt, tail, seen: [0, 0] });
  }

  #transcript({ attempt, signals }: EventData<"SignalsHeard">): string[] {
    const known = this.#sessions.get(attempt)?.attempt;
    return known === undefined || this.#isRaw(known) ? [] : signals.flatMap(transcriptLines);
  }

  #isRaw({ agent }: Attempt): boolean {
    return this.#wish.raw || !isStructured(this.#wish.agents[agent]?.use);
  }

  #read(session: { readonly attempt: Attempt; readonly tail: Tail; seen: [number, number] }): void {
    const { attempt, tail, seen } = session;
    const ended = this.#over.has(attempt.attempt) ? tail.rest() : [];
    for (const { from, text } of [...tail.next(), ...ended]) {
      const at = from === "out" ? 0 : 1;
      seen[at] += 1;
      const [out, err] = this.#place.printed[attempt.attempt] ?? [0, 0];
      if (seen[at] <= (at === 0 ? out : err)) continue;
      this.#place.printed = {
        ...this.#place.printed,
        [attempt.attempt]: at === 0 ? [seen[0], err] : [out, seen[1]],
      };
      if (from === "err" || this.#isRaw(attempt)) this.#print(attempt, from, text);
    }
  }

  #print(attempt: Attempt, stream: "out" | "err", text: string): void {
    const line = { attempt, stream, text, cursor: this.cursor };
    if (this.#held === null) this.#write(line);
    else this.#held.push(line);
  }

  #write({ attempt: { attempt, step, agent }, stream, text, cursor }: Line): void {
    const { output } = this.#call;
    this.#printed.add(attempt);
    const heading = `${attempt}${stream === "err" ? " (stderr)" : ""}`;
    if (heading !== this.#heading && !output.json) output.note(`── ${heading}`);
    this.#heading = heading;
    output.record({ run: this.#wish.run, step, attempt, agent, stream, text, cursor });
    output.verbatim(text);
    output.mark(cursor);
  }
}
