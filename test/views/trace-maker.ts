import { assessTrace, type TraceOptions, type TraceVerdict } from "../../src/views/assess/assess-trace.ts";
import type { TraceEvent } from "../../src/views/assess/trace-event.ts";

interface StepOptions {
  readonly ok?: boolean;
  readonly tookMs?: number;
}

/** Writes a trace as an agent would have left it, second by second. */
export class TraceMaker {
  readonly events: TraceEvent[] = [];
  now = 0;

  add(kind: string, fields: Record<string, unknown> = {}, afterMs = 1_000): this {
    this.now += afterMs;
    this.events.push({ t_ms: this.now, kind, ...fields });
    return this;
  }

  call(name: string, args: unknown): this {
    return this.add("tool_call", { name, args });
  }

  result(name: string, result: string, { ok, tookMs = 1_000 }: StepOptions = {}): this {
    return this.add("tool_result", { name, result, ...(ok === undefined ? {} : { ok }) }, tookMs);
  }

  step(name: string, args: unknown, result: string, options: StepOptions = {}): this {
    return this.call(name, args).result(name, result, { ok: true, ...options });
  }

  says(text: string): this {
    return this.add("assistant", { result: text });
  }

  user(text: string): this {
    return this.add("user", { result: text });
  }

  times(count: number, each: (maker: this, index: number) => void): this {
    for (let index = 0; index < count; index += 1) each(this, index);
    return this;
  }

  assess(options: Partial<TraceOptions> = {}): TraceVerdict {
    return assessTrace(this.events, { timed: false, zone: "UTC", ...options });
  }
}

export const trace = (): TraceMaker => new TraceMaker();
