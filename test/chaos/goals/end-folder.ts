import { readdirSync, readFileSync } from "node:fs";

/**
 * Ends the processes that a play has left in its folder, by their ids: agents and keepers outlive the process that was
 * killed, and would take memory from every strike after it. Answers how many there were.
 */
export function endFolder(folder: string): number {
  const left = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && namesFolder(pid, folder));
  for (const pid of left)
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  return left.length;
}

function namesFolder(pid: string, folder: string): boolean {
  if (Number(pid) === process.pid) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(folder);
  } catch {
    return false;
  }
}
