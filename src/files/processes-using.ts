import { readdirSync, readlinkSync } from "node:fs";
import path from "node:path";

/**
 * Other processes that have a file open, also one that was deleted since. Only Linux reports, and only of processes of
 * the same user; where it does not, nobody is named.
 */
export function processesUsing(file: string): number[] {
  const names = new Set([file, `${file} (deleted)`, `${file}-wal`, `${file}-wal (deleted)`]);
  return pidsHere().filter((pid) => pid !== process.pid && linksOf(pid).some((link) => names.has(link)));
}

function pidsHere(): number[] {
  try {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => Number.isInteger(pid) && pid > 0);
  } catch {
    // No such folder on this system.
    return [];
  }
}

function linksOf(pid: number): string[] {
  const folder = `/proc/${String(pid)}/fd`;
  try {
    return readdirSync(folder).flatMap((name) => linkOf(path.join(folder, name)));
  } catch {
    // It ended meanwhile, or is another user's.
    return [];
  }
}

function linkOf(file: string): string[] {
  try {
    return [readlinkSync(file)];
  } catch {
    return [];
  }
}
