import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";

const REPOSITORY = path.join(import.meta.dirname, "..", "..");
export const EXAMPLES = path.join(REPOSITORY, "examples");
const PLACE = path.join(EXAMPLES, "node_modules", "holdfast");
const DIGEST = path.join("dist", ".source-digest");

/**
 * Puts the built package where an installation would, as a copy: a link would look for its peers (LangGraph, the
 * AI SDK) in this repository instead of beside itself. Several test files may do so at once.
 */
export function installHoldfast(): void {
  const wanted = readFileSync(path.join(REPOSITORY, DIGEST), "utf8");
  const found = path.join(PLACE, DIGEST);
  if (existsSync(found) && readFileSync(found, "utf8") === wanted) return;
  const fresh = `${PLACE}-${String(process.pid)}`;
  copyHoldfast(fresh);
  const old = `${fresh}-old`;
  try {
    if (existsSync(PLACE)) renameSync(PLACE, old);
    renameSync(fresh, PLACE);
  } catch (error) {
    // Another file was quicker, and put the same there.
    if (!existsSync(found)) throw error;
  } finally {
    for (const folder of [old, fresh]) rmSync(folder, { recursive: true, force: true });
  }
}

export function copyHoldfast(place: string): void {
  mkdirSync(place, { recursive: true });
  for (const name of ["package.json", "dist", "bin"])
    cpSync(path.join(REPOSITORY, name), path.join(place, name), { recursive: true });
}
