import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { plainGit } from "../plain-git.ts";
import type { MadeRepository } from "./made-repository.ts";

export const BRANCH = "holdfast/story";

/** Where people act, and the run's worktree beside. */
export interface Acting extends MadeRepository {
  readonly tree: string;
}

/** Where git keeps the lock of the user's index. */
export const lockOf = ({ project, git }: Acting): string =>
  path.resolve(project, git("rev-parse", "--git-path", "index.lock").trim());

let written = 0;
/** Words that stand nowhere else: if they are gone, somebody has lost them. */
const unique = (what: string): string => `${what} ${String((written += 1))}\n`;

/** What people do meanwhile in their own tree. Where git refuses, it did not happen. */
export const USER_ACTS: Readonly<Record<string, (acting: Acting) => unknown>> = {
  nothing: () => undefined,
  edit: ({ project }) => {
    writeFileSync(path.join(project, "users"), unique("mine"));
  },
  editSame: ({ project }) => {
    appendFileSync(path.join(project, "program"), unique("# mine"));
  },
  /** Where agents make a file too. */
  makeSame: ({ project }) => {
    writeFileSync(path.join(project, "made"), unique("mine"));
  },
  commit: ({ project, git }) => {
    writeFileSync(path.join(project, "committed"), unique("mine"));
    git("add", "committed");
    return git("commit", "-qm", "mine", "--", "committed");
  },
  commitSame: ({ project, git }) => {
    appendFileSync(path.join(project, "program"), unique("# mine"));
    return git("commit", "-qm", "mine", "--", "program");
  },
  amend: ({ git }) => git("commit", "-q", "--amend", "-m", "amended"),
  softReset: ({ git }) => git("reset", "-q", "--soft", "HEAD~1"),
  hardReset: ({ git }) => git("reset", "-q", "--hard", "HEAD~1"),
  rebase: ({ git }) => git("rebase", "-q", "beside"),
  switch: ({ git }) => git("switch", "-q", "-c", "elsewhere"),
  switchBack: ({ git }) => git("switch", "-q", "beside"),
  stage: ({ project, git }) => {
    writeFileSync(path.join(project, "staged"), unique("mine"));
    return git("add", "staged");
  },
  stash: ({ project, git }) => {
    writeFileSync(path.join(project, "committed"), unique("mine"));
    return git("stash", "push", "-q", "--include-untracked", "--", "committed");
  },
  /** Never what an agent has stashed last, which is not theirs. */
  unstash: ({ git }) => {
    const [last = ""] = git("stash", "list").split("\n", 1);
    if (!last.includes(BRANCH)) git("stash", "pop", "-q");
  },
  prune: ({ git }) => git("worktree", "prune"),
  collect: ({ git }) => git("gc", "-q", "--prune=now"),
  /** Of what nothing names git forgets all, also what its logs still know. */
  forgetAll: ({ git }) =>
    git("-c", "gc.reflogExpire=now", "-c", "gc.reflogExpireUnreachable=now", "gc", "-q", "--prune=now"),
  clean: ({ git }) => git("clean", "-fdq"),
  restoreAll: ({ git }) => git("checkout", "-q", "--", "."),
  mergeByHand: ({ git }) => git("merge", "-q", "--no-edit", BRANCH),
  cherryPick: ({ git }) => git("cherry-pick", BRANCH),
  detach: ({ git }) => git("switch", "-q", "--detach", "HEAD"),
  renameBranch: ({ git }) => git("branch", "-m", `renamed-${String((written += 1))}`),
  tag: ({ git }) => git("tag", `tag-${String((written += 1))}`),
  emptyCommit: ({ git }) => git("commit", "-q", "--allow-empty", "-m", "empty"),
  moveFile: ({ git }) => git("mv", "program", "moved"),
  removeFolder: ({ tree }) => {
    rmSync(tree, { recursive: true });
  },
  removeWorktree: ({ git, tree }) => git("worktree", "remove", "--force", "--force", tree),
  deleteBranch: ({ git, tree }) => {
    rmSync(tree, { recursive: true, force: true });
    git("worktree", "prune");
    return git("branch", "-q", "-D", BRANCH);
  },
  moveBranch: ({ git }) => git("update-ref", `refs/heads/${BRANCH}`, "HEAD"),
  lock: (acting) => {
    writeFileSync(lockOf(acting), "", { flag: "wx" });
  },
  lockWorktree: ({ git, tree }) => git("worktree", "lock", tree),
  /** As git itself proposes where a lock is found. */
  unlockAndReset: (acting) => {
    rmSync(lockOf(acting), { force: true });
    return acting.git("reset", "-q", "--hard");
  },
};

