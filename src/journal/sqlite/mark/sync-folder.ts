import { closeSync, fsyncSync, openSync } from "node:fs";

/** Makes the names in a folder durable. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
