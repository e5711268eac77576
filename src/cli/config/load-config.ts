import path from "node:path";
import { pathToFileURL } from "node:url";
import { configJsonSchema, configSchema, type Config } from "../../model/config.ts";
import { errorText, Fault } from "../../model/fault.ts";
import type { AgentSpec } from "../../model/flow.ts";
import { describeIssues } from "./describe-issues.ts";
import { findConfig } from "./find-config.ts";
import { NO_PLACES, type DocumentPlaces } from "./document-places.ts";
import { expectFile, readDocument, type ReadDocument } from "./read-document.ts";

export interface LoadedConfig {
  readonly config: Config;
  /** Null: there is none, and every setting has its default. */
  readonly file: string | null;
}

/** Finds, reads and checks the configuration of a folder. */
export async function loadConfig(cwd: string): Promise<LoadedConfig> {
  const file = findConfig(cwd);
  if (file === null) return { config: configSchema.parse({}), file };
  return { config: await readConfig(file), file };
}

/** Reads and checks one file of configuration. */
export async function readConfig(file: string): Promise<Config> {
  const document: ReadDocument = file.endsWith(".ts")
    ? { value: await importDefault(file), places: NO_PLACES }
    : readDocument(file, "the configuration");
  return resolvePaths(checkConfig(document.value ?? {}, file, document.places), path.dirname(file));
}

export function checkConfig(value: unknown, file: string, places: DocumentPlaces = NO_PLACES): Config {
  const checked = configSchema.safeParse(value);
  if (checked.success) return checked.data;
  const problems = describeIssues(checked.error.issues, { value, places }, configJsonSchema());
  throw new Fault("config_invalid", `${file} is not a valid configuration: ${problems.join("; ")}`, {
    details: { file, problems },
  });
}

async function importDefault(file: string): Promise<unknown> {
  expectFile(file, "the configuration");
  let module: Record<string, unknown>;
  try {
    module = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (error) {
    throw new Fault("config_invalid", `${file} cannot be loaded: ${errorText(error)}`, { cause: error });
  }
  if (module["default"] === undefined)
    throw new Fault("config_invalid", `${file} has no default export; expected \`export default { … }\``);
  return module["default"];
}

/** Paths in a file are meant from that file, wherever the command is called. */
function resolvePaths(config: Config, folder: string): Config {
  const agents = Object.entries(config.agents).map(
    ([name, spec]) => [name, resolveSpec(spec, folder)] as const,
  );
  return { ...config, agents: Object.fromEntries(agents) };
}

function resolveSpec(spec: AgentSpec, folder: string): AgentSpec {
  return {
    ...spec,
    ...(spec.module === undefined ? {} : { module: path.resolve(folder, spec.module) }),
    ...(spec.script === undefined || !/[/\\]/.test(spec.script)
      ? {}
      : { script: path.resolve(folder, spec.script) }),
  };
}
