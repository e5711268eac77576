import { mkdirSync } from "node:fs";

/** A folder for this user alone, with nothing of anybody's in it. */
export function emptyFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
