import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** A file that stands beside the database. SQLite puts its log beside what a link points to, and so do we. */
export const sideFile = (file: string, suffix: "-wal" | "-shm" | "-ack" | "-room"): string =>
  `${resolved(file)}${suffix}`;

function resolved(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return join(dirname(file), basename(file));
  }
}
