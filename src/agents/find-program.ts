import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

/** Where a program is: by its path, relative to the folder to work in, or by its name on PATH. */
export function findProgram(name: string, searchPath: string | undefined, cwd: string): string | undefined {
  if (name.includes("/")) return ifProgram(path.resolve(cwd, name));
  for (const folder of (searchPath ?? "").split(path.delimiter)) {
    if (folder === "") continue;
    const found = ifProgram(path.resolve(cwd, folder, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

function ifProgram(file: string): string | undefined {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}
