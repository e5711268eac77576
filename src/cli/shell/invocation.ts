import { existsSync } from "node:fs";
import path from "node:path";
import type { System } from "../../main.ts";
import type { Reader } from "../../open-reader.ts";
import type { Config } from "../../model/settings/config.ts";
import type { HostConfig } from "../../model/settings/host-config.ts";
import { commandText } from "../../model/text/command-text.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { makeFolder } from "./make-folder.ts";
import type { Output } from "../print/output.ts";
import type { MakePerformer, Serving } from "../server/serving.ts";
import { chooseStore, type StoreChoice } from "./store-url.ts";
import { hostConfigFolder, stateFolder, type Surroundings } from "./surroundings.ts";

export interface GlobalOptions {
  readonly json?: boolean;
  readonly store?: string;
  readonly config?: string;
  /** A server that performs the command on its own store. */
  readonly server?: string;
  readonly tokenFile?: string;
  readonly caFile?: string;
}

/**
 * What looks at runs, or ends them, works although the user's own configuration is wrong: a typo there must not keep
 * anybody from seeing or stopping what is at work. Everything else asks for it to be mended first.
 */
const TOLERANT: ReadonlySet<string> = new Set([
  ...[
    "status",
    "runs",
    "watch",
    "inbox",
    "events",
    "logs",
    "why",
    "wait",
    "report",
    "checkpoints",
    "changes",
  ],
  ...["alarms", "attach", "investigate", "proposals", "export", "verify"],
  ...["cancel", "pause", "stop", "down"],
  ...["serve", "dashboard", "token"],
]);

/** Whether a command may make a store where there is none, or finds an empty one instead. */
type IfAbsent = "create" | "empty";

export interface CalledAs {
  readonly command?: string;
  readonly serving?: Serving | null;
  readonly makePerformer?: MakePerformer | null;
  /** What commands that are printed name, instead of the store's address. */
  readonly named?: string;
}

/** One call of one command: where it was called, with which global options, and where its words go. */
export class Invocation {
  readonly output: Output;
  readonly surroundings: Surroundings;
  readonly store: StoreChoice;
  /** Present where a server performs the command for somebody who asks it to: on its own store, in their name. */
  readonly serving: Serving | null;
  /** For commands that serve: what performs commands for others. */
  readonly makePerformer: MakePerformer | null;
  readonly #named: string | undefined;
  #loaded: Promise<LoadedConfig> | undefined;
  #host: HostConfig | undefined;
  readonly #isTolerant: boolean;

  /** `command`: the name of the command that is called. */
  constructor(
    options: GlobalOptions,
    output: Output,
    surroundings: Surroundings,
    { command = "", serving = null, makePerformer = null, named }: CalledAs = {},
  ) {
    this.serving = serving;
    this.makePerformer = makePerformer;
    this.#isTolerant = TOLERANT.has(command);
    this.output = output;
    this.surroundings = surroundings;
    const store = chooseStore(options.store, surroundings);
    this.store = named === undefined ? store : { ...store, named };
    this.#named = options.config === undefined ? undefined : path.resolve(surroundings.cwd, options.config);
  }

  get stateFolder(): string {
    return stateFolder(this.surroundings);
  }

  /** Whether other hosts may share the store. */
  get isFleet(): boolean {
    return this.store.file === null;
  }

  /** Whether there is a database is known only to its server. */
  get storeExists(): boolean {
    return this.store.file === null || existsSync(this.store.file);
  }

  /** A command to paste, for the store of this call. */
  command(...words: string[]): string {
    return commandText(words, this.store.named);
  }

  /** The folder of the user's own configuration. */
  get hostFolder(): string {
    return hostConfigFolder(this.surroundings);
  }

  /** The configuration of the repository on this host; what is not obeyed in it is said once. */
  async config(): Promise<Config> {
    return (await this.loadedConfig()).config;
  }

  loadedConfig(): Promise<LoadedConfig> {
    this.#loaded ??= this.#loadConfig();
    return this.#loaded;
  }

  async #loadConfig(): Promise<LoadedConfig> {
    const { loadConfig } = await import("../config/load-config.ts");
    const warn = (text: string): void => this.output.note(`holdfast: ${text}`);
    return loadConfig({
      cwd: this.surroundings.cwd,
      hostFolder: this.hostFolder,
      isFleet: this.isFleet,
      named: this.#named,
      warn,
    });
  }

  /**
   * What is decided before something is done that may not be done twice. In a terminal it is decided now; a request to a
   * server that was killed meanwhile finds what it had decided, since it may have been done.
   */
  async plan<T>(name: string, make: () => T | Promise<T>): Promise<T> {
    return this.serving === null ? make() : this.serving.once.plan(name, make);
  }

  /** By which request it is asked for, and from where, for what is recorded beside the journals of runs. */
  get asked(): { readonly request?: string; readonly via?: string } {
    if (this.serving === null) return {};
    const { once, caller } = this.serving;
    const { via } = caller.principal;
    return { ...(once.key === null ? {} : { request: once.key }), ...(via === undefined ? {} : { via }) };
  }

  /** A request to a server that was begun before, by one that was killed. */
  get isRepeated(): boolean {
    return this.serving?.once.isRepeated === true;
  }

  /** The settings of this host, no matter what repository the command is called in. */
  async host(): Promise<HostConfig> {
    const { loadHostConfig, tolerantHostConfig } = await import("../config/load-config.ts");
    if (!this.#isTolerant) return loadHostConfig(this.hostFolder, this.isFleet);
    const warn = (text: string): void => this.output.note(`holdfast: warning: ${text}`);
    this.#host ??= tolerantHostConfig(this.hostFolder, warn, this.isFleet);
    return this.#host;
  }

  /** Opens the store, works with it, and closes it again no matter what happens. */
  async withSystem<T>(
    ifAbsent: IfAbsent,
    work: (system: System, host: HostConfig) => Promise<T>,
    settings: () => Promise<HostConfig> = () => this.host(),
    acceptRollback = false,
  ): Promise<T> {
    const host = await settings();
    if (this.serving !== null) return work(this.serving.system, host);
    // All at once, and nothing later: a supervisor that lives on while its package is replaced finds the old files no more.
    const [
      { openSystem },
      { readBindings },
      { dispatchTrust },
      { dashboardOf },
      { continuousGoals },
      missions,
    ] = await Promise.all([
      import("../../main.ts"),
      import("../run/read-bindings.ts"),
      import("../trust/dispatch-trust.ts"),
      import("../server/api-file.ts"),
      import("../continuous/continuous-goals.ts"),
      import("../mission/mission-order.ts"),
    ]);
    const system = await openSystem({
      store: this.#storeToOpen(ifAbsent),
      settings: host,
      storeNamed: this.store.named,
      ownCommand: ownCommand(),
      bindings: readBindings(this.stateFolder),
      trust: dispatchTrust(this.stateFolder),
      dashboard: dashboardOf(this),
      goals: continuousGoals({ hostFolder: this.hostFolder, stateFolder: this.stateFolder }),
      missions: missions.missionOrders({ hostFolder: this.hostFolder, stateFolder: this.stateFolder }),
      acceptRollback,
    });
    try {
      return await work(system, host);
    } finally {
      await system.close();
    }
  }

  /** The same for what only looks, and with little to load. */
  async withReader<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    const host = await this.host();
    if (this.serving !== null) return work(this.serving.system);
    const { openReader } = await import("../../open-reader.ts");
    const reader = await openReader(this.#storeToOpen("empty"), host);
    try {
      return await work(reader);
    } finally {
      await reader.close();
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
