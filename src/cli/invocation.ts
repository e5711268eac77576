import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import type { System } from "../main.ts";
import type { Config } from "../model/config.ts";
import { errorText, Fault } from "../model/fault.ts";
import { commandText } from "../model/command-text.ts";
import type { Output } from "./output.ts";
import { chooseStore, type StoreChoice } from "./store-url.ts";
import { stateFolder, type Surroundings } from "./surroundings.ts";

export interface GlobalOptions {
  readonly json?: boolean;
  readonly store?: string;
}

/** Whether a command may make a store where there is none, or finds an empty one instead. */
type IfAbsent = "create" | "empty";

/** One call of one command: where it was called, with which global options, and where its words go. */
export class Invocation {
  readonly output: Output;
  readonly surroundings: Surroundings;
  readonly store: StoreChoice;

  constructor(options: GlobalOptions, output: Output, surroundings: Surroundings) {
    this.output = output;
    this.surroundings = surroundings;
    this.store = chooseStore(options.store, surroundings);
  }

  get stateFolder(): string {
    return stateFolder(this.surroundings);
  }

  /** Whether there is a database is known only to its server. */
  get storeExists(): boolean {
    return this.store.file === null || existsSync(this.store.file);
  }

  /** A command to paste, for the store of this call. */
  command(...words: string[]): string {
    return commandText(words, this.store.named);
  }

  async config(): Promise<Config> {
    const { loadConfig } = await import("./config/load-config.ts");
    return (await loadConfig(this.surroundings.cwd)).config;
  }

  /** Opens the store, works with it, and closes it again whatever happens. */
  async withSystem<T>(
    ifAbsent: IfAbsent,
    work: (system: System, config: Config) => Promise<T>,
    settings: () => Promise<Config> = () => this.config(),
  ): Promise<T> {
    const config = await settings();
    // All at once, and nothing later: a supervisor that lives on while its package is replaced finds the old files no more.
    const [{ openSystem }, { readBindings }] = await Promise.all([
      import("../main.ts"),
      import("./read-bindings.ts"),
    ]);
    const system = await openSystem({
      store: this.#storeToOpen(ifAbsent),
      settings: config,
      storeNamed: this.store.named,
      ownCommand: ownCommand(),
      bindings: readBindings,
    });
    try {
      return await work(system, config);
    } finally {
      await system.close();
    }
  }

  /** Reading must leave no file behind: a store that is not there is an empty one. */
  #storeToOpen(ifAbsent: IfAbsent): string {
    const { url, file } = this.store;
    if (this.storeExists) return url;
    if (ifAbsent === "empty") return "memory:";
    if (file !== null) makeFolder(path.dirname(file));
    return url;
  }
}

/** How this program is called again by others; undefined where it is only part of another one. */
export function ownCommand(): readonly [string, ...string[]] | undefined {
  const [, script] = process.argv;
  const flags = process.execArgv.filter((flag) => !flag.startsWith("--inspect"));
  return script === undefined ? undefined : [process.execPath, ...flags, script];
}

export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Fault(
      "store_unavailable",
      `the folder ${folder} cannot be made: ${errorText(error)}; name another with HOLDFAST_HOME or --store`,
      { cause: error },
    );
  }
}
