import type { ProcessIdentity } from "../../model/world.ts";
import type { ProcessRow } from "../process-table.ts";
import { lookAround, type Surroundings } from "./look-around.ts";
import { MARK_VARIABLE } from "./session-folder.ts";

/**
 * Every living process of a session, however it tried to leave: in the keeper's group or session, bearing the session's
 * mark in its environment, or descending from one that is. A group counts only while its keeper is verified to live,
 * since a group's number, like a pid, is reused. The calling process is never among them.
 */
export const sessionMembers = (
  mark: string,
  keeper: ProcessIdentity | undefined,
  around: Surroundings | "unknown" = lookAround(),
): readonly ProcessRow[] | "unknown" => membersOf(`${MARK_VARIABLE}=${mark}`, keeper, around);

/** The same by any mark in the environment that is handed down. */
export function membersOf(
  mark: string,
  keeper: ProcessIdentity | undefined,
  around: Surroundings | "unknown" = lookAround(),
): readonly ProcessRow[] | "unknown" {
  if (around === "unknown") return "unknown";
  const { rows, marks } = around;
  const keeperLives = rows.some((row) => row.pid === keeper?.pid && row.startedAt === keeper.startedAt);
  const members = rows.filter(
    (row) =>
      (keeperLives && (row.group === keeper?.pid || row.session === keeper?.pid)) ||
      marks.get(row.pid)?.includes(mark) === true,
  );
  return members.length === 0 ? members : withDescendants(members, rows);
}

function withDescendants(members: readonly ProcessRow[], rows: readonly ProcessRow[]): readonly ProcessRow[] {
  const children = Map.groupBy(rows, (row) => row.parent);
  const found = new Map(members.map((row) => [row.pid, row]));
  // A map visits what is added while it is walked, so this reaches every generation.
  for (const pid of found.keys())
    for (const child of children.get(pid) ?? []) if (!found.has(child.pid)) found.set(child.pid, child);
  return [...found.values()];
}

/** Processes in the middle of an `exec`, which may bear the mark a moment later. */
export const processesWithoutMarks = (around: Surroundings | "unknown"): readonly ProcessRow[] =>
  around === "unknown" ? [] : around.rows.filter(({ pid }) => around.bare.has(pid));
