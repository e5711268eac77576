import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { plainTextIfAny, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { Fault } from "../../model/fault.ts";
import type { RunSettings } from "../../model/settings/settings.ts";
import { shellWord } from "../../model/text/command-text.ts";
import { isRepositoryRoot } from "../config/find-config.ts";

type Isolation = RunSettings["workspace"]["isolation"];

interface Choice {
  readonly cwd: string;
  readonly configured: Isolation;
  readonly worktree?: boolean | undefined;
  readonly inPlace?: boolean | undefined;
  readonly warn?: ((text: string) => void) | undefined;
}

/** Whether a run gets a worktree: as somebody asked, or else wherever one can be made. */
export function chooseIsolation(choice: Choice): Exclude<Isolation, "auto"> {
  const { configured, worktree, inPlace } = choice;
  if (worktree === true && inPlace === true)
    throw new Fault("usage", "--worktree and --in-place exclude each other; expected one of them");
  if (inPlace === true) return "none";
  refuseGitFolder(choice.cwd);
  const asked = worktree === true && configured !== "attempt" ? "run" : configured;
  if (asked === "auto") return byItself(choice);
  if (asked !== "none") refuseWithoutRepository(choice);
  return asked;
}

/** What git keeps is no work: an agent there would write among objects and refs. */
function refuseGitFolder(cwd: string): void {
  const folder = gitFolderAbove(cwd);
  if (folder === null) return;
  if (path.basename(folder) === ".git")
    throw new Fault(
      "usage",
      `${cwd} is inside of git's own folder; expected the files of the repository: run in ${path.dirname(folder)}`,
    );
  const [, branch = "BRANCH"] = /^ref:\s*refs\/heads\/(\S+)$/.exec(textOf(path.join(folder, "HEAD"))) ?? [];
  const tree = `${folder.replace(/\.git$/, "")}-${branch.replaceAll("/", "-")}`;
  throw new Fault(
    "usage",
    `${folder} is a bare git repository, which has no files to work on; expected a worktree of it: git -C ${shellWord(folder)} worktree add ${shellWord(tree)} ${shellWord(branch)}, then run in ${tree}`,
  );
}

/** As git finds one that is no `.git` beside files. */
function gitFolderAbove(folder: string): string | null {
  const isFolder = (name: string): boolean =>
    statSync(path.join(folder, name), { throwIfNoEntry: false })?.isDirectory() === true;
  if (isRepositoryRoot(folder)) return null;
  if (existsSync(path.join(folder, "HEAD")) && isFolder("objects") && isFolder("refs")) return folder;
  const parent = path.dirname(folder);
  return parent === folder ? null : gitFolderAbove(parent);
}

function refuseWithoutRepository({ cwd, worktree }: Choice): void {
  if (rootOf(cwd) !== null) return;
  throw new Fault(
    "usage",
    `${cwd} is in no git repository, and ${worktree === true ? "--worktree" : "workspace.isolation"} asks for a worktree; expected a repository: run "git init" and commit there first, or work without`,
  );
}

/** A folder that no worktree can be made of is worked in place, and the command says so. */
function byItself({ cwd, warn }: Choice): "run" | "none" {
  const root = rootOf(cwd);
  if (root === null) return "none";
  const why = !hasCommit(root)
    ? `${root} has no commit yet, which a worktree would begin from`
    : root !== cwd && isIgnored(root, cwd)
      ? `git ignores ${cwd}, so nothing of it would be in a worktree`
      : null;
  if (why === null) return "run";
  warn?.(`the agents work in ${cwd} itself: ${why}`);
  return "none";
}

/** The folder of the repository, or of its worktree, that a folder is in. */
export function rootOf(folder: string): string | null {
  if (isRepositoryRoot(folder)) return folder;
  const parent = path.dirname(folder);
  return parent === folder ? null : rootOf(parent);
}

const REFS_BYTES_MAX = 64 * 2 ** 20;

const textOf = (file: string, bytesMax = RECORD_BYTES_MAX): string =>
  plainTextIfAny(file, { bytesMax })?.trim() ?? "";

/** Read as text, for git itself would obey what the repository configures. */
function hasCommit(root: string): boolean {
  const git = path.join(root, ".git");
  const own = statSync(git).isDirectory() ? git : path.resolve(root, textOf(git).replace(/^gitdir:\s*/, ""));
  const common = path.resolve(own, textOf(path.join(own, "commondir")) || ".");
  const [, ref] = /^ref:\s*(\S+)$/.exec(textOf(path.join(own, "HEAD"))) ?? [];
  if (ref === undefined || existsSync(path.join(common, "reftable"))) return true;
  if (existsSync(path.join(common, ref))) return true;
  return textOf(path.join(common, "packed-refs"), REFS_BYTES_MAX)
    .split("\n")
    .some((line) => line.endsWith(` ${ref}`));
}

function isIgnored(root: string, folder: string): boolean {
  try {
    const args = ["-c", "core.fsmonitor=false", "-C", root, "check-ignore", "-q", "--no-index", folder];
    execFileSync("git", args, { stdio: "ignore", timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}
