import { readFileSync } from "node:fs";
import type { ProcessIdentity } from "../../model/world.ts";
import { readAllProcesses, type ProcessRow } from "../process-table.ts";
import { MARK_VARIABLE } from "./session-folder.ts";

/**
 * Every living process of a session, however it tried to leave: in the keeper's group or session, bearing the session's
 * mark in its environment, or descending from one that is. A group counts only while its keeper is verified to live,
 * since a group's number, like a pid, is reused. The calling process is never among them.
 */
export const sessionMembers = (
  mark: string,
  keeper: ProcessIdentity | undefined,
): readonly ProcessRow[] | "unknown" => membersOf(`${MARK_VARIABLE}=${mark}`, keeper);

/** The same by any entry of the environment that marks a descent. */
export function membersOf(
  entry: string,
  keeper: ProcessIdentity | undefined,
): readonly ProcessRow[] | "unknown" {
  const all = readAllProcesses();
  if (all === "unknown") return "unknown";
  const rows = all.filter((row) => !row.zombie && row.pid !== process.pid);
  const keeperLives = rows.some((row) => row.pid === keeper?.pid && row.startedAt === keeper.startedAt);
  const members = rows.filter(
    (row) =>
      (keeperLives && (row.group === keeper?.pid || row.session === keeper?.pid)) ||
      bearsMark(row.pid, entry),
  );
  return withDescendants(members, rows);
}

function withDescendants(members: readonly ProcessRow[], rows: readonly ProcessRow[]): readonly ProcessRow[] {
  const children = Map.groupBy(rows, (row) => row.parent);
  const found = new Map(members.map((row) => [row.pid, row]));
  // A map visits what is added while it is walked, so this reaches every generation.
  for (const pid of found.keys())
    for (const child of children.get(pid) ?? []) if (!found.has(child.pid)) found.set(child.pid, child);
  return [...found.values()];
}

/** Where the system shows nobody's environment, or not this process's, it bears no mark as far as can be told. */
const bearsMark = (pid: number, entry: string): boolean =>
  `\0${environmentOf(pid) ?? ""}`.includes(`\0${entry}\0`);

function environmentOf(pid: number): string | null {
  if (process.platform !== "linux") return null;
  try {
    return readFileSync(`/proc/${String(pid)}/environ`, "latin1");
  } catch {
    return null;
  }
}

const KERNEL_THREADS = 2;

/**
 * Processes that show no environment: those in the middle of an `exec`, which may bear the mark a moment later, and
 * those that have none for good. The kernel's own are left out.
 */
export function processesWithoutMarks(): readonly ProcessRow[] {
  const all = readAllProcesses();
  if (all === "unknown") return [];
  return all.filter(
    (row) =>
      !row.zombie && row.pid !== KERNEL_THREADS && row.parent !== KERNEL_THREADS && hasNoMarks(row.pid),
  );
}

export const hasNoMarks = (pid: number): boolean => environmentOf(pid) === "";
