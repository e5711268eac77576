import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { readPlain } from "../../files/plain-file.ts";
import { Fault } from "../../model/fault.ts";
import { AGENT_CONFIG, AGENT_CONFIG_EXCEPT, type Obeyed } from "../../model/flow/obeyed.ts";

/** Where a repository's own files are, and where its commands are started. */
export interface Tree {
  /** The root of the repository, or the folder itself where there is none. */
  readonly root: string;
  readonly cwd: string;
}

const FILE_BYTES_MAX = 16 * 1_024 * 1_024;
const FILES_MAX = 2_000;
const IMPORTS_MAX = 500;
const PATH_LIKE = /[/\\]|\.([mc]?[jt]sx?|sh|bash|py|rb|pl|php|lua)$/;
/** Every relative path in quotes: an import can be written in more ways than an expression can know. */
const IMPORT = /["'`](\.{1,2}\/[^"'`\n]{1,400})["'`]/g;

/** Files of the repository that are executed by what is obeyed, as absolute paths; they need not exist yet. */
export function programFiles(obeyed: readonly Obeyed[], tree: Tree): string[] {
  const named = obeyed.flatMap(({ programs = [] }) => programs.flatMap((word) => fileOfWord(word, tree)));
  const modules = obeyed.flatMap(({ module }) => (module === undefined ? [] : withImports(module)));
  return [...new Set([...named, ...modules])];
}

/** A path in the repository; a bare word only where it is a file there. */
function fileOfWord(word: string, { root, cwd }: Tree): string[] {
  if (word.startsWith("-")) return [];
  const file = path.resolve(cwd, word);
  if (!isWithin(root, file)) return [];
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return PATH_LIKE.test(word) ? [file] : [];
  return found.isDirectory() ? [] : [file];
}

/** A module and the files it imports by a relative path, as far as its text says so. */
export function withImports(module: string): string[] {
  const seen = new Set<string>();
  const left = [module];
  for (let file = left.pop(); file !== undefined && seen.size < IMPORTS_MAX; file = left.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const read = readPlain(file, { bytesMax: FILE_BYTES_MAX, links: "follow" });
    if (read.kind !== "read") continue;
    for (const [, name] of read.bytes.toString("utf8").matchAll(IMPORT))
      if (name !== undefined) left.push(path.resolve(path.dirname(file), name));
  }
  return [...seen];
}

/** The files by which agents are configured in a folder and above it, up to the root. */
export function agentConfigFiles({ root, cwd }: Tree): string[] {
  const files: string[] = [];
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    for (const name of AGENT_CONFIG) collect(path.join(folder, name), folder, files);
    if (folder === root || !isWithin(root, folder)) return files;
  }
}

function collect(file: string, folder: string, files: string[]): void {
  if (AGENT_CONFIG_EXCEPT.includes(path.relative(folder, file))) return;
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) files.push(file);
  else for (const name of readdirSync(file).sort()) collect(path.join(file, name), folder, files);
  if (files.length > FILES_MAX)
    throw new Fault(
      "refused",
      `${folder} holds more than ${String(FILES_MAX)} files of agents' configuration, the last ${file}: what cannot be shown cannot be trusted; remove what does not belong there`,
    );
}

/** What a file holds, as something to be obeyed; null where there is none. */
export function obeyedFile(file: string, root: string): Obeyed | null {
  const read = readPlain(file, { bytesMax: FILE_BYTES_MAX, links: "follow" });
  if (read.kind === "absent") return null;
  if (read.kind === "refused")
    throw new Fault("refused", `${file} ${read.problem}; so it cannot be trusted`, { details: { file } });
  return { key: fileKey(file, root), what: "file", text: read.bytes.toString("latin1") };
}

/** Within the repository by its path there, so that every worktree of it means the same. */
export const fileKey = (file: string, root: string): string =>
  `file ${isWithin(root, file) ? path.relative(root, file) : file}`;

const isWithin = (root: string, file: string): boolean =>
  file === root || file.startsWith(root.endsWith(path.sep) ? root : `${root}${path.sep}`);
