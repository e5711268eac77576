import { existsSync, lstatSync } from "node:fs";
import path from "node:path";
import { plainTextIfAny } from "../../files/plain-file.ts";
import { trimmedEnd } from "../../model/text/trim-end.ts";
import type { Head } from "../accept/commit-orders.ts";

/** Where the repository of a tree keeps its things. Found by reading files: git, if asked, would read its configuration. */
export interface UserRepository {
  /** HEAD and index of this tree. */
  readonly gitDir: string;
  /** Objects, refs and configuration, shared by all worktrees. */
  readonly commonDir: string;
}

export function findRepository(tree: string): UserRepository | null {
  const dotGit = path.join(tree, ".git");
  const found = lstatSync(dotGit, { throwIfNoEntry: false });
  if (found === undefined) return null;
  const gitDir = found.isDirectory() ? dotGit : pointedTo(dotGit);
  if (gitDir === null || !existsSync(path.join(gitDir, "HEAD"))) return null;
  const common = firstLine(path.join(gitDir, "commondir"));
  return { gitDir, commonDir: common === null ? gitDir : path.resolve(gitDir, common) };
}

/** A worktree's `.git` is a file: `gitdir: PATH`. */
function pointedTo(file: string): string | null {
  const match = /^gitdir: (.+)$/.exec(firstLine(file) ?? "");
  return match?.[1] === undefined ? null : path.resolve(path.dirname(file), match[1]);
}

const FILE_BYTES_MAX = 64 * 2 ** 20;

const textOf = (file: string): string | null => plainTextIfAny(file, { bytesMax: FILE_BYTES_MAX }) ?? null;

export function firstLine(file: string): string | null {
  const text = textOf(file);
  // Blanks of other alphabets may end a branch's name.
  return text === null ? null : trimmedEnd(text.split("\n", 1)[0] ?? "", " \t\r");
}

const OID = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
const DEPTH_MAX = 5;

/** Where HEAD of a tree stands. */
export function readHead(tree: string): Head {
  const repository = findRepository(tree);
  if (repository === null) return { kind: "none" };
  const head = firstLine(path.join(repository.gitDir, "HEAD")) ?? "";
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  if (branch === undefined) return { kind: "git", commit: OID.test(head) ? head : null, branch: null };
  return {
    kind: "git",
    commit: resolveRef(repository, `refs/heads/${branch}`),
    branch,
  };
}

/** The commit of a ref, loose or packed; null where it does not exist. */
export function resolveRef(repository: UserRepository, ref: string, depth = 0): string | null {
  if (depth > DEPTH_MAX || ref.split("/").some((part) => part === "" || part === "." || part === ".."))
    return null;
  const loose = firstLine(path.join(repository.commonDir, ref));
  if (loose !== null && OID.test(loose)) return loose;
  const symbolic = /^ref: (refs\/.+)$/.exec(loose ?? "")?.[1];
  if (symbolic !== undefined) return resolveRef(repository, symbolic, depth + 1);
  const packed = textOf(path.join(repository.commonDir, "packed-refs")) ?? "";
  for (const line of packed.split("\n")) {
    const [oid, name] = line.split(" ");
    if (name === ref && oid !== undefined && OID.test(oid)) return oid;
  }
  return null;
}
