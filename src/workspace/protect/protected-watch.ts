import { watch, type FSWatcher } from "node:fs";
import { readdir } from "node:fs/promises";
import { inTree } from "../snapshot/tree-path.ts";
import type { WatchOrder } from "../guard.ts";
import { protectedRules, type ProtectedRules } from "./protected-rules.ts";
import { lstatIfThere, rulesFor } from "./protected-scan.ts";

/** More folders than these are left to the looks that come every so often. */
const FOLDERS_MAX = 256;
/** What comes together is reported together; folders that were made meanwhile are watched by then. */
const GATHER_MS = 100;
const SKIPPED = new Set(["node_modules", ".git"]);

/**
 * Shows soon after something protected may have changed. It is a hint and no proof: what has happened a look shows, and
 * what the system does not report (too many watches, a network file system) the next look finds.
 */
export class ProtectedWatch {
  readonly #tree: string;
  readonly #rules: ProtectedRules;
  readonly #stirred: () => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #gathering: NodeJS.Timeout | null = null;
  #closed = false;

  constructor({ tree, rules }: WatchOrder, stirred: () => void) {
    this.#tree = tree;
    const texts = rulesFor(tree, rules);
    this.#rules = protectedRules(texts.map((rule) => Buffer.from(rule).toString("latin1")));
    this.#stirred = stirred;
    this.#arm().catch(() => undefined);
  }

  close(): void {
    this.#closed = true;
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #arm(): Promise<void> {
    const folders = new Set<string>();
    for (const start of this.#rules.starts) {
      const names = start === "" ? [] : start.split("/");
      for (let depth = 0; depth < names.length; depth += 1) {
        const folder = names.slice(0, depth).join("/");
        if (!(await this.#isFolder(folder))) break;
        folders.add(folder);
      }
      await this.#gather(start, folders);
    }
    if (this.#closed) return;
    for (const [folder, watcher] of this.#watchers)
      if (!folders.has(folder)) {
        watcher.close();
        this.#watchers.delete(folder);
      }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#watch(folder);
  }

  /** The folder and all below it into which a rule reaches. */
  async #gather(folder: string, folders: Set<string>): Promise<void> {
    if (folders.size >= FOLDERS_MAX || !this.#rules.reachesInto(folder) || !(await this.#isFolder(folder)))
      return;
    folders.add(folder);
    for (const entry of await readdir(inTree(this.#tree, folder), { withFileTypes: true })) {
      const name = Buffer.from(entry.name).toString("latin1");
      if (entry.isDirectory() && !SKIPPED.has(name))
        await this.#gather(folder === "" ? name : `${folder}/${name}`, folders);
    }
  }

  async #isFolder(folder: string): Promise<boolean> {
    if (folder === "") return true;
    return (await lstatIfThere(inTree(this.#tree, folder)))?.isDirectory() === true;
  }

  #watch(folder: string): void {
    try {
      const options = { persistent: false, encoding: "buffer" } as const;
      const watcher = watch(inTree(this.#tree, folder), options, (_, name) => this.#noticed(folder, name));
      watcher.on("error", () => this.#noticed(folder, null));
      this.#watchers.set(folder, watcher);
    } catch {
      // Gone meanwhile, or no watches are left: the next look finds what changes there.
    }
  }

  #noticed(folder: string, name: Buffer | null): void {
    const text = name?.toString("latin1") ?? null;
    const at = text === null ? null : folder === "" ? text : `${folder}/${text}`;
    const concerns = at === null || this.#rules.covers(at) || (this.#rules.reachesInto(at) && !isPlain(at));
    if (!concerns || this.#closed || this.#gathering !== null) return;
    this.#gathering = setTimeout(() => {
      this.#gathering = null;
      this.#arm().catch(() => undefined);
      this.#stirred();
    }, GATHER_MS);
    this.#gathering.unref();
  }
}

/** A rule for the whole tree reaches into every folder: one that comes there is no alarm by itself. */
const isPlain = (at: string): boolean => !at.startsWith(".");
