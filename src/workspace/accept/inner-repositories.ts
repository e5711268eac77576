import { bytePath, toText } from "../snapshot/byte-path.ts";
import { runGit } from "../git/run-git.ts";

/** What can be committed, and the folders that are repositories of their own: no commit of the tree holds their files. */
export interface SortedByRepository {
  readonly files: readonly string[];
  readonly inner: readonly string[];
}

const IN_GIT_FOLDER = /^(.+?)\/\.git(?:\/|$)/i;

/** Submodules, by git's own links in the index, and repositories that somebody made inside the tree, by their files. */
export async function sortByRepository(
  call: { readonly gitDir: string; readonly index: string },
  files: readonly string[],
): Promise<SortedByRepository> {
  const made = files.flatMap((file) => IN_GIT_FOLDER.exec(file)?.[1] ?? []);
  const all = new Set([...made, ...(await submodulesOf(call))]);
  const folderOf = (file: string): string | undefined => foldersAbove(file).find((folder) => all.has(folder));
  const inner = new Set(files.flatMap((file) => folderOf(file) ?? []));
  return { files: files.filter((file) => folderOf(file) === undefined), inner: [...inner] };
}

/** Outermost first. */
function foldersAbove(file: string): string[] {
  const parts = file.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

const LINK = "160000 ";

/** By the index that is named; a submodule that somebody has removed from it is none any more. */
export async function submodulesOf(call: {
  readonly gitDir: string;
  readonly index: string;
}): Promise<readonly string[]> {
  const listed = bytePath((await runGit({ ...call, args: ["ls-files", "-s", "-z"] })).output).split("\0");
  return listed
    .filter((entry) => entry.startsWith(LINK))
    .map((entry) => toText(entry.slice(entry.indexOf("\t") + 1)));
}
