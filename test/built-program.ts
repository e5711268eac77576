import { existsSync, realpathSync } from "node:fs";
import path from "node:path";

const REPOSITORY = path.resolve(import.meta.dirname, "..");

/** The program as one file where `npm test` has made it so, which starts much sooner; else its source. */
export function builtProgram(source: string): string {
  const folder = process.env["TEST_PROGRAMS"];
  if (folder === undefined) return source;
  const name = path.relative(REPOSITORY, source).replaceAll("/", "-").replace(/\.ts$/u, ".cjs");
  const built = path.join(folder, name);
  return existsSync(built) ? built : source;
}

/** Whether this process was started to run that program, and did not merely import it. */
export const isStarted = (source: string): boolean =>
  [source, builtProgram(source)].includes(realpathSync(process.argv[1] ?? ""));
