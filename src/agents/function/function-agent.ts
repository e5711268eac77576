import type { Signal } from "../../model/agent/signals.ts";

/** What a function agent may report by itself; the beginning, the result and the exit are its driver's to report. */
export type ReportableSignal = Exclude<Signal, { kind: "ready" | "result" | "exit" }>;

/** What a function agent is given. Awaiting the helpers slows a talkative agent down to the pace of its reader. */
export interface FunctionAgentContext {
  readonly run: string;
  readonly step: string;
  readonly attempt: string;
  /** Which attempt of the step this is, from 1. */
  readonly number: number;
  readonly task: string;
  readonly cwd: string;
  /** Fires when the session is to end. What the function returns after that is not taken as a result. */
  readonly signal: AbortSignal;
  report(text: string, pct?: number): Promise<void>;
  /** Does `work` and reports it as a tool call with its result. */
  tool<Result>(name: string, args: unknown, work: () => Promise<Result> | Result): Promise<Result>;
  emit(signal: ReportableSignal): Promise<void>;
}

/** What it returns is the result and must be JSON; what it throws is an error, final if it carries `terminal: true`. */
export type FunctionAgent = (context: FunctionAgentContext) => unknown;
