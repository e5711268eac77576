import { appendFileSync, chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { plainGit } from "../plain-git.ts";

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

/** Names in many encodings, and such as programs stumble over. */
const NAMES: readonly Buffer[] = [
  ...["plain", "with space", "-dash", "line\nbreak", 'quo"te', "ünï", "日本", "a".repeat(200), ".hidden"],
  ...[
    "tab\t",
    "back\\slash",
    "*?[",
    "cafe\u0301",
    "café",
    "🪢",
    "\u202egnp",
    "%2e",
    "~",
    " ",
    "ß".repeat(127),
  ],
].map((name) => Buffer.from(name));
/** No UTF-8: Latin-1, Shift JIS, GB 18030, KOI8-R, a broken sequence, a control byte, a surrogate in three bytes. */
const BYTES: readonly (readonly number[])[] = [
  [0x6c, 0xe9, 0x74],
  [0x93, 0xfa, 0x96, 0x7b],
  [0xd6, 0xd0, 0x81, 0x30, 0x81, 0x30],
  [0xcd, 0xc9, 0xd2],
  [0xc3, 0x28],
  [0x01, 0x7f],
  [0xed, 0xa0, 0x80],
];

const put = (folder: string, name: Buffer | string, text: string): void =>
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name as string)]), text);

function fill(project: string, chance: () => number, count: number): void {
  for (let n = 0; n < count; n += 1) {
    const folder = path.join(project, `d${String(n % 7)}`);
    mkdirSync(folder, { recursive: true });
    put(folder, `f${String(n)}`, `${String(n)}\n`.repeat(1 + Math.floor(chance() * 20)));
  }
  for (const name of [...NAMES, ...BYTES.map((bytes) => Buffer.from(bytes))])
    if (chance() < 0.5) put(project, name, `${name.toString("hex")}\n`);
  writeFileSync(path.join(project, "program"), "#!/bin/sh\n");
  chmodSync(path.join(project, "program"), 0o755);
  symlinkSync("program", path.join(project, "link"));
}

function base(folder: string, chance: () => number, count = 12): MadeRepository["git"] {
  mkdirSync(folder, { recursive: true });
  const git = gitIn(folder);
  git("init", "-q", "-b", "main");
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

type Maker = (folder: string, chance: () => number) => string;

/** Each answers the folder of the user's own tree. */
const KINDS: Readonly<Record<string, Maker>> = {
  plain: (folder, chance) => (base(path.join(folder, "p"), chance), path.join(folder, "p")),
  nested: (folder, chance) => {
    const project = path.join(folder, "p");
    base(project, chance);
    base(path.join(project, "inner"), chance, 2);
    return project;
  },
  submodule: (folder, chance) => {
    const project = path.join(folder, "p");
    base(path.join(folder, "lib"), chance, 3);
    const git = base(project, chance);
    git("submodule", "add", "-q", path.join(folder, "lib"), "lib");
    git("commit", "-qm", "with a submodule");
    return project;
  },
  sparse: (folder, chance) => {
    const project = path.join(folder, "p");
    base(project, chance)("sparse-checkout", "set", "d1");
    return project;
  },
  shallow: (folder, chance) => {
    base(path.join(folder, "origin"), chance);
    const project = path.join(folder, "p");
    gitIn(folder)("clone", "-q", "--depth", "1", `file://${path.join(folder, "origin")}`, project);
    return project;
  },
  filtered: (folder, chance) => {
    const project = path.join(folder, "p");
    const git = base(project, chance);
    git("config", "filter.up.clean", "tr A-Z a-z");
    git("config", "filter.up.smudge", "tr a-z A-Z");
    put(project, ".gitattributes", "*.big filter=up\n");
    put(project, "one.big", "LARGE\n");
    git("add", "-A");
    git("commit", "-qm", "filtered");
    return project;
  },
  largeFiles: (folder, chance) => {
    const project = path.join(folder, "p");
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
    return project;
  },
  locked: (folder, chance) => {
    const project = path.join(folder, "p");
    const git = base(project, chance);
    git("worktree", "add", "-q", "-b", "locked", path.join(folder, "locked"));
    git("worktree", "lock", path.join(folder, "locked"));
    // Left by a git that was killed.
    put(path.join(project, ".git"), "index.lock", "");
    return project;
  },
  midRebase: (folder, chance) => {
    const project = path.join(folder, "p");
    const git = base(project, chance);
    git("switch", "-q", "beside");
    put(project, "d0/f0", "theirs\n");
    git("commit", "-qam", "theirs");
    git("switch", "-q", "main");
    put(project, "d0/f0", "ours\n");
    git("commit", "-qam", "ours");
    try {
      git("rebase", "beside");
    } catch {
      // It stops at the conflict, which is what it is for.
    }
    return project;
  },
  detached: (folder, chance) => {
    const project = path.join(folder, "p");
    base(project, chance)("switch", "-q", "--detach", "HEAD");
    return project;
  },
  worktreeOfWorktree: (folder, chance) => {
    const main = path.join(folder, "main");
    base(main, chance)("worktree", "add", "-q", "-b", "w1", path.join(folder, "w1"));
    gitIn(path.join(folder, "w1"))("worktree", "add", "-q", "-b", "w2", path.join(folder, "p"));
    return path.join(folder, "p");
  },
  packed: (folder, chance) => {
    const project = path.join(folder, "p");
    const git = base(project, chance);
    git("gc", "-q");
    appendFileSync(path.join(project, ".git/info/exclude"), "*.tmp\n");
    return project;
  },
  unborn: (folder, chance) => {
    const project = path.join(folder, "p");
    mkdirSync(project, { recursive: true });
    gitIn(project)("init", "-q", "-b", "main");
    fill(project, chance, 3);
    return project;
  },
  large: (folder, chance) => (base(path.join(folder, "p"), chance, 10_000), path.join(folder, "p")),
};

/** Large ones are rare: they take as long as a hundred others. */
export function makeRepository(folder: string, seed: number, chance: () => number): MadeRepository {
  const names = Object.keys(KINDS).filter((name) => name !== "large");
  const kind = seed % 100 === 99 ? "large" : (names[seed % names.length] ?? "plain");
  const project = (KINDS[kind] ?? KINDS["plain"])?.(folder, chance) ?? "";
  return { kind, project, git: gitIn(project), chance };
}
