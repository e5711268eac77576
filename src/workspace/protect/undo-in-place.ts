import { renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { PlannedAct } from "./find-seal-acts.ts";
import { stagedTree } from "./read-seal.ts";
import { runGit } from "../git/run-git.ts";
import { findRepository, firstLine } from "../git/user-repository.ts";
import type { ShadowRepository } from "../git/shadow-repository.ts";

/** Puts HEAD or the index of a tree back, only from what was seen; false where that is not how it stands any more. */
export async function undoInPlace(
  { veil }: ShadowRepository,
  { what, after, back }: PlannedAct,
  tree: string,
): Promise<boolean> {
  const gitDir = findRepository(tree)?.gitDir;
  if (gitDir === undefined || back === null) return false;
  if (what === "HEAD") return putHead(path.join(gitDir, "HEAD"), { after, back });
  const index = path.join(gitDir, "index");
  const staged = await stagedTree(veil, index);
  if (staged === back) return true;
  if (staged !== after) return false;
  const { code } = await runGit({ gitDir: veil, index, args: ["read-tree", back], answers: [1, 128] });
  return code === 0;
}

/** Under git's own lock, so that no git moves it meanwhile. */
function putHead(
  file: string,
  { after, back }: { readonly after: string | null; readonly back: string },
): boolean {
  const lock = `${file}.lock`;
  if (firstLine(file) === back) return true;
  try {
    writeFileSync(lock, `${back}\n`, { flag: "wx", flush: true });
  } catch {
    // A git is at work there, or one died there.
    return false;
  }
  const isSame = firstLine(file) === after;
  if (isSame) renameSync(lock, file);
  else rmSync(lock, { force: true });
  return isSame;
}
