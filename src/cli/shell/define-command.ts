import type { Command } from "commander";
import type { Invocation } from "./invocation.ts";
import type { FaultCode } from "../../model/fault.ts";
import type { RunStatus } from "../../model/state/run-status.ts";

/** What a command does: its arguments and options as the parser gives them; answers the exit code. */
export type Work = (call: Invocation, ...args: never[]) => Promise<number>;

/** Makes the parser's action from a command's work. */
export type Bind = (work: Work) => (...args: unknown[]) => Promise<void>;

/** Adds one command, or a small family, to its parent. */
export type AddCommand = (parent: Command, bind: Bind) => void;

export type Example = readonly [words: string, does: string];

/** Of every command the help shows at least two. */
export function examples(first: Example, second: Example, ...more: Example[]): string {
  const rows = [first, second, ...more];
  const width = Math.max(...rows.map(([words]) => words.length));
  const lines = rows.map(([words, does]) => `  holdfast ${words.padEnd(width)}  # ${does}`);
  return `\nExamples:\n${lines.join("\n")}\n`;
}

/** What a command's exit code says. A contract: scripts depend on it. */
export const EXIT = {
  done: 0,
  unsuccessful: 1,
  usage: 2,
  waiting: 3,
  notFound: 4,
  refused: 5,
  store: 6,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Exhaustive by type: a new fault code does not compile without its exit code. */
export const EXIT_OF_FAULT: Readonly<Record<FaultCode, ExitCode>> = {
  usage: EXIT.usage,
  config_invalid: EXIT.usage,
  not_found: EXIT.notFound,
  untrusted: EXIT.waiting,
  refused: EXIT.refused,
  file_refused: EXIT.refused,
  store_unavailable: EXIT.store,
  store_foreign: EXIT.store,
  store_truncated: EXIT.store,
  store_version: EXIT.store,
  store_gone: EXIT.store,
  store_full: EXIT.store,
  store_readonly: EXIT.store,
  store_failed: EXIT.store,
  store_busy: EXIT.store,
  journal_damaged: EXIT.store,
  event_unknown: EXIT.unsuccessful,
  agent_missing: EXIT.unsuccessful,
  agent_failed: EXIT.unsuccessful,
  supervisor_failed: EXIT.unsuccessful,
  diverged: EXIT.unsuccessful,
  closed: EXIT.unsuccessful,
  cancelled: EXIT.unsuccessful,
  budget_exhausted: EXIT.unsuccessful,
  broken_promise: EXIT.unsuccessful,
};

/** How `run` in front ends: by where the run stands when nobody works it any more. */
export const EXIT_OF_STATUS: Readonly<Record<RunStatus, ExitCode>> = {
  completed: EXIT.done,
  failed: EXIT.unsuccessful,
  cancelled: EXIT.unsuccessful,
  blocked: EXIT.waiting,
  paused: EXIT.waiting,
  awaiting_approval: EXIT.waiting,
  queued: EXIT.waiting,
  running: EXIT.waiting,
  pausing: EXIT.waiting,
};
