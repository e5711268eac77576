import type { RunEvent } from "../src/model/events.ts";

/** Less than any limit on silence or on an attempt, and more than a process stands still. */
const SILENT_MS_MIN = 100_000;
const ATTEMPT_MS_MIN = 300_000;

/**
 * Holds what is decided about time against the time that really passed, which no journal knows: whatever its supervisor's
 * clock does, an agent that was heard a moment ago is not called stuck, and one that has just begun is not out of time.
 */
export class ClockEyes {
  readonly #heardAt = new Map<string, number>();
  readonly #beganAt = new Map<string, number>();

  /** What was wrong with events that were just appended. */
  saw(run: string, events: readonly RunEvent[], now: number): string[] {
    const found: string[] = [];
    const since = (times: ReadonlyMap<string, number>, attempt: string): number =>
      now - (times.get(`${run}/${attempt}`) ?? -Infinity);
    for (const { type, data } of events) {
      if (type === "AttemptStarted") this.#beganAt.set(`${run}/${data.attempt}`, now);
      if (type === "AttemptStarted" || type === "SignalsHeard")
        this.#heardAt.set(`${run}/${data.attempt}`, now);
      if (type === "HealthChanged" && data.state === "stuck" && data.pattern === "no_progress")
        if (since(this.#heardAt, data.attempt) < SILENT_MS_MIN)
          found.push(`${run}: ${data.attempt} was called silent by a clock that had jumped`);
      if (type === "AttemptEnding" && data.to === "timed_out")
        if (since(this.#beganAt, data.attempt) < ATTEMPT_MS_MIN)
          found.push(`${run}: ${data.attempt} was ended by a clock that had jumped`);
    }
    return found;
  }
}
