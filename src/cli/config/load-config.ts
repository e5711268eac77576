import path from "node:path";
import { pathToFileURL } from "node:url";
import { configJsonSchema, configSchema, type Config } from "../../model/settings/config.ts";
import {
  asOfFleet,
  defaultConfig,
  hostConfigJsonSchema,
  hostConfigSchema,
  hostKeysIn,
  onHost,
  type HostConfig,
} from "../../model/settings/host-config.ts";
import { shellWord } from "../../model/text/command-text.ts";
import { errorText, Fault, isFault } from "../../model/fault.ts";
import type { AgentSpec } from "../../model/flow/flow.ts";
import { describeIssues } from "./describe-issues.ts";
import { findCodeConfig, findConfig, findHostConfig, isCode } from "./find-config.ts";
import { NO_PLACES, type DocumentPlaces } from "./document-places.ts";
import { expectFile, readDocument, type ReadDocument } from "./read-document.ts";

export interface LoadedConfig {
  readonly config: Config;
  /** Null: there is none, and every setting has its default. */
  readonly file: string | null;
}

/** Where the parts of a configuration stand. */
export interface ConfigPlaces {
  readonly cwd: string;
  /** The folder of the user's own configuration. */
  readonly hostFolder: string;
  /** Whether other hosts share the store. */
  readonly isFleet?: boolean;
  /** Of `--config`: this file instead of the one that is found. */
  readonly named?: string | undefined;
  /** Called with what stands in the repository and is not obeyed. */
  readonly warn?: (text: string) => void;
}

/** The configuration of a folder's repository on this host. */
export async function loadConfig(places: ConfigPlaces): Promise<LoadedConfig> {
  const { cwd, hostFolder, isFleet, named, warn } = places;
  const host = loadHostConfig(hostFolder, isFleet);
  const file = named ?? findConfig(cwd);
  if (named === undefined) warnOfCode(cwd, file, warn);
  if (file === null) return { config: defaultConfig(host), file };
  const document = await readConfigDocument(file);
  const config = asConfig(document, file);
  const ignored = hostKeysIn(document.value);
  if (ignored.length > 0) warn?.(`${file}: warning: ${hostKeysText(ignored, hostFolder)}`);
  return { config: onHost(config, host), file };
}

export const hostKeysText = (keys: readonly string[], hostFolder: string): string =>
  `${keys.join(", ")} ${keys.length === 1 ? "is a setting" : "are settings"} of the host, ignored in a repository; put ${keys.length === 1 ? "it" : "them"} into ${path.join(hostFolder, "holdfast.yaml")}`;

/** Code that is not run is said to be, with the command that runs it. */
function warnOfCode(cwd: string, used: string | null, warn: ConfigPlaces["warn"]): void {
  const code = warn === undefined ? null : findCodeConfig(cwd);
  if (code === null) return;
  const instead = used === null ? "" : `; ${used} is used`;
  warn?.(
    `${code} is code and was not run${instead}; to use it, read it and name it: holdfast run … --config ${shellWord(path.relative(cwd, code))}`,
  );
}

/** The settings of the host, from the user's own file; the defaults where there is none. */
export function loadHostConfig(folder: string, isFleet = false): HostConfig {
  const file = findHostConfig(folder);
  const withDefaults = (value: unknown): unknown => (isFleet ? asOfFleet(value ?? {}) : (value ?? {}));
  if (file === null) return hostConfigSchema.parse(withDefaults({}));
  const { value, places } = readDocument(file, "your configuration");
  const checked = hostConfigSchema.safeParse(withDefaults(value));
  if (checked.success) return checked.data;
  const problems = describeIssues(checked.error.issues, { value, places }, hostConfigJsonSchema());
  throw new Fault(
    "config_invalid",
    `${file} is not a valid configuration of the host: ${problems.join("; ")}; agents and settings of runs belong into a repository's holdfast.yaml`,
    { details: { file, problems } },
  );
}

/** The same, where a mistake in it must not keep anybody from looking: a section that is wrong has its defaults. */
export function tolerantHostConfig(
  folder: string,
  warn: (text: string) => void,
  isFleet = false,
): HostConfig {
  try {
    return loadHostConfig(folder, isFleet);
  } catch (error) {
    if (!isFault(error, "config_invalid")) throw error;
    warn(`${error.message}; this command uses the defaults for what is wrong`);
    const valid = validSections(folder);
    return hostConfigSchema.parse(isFleet ? asOfFleet(valid) : valid);
  }
}

function validSections(folder: string): Record<string, unknown> {
  try {
    const { value } = readDocument(findHostConfig(folder) ?? "", "your configuration");
    const sections: [string, unknown][] =
      typeof value === "object" && value !== null ? Object.entries(value) : [];
    return Object.fromEntries(
      sections.filter(([name, part]) => hostConfigSchema.safeParse({ [name]: part }).success),
    );
  } catch (error) {
    if (!isFault(error, "config_invalid")) throw error;
    return {};
  }
}

/** Reads and checks one file of configuration, as it is written. */
export const readConfig = async (file: string): Promise<Config> =>
  asConfig(await readConfigDocument(file), file);

const readConfigDocument = async (file: string): Promise<ReadDocument> =>
  isCode(file)
    ? { value: await importDefault(file), places: NO_PLACES }
    : readDocument(file, "the configuration");

const asConfig = ({ value, places }: ReadDocument, file: string): Config =>
  resolvePaths(checkConfig(value ?? {}, file, places), path.dirname(file));

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
