import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chanceOf, changeTree, generateTree } from "../generated-tree.ts";
import { plainGit } from "../plain-git.ts";
import { treeImage } from "../tree-image.ts";
import type { WatchedOrder } from "./order-program.ts";
import { readDestructions, straceArguments } from "./watched-calls.ts";

const PROGRAM = path.join(import.meta.dirname, "order-program.ts");

export const straceWorks = (): boolean =>
  spawnSync("strace", ["-qq", "-o", "/dev/null", "true"]).status === 0;

/** Instants at which an order may be killed; none of them is reached by every order. */
const KILLS = [
  ...["workspace.snapshot.imported#1", "workspace.restore.rescued#1", "workspace.restore.remove#1"],
  ...["workspace.restore.write#1", "workspace.restore.write#3", "workspace.restore.passed#1"],
  ...["workspace.removal.rescued#1", "workspace.removal.copied#1", "workspace.commit.moved#1"],
];

export interface WatchReport {
  readonly orders: number;
  readonly kills: number;
  readonly destructions: number;
  readonly violations: readonly string[];
}

/**
 * A life of random edits and orders. Every order is a process of its own under strace, sometimes killed and then given
 * again. Whatever it or its gits remove or replace in the user's folders must be in a snapshot by then.
 */
export function watchLife(seed: number, orders: number): WatchReport {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-watched-"));
  try {
    const chance = chanceOf(seed);
    const project = path.join(folder, "project");
    const generated = { ...generateTree(project, seed), chance };
    if (!existsSync(path.join(project, ".git"))) plainGit(project, ["init", "-q", "-b", "main"]);
    plainGit(project, ["commit", "-q", "--allow-empty", "-m", "one"]);
    const watch = new Watch(folder, chance);
    watch.give({ what: "snapshot", order: { project, tree: project, key: "s0", atMs: 0 } });
    for (let n = 1; n <= orders; n += 1) {
      changeTree(generated);
      for (const order of someOrder(folder, chance, n)) watch.give(order);
    }
    return watch.report();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function someOrder(folder: string, chance: () => number, n: number): WatchedOrder[] {
  const project = path.join(folder, "project");
  const place = { project, tree: project };
  const atMs = n * 1_000;
  if (chance() < 0.6) {
    const ids = snapshotIds(folder);
    const snapshot = ids[Math.floor(chance() * ids.length)] ?? "";
    return [{ what: "restore", order: { ...place, key: `r${String(n)}`, atMs, snapshot } }];
  }
  if (chance() < 0.4) return [{ what: "snapshot", order: { ...place, key: `s${String(n)}`, atMs } }];
  const tree = path.join(folder, "trees", `w${String(n)}`);
  const from = plainGit(project, ["rev-parse", "HEAD"]).trim();
  const branch = `holdfast/w${String(n)}`;
  const commit = { files: ["made.txt"], message: "m", author: { name: "a", email: "a@localhost" } };
  return [
    { what: "createWorktree", order: { project, tree, branch, key: `w${String(n)}` } },
    {
      what: "commit",
      order: { project, tree, atMs, key: `c${String(n)}`, ...commit, expected: { branch, commit: from } },
    },
    { what: "removeWorktree", order: { project, tree, atMs, key: `d${String(n)}` } },
  ];
}

const storeOf = (folder: string): string => {
  const [store = ""] = readdirSync(path.join(folder, "home")).filter((name) => name.startsWith("project-"));
  return path.join(folder, "home", store, "git");
};

const snapshotIds = (folder: string): string[] =>
  plainGit(storeOf(folder), ["for-each-ref", "--format=%(objectname)", "refs/holdfast/snapshots"])
    .trim()
    .split("\n");

/** What an order may replace in the user's repository: its own branch and worktree, and git's locks and drafts. */
const OURS =
  /^\.git\/(refs\/(heads\/)?holdfast|worktrees(\/holdfast-|$)|index(\.lock)?$|objects\/|.*\.lock$|packed-refs)/;

class Watch {
  readonly #folder: string;
  readonly #chance: () => number;
  readonly #violations: string[] = [];
  #orders = 0;
  #kills = 0;
  #destructions = 0;

  constructor(folder: string, chance: () => number) {
    this.#folder = folder;
    this.#chance = chance;
  }

  give(order: WatchedOrder): void {
    if (order.what === "commit")
      writeFileSync(path.join(order.order.tree, "made.txt"), `made ${order.order.key}\n`);
    const kill = this.#chance() < 0.5 ? KILLS[Math.floor(this.#chance() * KILLS.length)] : undefined;
    if (kill !== undefined && this.#run(order, kill) === "killed") this.#kills += 1;
    this.#orders += 1;
    this.#run(order, undefined);
  }

  report(): WatchReport {
    return {
      orders: this.#orders,
      kills: this.#kills,
      destructions: this.#destructions,
      violations: this.#violations,
    };
  }

  #run(order: WatchedOrder, kill: string | undefined): "ended" | "killed" {
    const log = path.join(this.#folder, "strace.log");
    const before = this.#contents();
    const args = [...straceArguments(log), process.execPath, PROGRAM, path.join(this.#folder, "home")];
    const done = spawnSync("strace", [...args, JSON.stringify(order)], {
      cwd: this.#folder,
      encoding: "utf8",
      env: {
        ...process.env,
        NODE_TEST_CONTEXT: "",
        ...(kill === undefined ? {} : { HOLDFAST_CRASH_AT: kill }),
      },
      timeout: 180_000,
    });
    const killed = done.signal === "SIGKILL" || done.status === 137;
    assert.ok(killed || done.status === 0, `${order.what}: ${done.stderr.slice(-2_000)}`);
    this.#check(order, before, readDestructions(log, this.#folder));
    return killed ? "killed" : "ended";
  }

  /** Of all files in the user's folders, by their full path: git's digest of their bytes. */
  #contents(): Map<string, string> {
    const found = new Map<string, string>();
    const trees = [path.join(this.#folder, "project")];
    const others = path.join(this.#folder, "trees");
    if (existsSync(others)) trees.push(...readdirSync(others).map((name) => path.join(others, name)));
    for (const tree of trees)
      for (const [name, reported] of treeImage(tree)) {
        if (!reported.startsWith("file ")) continue;
        const bytes = readFileSync(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from(name, "latin1")]));
        found.set(path.join(Buffer.from(tree).toString("latin1"), name), blobId(bytes));
      }
    return found;
  }

  #check(order: WatchedOrder, before: Map<string, string>, calls: ReturnType<typeof readDestructions>): void {
    const kept = this.#kept();
    const project = path.join(this.#folder, "project");
    const touched = new Set<string>();
    for (const { call, path: at } of calls) {
      touched.add(at);
      const inRepository = path.relative(project, at);
      if (inRepository.startsWith(".git/") && !OURS.test(inRepository))
        this.#violations.push(`${order.what}: ${call} of ${inRepository}`);
      const oid = before.get(at);
      if (oid === undefined) continue;
      this.#destructions += 1;
      if (!kept.has(oid)) this.#violations.push(`${order.what}: ${call} of ${at}, which is in no snapshot`);
    }
    const after = this.#contents();
    for (const [at, oid] of before)
      if (after.get(at) !== oid && !touched.has(at))
        this.#violations.push(`${order.what}: ${at} changed, and no call was seen that did it`);
  }

  #kept(): Set<string> {
    mkdirSync(path.join(this.#folder, "home"), { recursive: true });
    const store = storeOf(this.#folder);
    if (!existsSync(path.join(store, "HEAD"))) return new Set();
    return new Set(
      plainGit(store, ["rev-list", "--objects", "--no-object-names", "--all"]).trim().split("\n"),
    );
  }
}

const blobId = (bytes: Uint8Array): string =>
  createHash("sha1")
    .update(`blob ${String(bytes.length)}\0`)
    .update(bytes)
    .digest("hex");
