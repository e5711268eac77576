import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { copyDatabase, openDatabase } from "../../files/open-database.ts";
import { copyFolder } from "../../files/copy-folder.ts";
import type { World } from "../../model/world.ts";
import { oneAtATime } from "./project-store.ts";

const isProject = (folder: string): boolean => existsSync(path.join(folder, "lock.db"));

/**
 * Copies what is kept of every project: the snapshots and their records, each project while nobody works on it. Work
 * trees are not copied: they are made again from their branch and the last checkpoint.
 */
export async function copyProjectStores(home: string, to: string, world: World): Promise<string[]> {
  if (!existsSync(home)) return [];
  mkdirSync(to, { recursive: true, mode: 0o700 });
  const projects = readdirSync(home).filter((name) => isProject(path.join(home, name)));
  for (const name of projects) await copyProject(path.join(home, name), path.join(to, name), world);
  if (existsSync(path.join(home, "slots.db")))
    await copyDatabase(path.join(home, "slots.db"), path.join(to, "slots.db"));
  return projects;
}

async function copyProject(from: string, to: string, world: World): Promise<void> {
  const lock = openDatabase(path.join(from, "lock.db"));
  try {
    await oneAtATime(
      lock,
      world,
      async () => undefined,
    )(async () => {
      copyFolder(from, to, (file) => file === "git" || file.startsWith(`git${path.sep}`));
      if (existsSync(path.join(from, "state.db")))
        await copyDatabase(path.join(from, "state.db"), path.join(to, "state.db"));
    });
  } finally {
    lock.close();
  }
}
