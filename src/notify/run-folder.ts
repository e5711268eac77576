import { lstat, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/**
 * The folder `.holdfast/status` inside a run's own, made where it is missing. It is no part of anybody's work, so Git
 * is asked to leave it out. A tree that an agent writes to must not make us write elsewhere: links on the way are
 * refused.
 */
export async function statusFolder(cwd: string): Promise<string> {
  let folder = cwd;
  for (const name of [".holdfast", "status"]) {
    folder = path.join(folder, name);
    await makeFolder(folder);
  }
  await writeFile(path.join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch(ignoreExisting);
  return folder;
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder).catch(ignoreExisting);
  const found = await lstat(folder);
  if (!found.isDirectory())
    throw new Error(`${folder} is no folder of its own; remove it, or turn mirrors.status off`);
}

function ignoreExisting(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
}
