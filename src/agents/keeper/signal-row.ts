import { errorText } from "../../model/fault.ts";
import { isSignalable } from "../process-identity.ts";
import { readProcess, type ProcessRow } from "../process-table.ts";

/** Whether a process that was found still is the one that it was then. */
export function isThere(row: ProcessRow): boolean {
  const now = readProcess(row.pid);
  return typeof now === "object" && !now.zombie && now.startedAt === row.startedAt;
}

/** Signals exactly the process that was found. */
export function signalRow(row: ProcessRow, signal: NodeJS.Signals): void {
  if (!isThere(row) || !isSignalable(row.pid)) return;
  try {
    process.kill(row.pid, signal);
  } catch (error) {
    // Gone meanwhile, or not ours to signal: the next look at the table shows which.
    if (!/ESRCH|EPERM/.test(errorText(error))) throw error;
  }
}
