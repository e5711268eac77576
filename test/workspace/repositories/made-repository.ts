import { appendFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { plainGit } from "../plain-git.ts";
import { fill, PLACES, put } from "./fill-tree.ts";

/** A repository as people have them, made from a seed. */
export interface MadeRepository {
  readonly kind: string;
  /** The user's own tree. */
  readonly project: string;
  readonly git: (...args: string[]) => string;
  readonly chance: () => number;
}

const LOCAL = { GIT_ALLOW_PROTOCOL: "file" };
const gitIn =
  (folder: string) =>
  (...args: string[]): string =>
    plainGit(folder, ["-c", "protocol.file.allow=always", ...args], LOCAL);

function base(
  folder: string,
  chance: () => number,
  count = 12,
  init: readonly string[] = [],
): MadeRepository["git"] {
  mkdirSync(folder, { recursive: true });
  const git = gitIn(folder);
  git("init", "-q", "-b", "main", ...init);
  fill(folder, chance, count);
  git("add", "-A");
  git("commit", "-qm", "one");
  put(folder, "program", "#!/bin/sh\ntrue\n");
  git("commit", "-qam", "two");
  git("branch", "beside");
  put(folder, "d0/f0", "stashed\n");
  git("stash");
  return git;
}

/** It stops at a conflict, which is what it is for. */
function stopsAt(act: () => unknown): void {
  try {
    act();
  } catch {
    return;
  }
  throw new Error("there was no conflict");
}

type Maker = (folder: string, chance: () => number, project: string) => void;

/** Each makes the user's own tree at that place. */
const KINDS: Readonly<Record<string, Maker>> = {
  plain: (_, chance, project) => {
    base(project, chance);
  },
  nested: (folder, chance, project) => {
    base(project, chance);
    base(path.join(project, "inner"), chance, 2);
  },
  submodule: (folder, chance, project) => {
    base(path.join(folder, "lib"), chance, 3);
    const git = base(project, chance);
    git("submodule", "add", "-q", path.join(folder, "lib"), "lib");
    git("commit", "-qm", "with a submodule");
  },
  sparse: (folder, chance, project) => {
    base(project, chance)("sparse-checkout", "set", "d1");
  },
  shallow: (folder, chance, project) => {
    base(path.join(folder, "origin"), chance);
    gitIn(folder)("clone", "-q", "--depth", "1", `file://${path.join(folder, "origin")}`, project);
  },
  filtered: (folder, chance, project) => {
    const git = base(project, chance);
    git("config", "filter.up.clean", "tr A-Z a-z");
    git("config", "filter.up.smudge", "tr a-z A-Z");
    put(project, ".gitattributes", "*.big filter=up\n");
    put(project, "one.big", "LARGE\n");
    git("add", "-A");
    git("commit", "-qm", "filtered");
  },
  largeFiles: (folder, chance, project) => {
    const git = base(project, chance);
    const store = path.join(folder, "lfs");
    mkdirSync(store);
    const clean = `cat > '${store}/new' && h=$(sha256sum < '${store}/new' | cut -c1-64) && mv '${store}/new' "${store}/$h" && echo "version 1 oid $h"`;
    git("config", "filter.lfs.clean", clean);
    git("config", "filter.lfs.smudge", `sed 's,.*oid ,${store}/,' | xargs cat`);
    git("config", "filter.lfs.required", "true");
    put(project, ".gitattributes", "*.big filter=lfs -text\n");
    put(project, "one.big", "LARGE\n".repeat(1_000));
    git("add", "-A");
    git("commit", "-qm", "with a large file");
  },
  locked: (folder, chance, project) => {
    const git = base(project, chance);
    git("worktree", "add", "-q", "-b", "locked", path.join(folder, "locked"));
    git("worktree", "lock", path.join(folder, "locked"));
    // Left by a git that was killed.
    put(path.join(project, ".git"), "index.lock", "");
  },
  midRebase: (folder, chance, project) => {
    const git = base(project, chance);
    git("switch", "-q", "beside");
    put(project, "d0/f0", "theirs\n");
    git("commit", "-qam", "theirs");
    git("switch", "-q", "main");
    put(project, "d0/f0", "ours\n");
    git("commit", "-qam", "ours");
    stopsAt(() => git("rebase", "beside"));
  },
  detached: (folder, chance, project) => {
    base(project, chance)("switch", "-q", "--detach", "HEAD");
  },
  worktreeOfWorktree: (folder, chance, project) => {
    const main = path.join(folder, "main");
    base(main, chance)("worktree", "add", "-q", "-b", "w1", path.join(folder, "w1"));
    gitIn(path.join(folder, "w1"))("worktree", "add", "-q", "-b", "w2", project);
  },
  packed: (folder, chance, project) => {
    const git = base(project, chance);
    git("gc", "-q");
    appendFileSync(path.join(project, ".git/info/exclude"), "*.tmp\n");
  },
  midMerge: (_, chance, project) => {
    const git = base(project, chance);
    git("switch", "-q", "beside");
    put(project, "program", "#!/bin/sh\ntheirs\n");
    git("commit", "-qam", "theirs");
    git("switch", "-q", "main");
    put(project, "program", "#!/bin/sh\nours\n");
    git("commit", "-qam", "ours");
    stopsAt(() => git("merge", "-q", "beside"));
  },
  /** A tree beside a repository that has none of its own. */
  bare: (folder, chance, project) => {
    base(path.join(folder, "made"), chance);
    const bare = path.join(folder, "bare.git");
    gitIn(folder)("clone", "-q", "--bare", path.join(folder, "made"), bare);
    gitIn(bare)("worktree", "add", "-q", project, "main");
  },
  /** Objects lie in another repository. */
  borrowing: (folder, chance, project) => {
    base(path.join(folder, "origin"), chance);
    gitIn(folder)("clone", "-q", "--shared", path.join(folder, "origin"), project);
    gitIn(project)("branch", "beside", "HEAD~1");
  },
  sha256: (folder, chance, project) => {
    base(project, chance, 12, ["--object-format=sha256"]);
  },
  unborn: (folder, chance, project) => {
    mkdirSync(project, { recursive: true });
    gitIn(project)("init", "-q", "-b", "main");
    fill(project, chance, 3);
  },
  large: (_, chance, project) => {
    base(project, chance, 10_000);
  },
};

/** Large ones are rare: they take as long as a hundred others. */
export function makeRepository(folder: string, seed: number, chance: () => number): MadeRepository {
  const names = Object.keys(KINDS).filter((name) => name !== "large");
  const kind = seed % 100 === 99 ? "large" : (names[seed % names.length] ?? "plain");
  const project = path.join(folder, PLACES[Math.floor(chance() * PLACES.length)] ?? "p");
  KINDS[kind]?.(folder, chance, project);
  return { kind, project, git: gitIn(project), chance };
}
