import { parseArgs, type ParseArgsConfig } from "node:util";

/** The options of a command of this repository. A word that is none of them is said on one line, with those there are. */
export function parseWords<const Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const names = Object.keys(config.options ?? {}).map((name) => `--${name}`);
    console.error(`${error instanceof Error ? error.message : String(error)}; options: ${names.join(", ")}`);
    return process.exit(2);
  }
}