/** Acts after which the run's worktree or branch is gone, or elsewhere. */
export const TAKING_AWAY: ReadonlySet<string> = new Set([
  ...["removeFolder", "removeWorktree", "deleteBranch", "moveBranch"],
]);

/** Acts on files that agents change too. */
export const SAME_FILES = ["edit", "editSame", "makeSame", "commitSame", "moveFile", "stage", "restoreAll"];

/** What agents do in the run's worktree. */
export const AGENT_ACTS: Readonly<Record<string, (tree: string) => unknown>> = {
  nothing: () => undefined,
  write: (tree) => {
    writeFileSync(path.join(tree, "made"), unique("made"));
  },
  change: (tree) => {
    appendFileSync(path.join(tree, "program"), unique("false #"));
  },
  remove: (tree) => {
    rmSync(path.join(tree, "link"));
  },
  replaceByFolder: (tree) => {
    rmSync(path.join(tree, "link"));
    mkdirSync(path.join(tree, "link"));
    writeFileSync(path.join(tree, "link", "inner"), unique("inner"));
  },
  oddNames: (tree) => {
    for (const name of [Buffer.from([0xe9, 0x2e]), Buffer.from("né\n"), Buffer.from("ne\u0301")])
      writeFileSync(Buffer.concat([Buffer.from(`${tree}/`), name]), unique("odd"));
    symlinkSync("/nowhere", path.join(tree, "dangling"));
  },
  filtered: (tree) => {
    const big = readdirSync(tree).find((name) => name.endsWith(".big"));
    if (big !== undefined) writeFileSync(path.join(tree, big), unique("large"));
  },
  commit: (tree) => {
    writeFileSync(path.join(tree, "made"), unique("made"));
    plainGit(tree, ["add", "made"]);
    return plainGit(tree, ["commit", "-qm", "agent"]);
  },
  amend: (tree) => {
    writeFileSync(path.join(tree, "made"), unique("made"));
    plainGit(tree, ["add", "made"]);
    plainGit(tree, ["commit", "-qm", "agent"]);
    return plainGit(tree, ["commit", "-q", "--amend", "-m", "agent again"]);
  },
  stash: (tree) => {
    appendFileSync(path.join(tree, "program"), unique("false #"));
    return plainGit(tree, ["stash", "push", "-q"]);
  },
  reset: (tree) => plainGit(tree, ["reset", "-q", "--hard", "HEAD"]),
  rebase: (tree) => plainGit(tree, ["rebase", "-q", "beside"]),
  mode: (tree) => {
    chmodSync(path.join(tree, "program"), 0o644);
  },
  nest: (tree) => {
    const inner = path.join(tree, "nested");
    mkdirSync(inner);
    plainGit(inner, ["init", "-q"]);
    writeFileSync(path.join(inner, "made"), unique("nested"));
    plainGit(inner, ["add", "."]);
    return plainGit(inner, ["commit", "-qm", "nested"]);
  },
  /** Git itself refuses to take files of a submodule. */
  intoSubmodule: (tree) => {
    writeFileSync(path.join(tree, "lib", "made"), unique("inside"));
  },
  manyFiles: (tree) => {
    for (let n = 0; n < 300; n += 1) {
      mkdirSync(path.join(tree, "many", String(n % 10)), { recursive: true });
      writeFileSync(path.join(tree, "many", String(n % 10), String(n)), unique("many"));
    }
  },
  removeFolder: (tree) => {
    rmSync(tree, { recursive: true });
  },
  removeLink: (tree) => {
    rmSync(path.join(tree, ".git"));
  },
};

/** Git refuses some acts in some repositories; then they did not happen. */
export function happens(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

/** Whether Holdfast has left its lock; one of the person's own stays as it is. */
export const isLeftLocked = (acting: Acting): boolean =>
  existsSync(lockOf(acting)) && readFileSync(lockOf(acting), "utf8").startsWith("holdfast ");
