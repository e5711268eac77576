import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { plainText, plainTextIfAny, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import type { World } from "../../model/world.ts";

const NAME = "freeing";
const POLL_MS = 50;
const WAIT_MS = 10 * 60_000;

/** Writes down which git is freeing objects: should we die, it goes on without us. */
export const noteFreeing = (storeFolder: string, pid: number): void =>
  writeFileSync(path.join(storeFolder, NAME), String(pid));

export const forgetFreeing = (storeFolder: string): void =>
  rmSync(path.join(storeFolder, NAME), { force: true });

/** A new snapshot may count on an object that such a git is about to free; so it is waited for. */
export async function freeingEnded(storeFolder: string, world: World): Promise<void> {
  const file = path.join(storeFolder, NAME);
  const noted = plainText(file, { bytesMax: RECORD_BYTES_MAX });
  if (noted === undefined) return;
  const pid = Number(noted);
  const deadlineMs = world.now() + WAIT_MS;
  while (isRepacking(pid) && world.now() < deadlineMs)
    await new Promise<void>((resolve) => world.timer(POLL_MS, resolve));
  rmSync(file, { force: true });
}

function isRepacking(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 1) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  // A pid is reused: where the system reports what runs under it, only a repack is waited for.
  const cmdline = `/proc/${String(pid)}/cmdline`;
  return (
    !existsSync(cmdline) ||
    plainTextIfAny(cmdline, { bytesMax: RECORD_BYTES_MAX })?.includes("\0repack\0") === true
  );
}
