import { existsSync } from "node:fs";
import path from "node:path";
import { plainTextIfAny } from "./plain-file.ts";

/** A session that nobody has begun by then is not waited for. */
const BEGIN_LIMIT_MS = 60_000;

/** Whether a session has ended, for those who serve it: its keeper writes the exit into its folder, and its identity. */
export function isSessionOver(folder: string, servedMs: number): boolean {
  if (existsSync(path.join(folder, "exit"))) return true;
  const text = plainTextIfAny(path.join(folder, "identity"), { bytesMax: 4_096 });
  const pid = /"pid":(\d+)/.exec(text ?? "")?.[1];
  return pid === undefined ? servedMs > BEGIN_LIMIT_MS : !isThere(Number(pid));
}

/** Whether a process of that number is there, be it another user's. */
export function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
