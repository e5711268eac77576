import { printableLine } from "../../model/text/printable.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** Whether an attempt at work is in a sandbox. */
export interface StatusSandbox {
  readonly step: string;
  readonly attempt: number;
  readonly active: boolean;
  /** With what it reaches, or why it is in none; null where none was asked for. */
  readonly text: string | null;
}

/** Of the attempts whose agents were started. */
export const statusSandboxes = ({ attempts }: RunState): readonly StatusSandbox[] =>
  Object.values(attempts)
    .filter(({ started }) => started)
    .map(({ step, number, sandbox }) => ({
      ...{ step, attempt: number },
      ...{ active: sandbox?.active ?? false, text: sandbox?.text ?? null },
    }));

/** `work, attempt 2: in a sandbox (…)`; null where none was asked for. */
export const sandboxText = ({ step, attempt, text }: StatusSandbox): string | null =>
  text === null ? null : printableLine(`${step}, attempt ${String(attempt)}: ${text}`, TEXT_CHARS_MAX);

const TEXT_CHARS_MAX = 600;
