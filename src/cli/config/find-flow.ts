import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { errorText, Fault } from "../../model/fault.ts";
import { didYouMean } from "../shell/nearest.ts";
import { NO_PLACES } from "./document-places.ts";
import { packageFolder } from "../shell/package-folder.ts";
import { foldersUpToRoot } from "./find-config.ts";
import { expectFile, type ReadDocument } from "./read-document.ts";

const ENDINGS = [".yaml", ".yml", ".json", ".ts"] as const;

/** A flow's file by its path, or by its name: in `.holdfast/flows` of the folder or one above it, or ready-made. */
export function findFlow(text: string, cwd: string): string {
  const file = path.resolve(cwd, text);
  if (existsSync(file) || /[/\\]/.test(text) || ENDINGS.some((ending) => text.endsWith(ending))) return file;
  const own = foldersUpToRoot(cwd).map((folder) => path.join(folder, ".holdfast", "flows"));
  const tried = [...own, readyMade()];
  for (const folder of tried)
    for (const ending of ENDINGS) {
      const found = path.join(folder, `${text}${ending}`);
      if (existsSync(found)) return found;
    }
  throw new Fault(
    "config_invalid",
    `there is no flow "${text}"; expected a file, or a name: ${namesIn(tried).join(", ")}; your own stand in ${own[0] ?? ""}${didYouMean(text, namesIn(tried))}`,
  );
}

/** Where the flows stand that come with Holdfast. */
const readyMade = (): string => path.join(packageFolder(), "flows");

const namesIn = (folders: readonly string[]): string[] => {
  const files = folders.flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []));
  const named = files.filter((file) => ENDINGS.some((ending) => file.endsWith(ending)));
  return [...new Set(named.map((file) => path.parse(file).name))].sort();
};

/** What a flow's module says: its default export, or what that makes of the goal. */
export async function importFlow(file: string, goal: string | undefined): Promise<ReadDocument> {
  expectFile(file, "the flow");
  let module: Record<string, unknown>;
  try {
    module = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (error) {
    throw new Fault("config_invalid", `${file} cannot be loaded: ${errorText(error)}`, { cause: error });
  }
  const { default: exported } = module;
  if (exported === undefined)
    throw new Fault(
      "config_invalid",
      `${file} has no default export; expected \`export default defineFlow({ … })\``,
    );
  if (typeof exported !== "function") return { value: exported, places: NO_PLACES };
  try {
    const value: unknown = await (exported as (goal: string) => unknown)(goal ?? "");
    return { value, places: NO_PLACES };
  } catch (error) {
    throw new Fault("config_invalid", `${file} could not make its flow: ${errorText(error)}`, {
      cause: error,
    });
  }
}
