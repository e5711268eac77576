import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { invariant } from "../../model/fault.ts";

/** Where Holdfast itself stands, with all that comes with it: the same whether its code runs from source or as built. */
export function packageFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, "package.json"))) {
    invariant(folder !== path.dirname(folder), "Holdfast's own package.json lies above its code");
    folder = path.dirname(folder);
  }
  return folder;
}

export const packageVersion = (): string =>
  (JSON.parse(readFileSync(path.join(packageFolder(), "package.json"), "utf8")) as { version: string })
    .version;
