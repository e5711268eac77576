import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/** Where the store of a run that is killed lies: in its folder, or on a disk of its own that is mounted in it. */
export function storeFolder(folder: string, { make = false }: { make?: boolean } = {}): string {
  const disk = join(folder, "disk");
  if (make) mkdirSync(disk);
  return existsSync(disk) ? disk : folder;
}
