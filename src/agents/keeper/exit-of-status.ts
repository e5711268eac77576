import { constants } from "node:os";
import type { ExitSignal } from "../../model/agent/signals.ts";

/** Nobody dies of these, so a status that seems to name one is a code: an agent that exits with 401 is reported as 145. */
const HARMLESS: ReadonlySet<string> = new Set([
  "SIGCHLD",
  "SIGCONT",
  "SIGSTOP",
  "SIGTSTP",
  "SIGTTIN",
  "SIGTTOU",
  "SIGURG",
  "SIGWINCH",
  "SIGSTKFLT",
]);
const DEADLY = Object.entries(constants.signals).filter(([name]) => !HARMLESS.has(name));

/** A shell reports a death by signal as 128 plus its number, and cannot distinguish it from an exit with that code. */
export function exitOfStatus(status: number): ExitSignal {
  const signal = DEADLY.find(([, number]) => number === status - 128)?.[0];
  return signal === undefined
    ? { kind: "exit", how: "code", code: status }
    : { kind: "exit", how: "signal", signal };
}
