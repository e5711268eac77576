import {
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  chmodSync,
} from "node:fs";
import path from "node:path";

const ENTRIES_MAX = 500_000;
const BYTES_MAX = 8 * 2 ** 30;
const TEXT_BYTES_MAX = 256 * 1_024;

interface Copying {
  /** The user's folder and the worktree: what names the one by its path names the other in the copy. */
  readonly project: string;
  readonly tree: string;
  entries: number;
  bytes: number;
}

/**
 * Copies a file or folder, so that nothing written into the copy reaches the original: blocks are shared where the file
 * system can do so safely (a reflink), and never by a hard link. Links are copied as links; what leads into the
 * project leads into the worktree. Null, or why it is too large.
 */
export function copyFolder(
  from: string,
  to: string,
  { project, tree, as }: { readonly project: string; readonly tree: string; readonly as: string },
): string | null {
  const work: Copying = { project, tree, entries: 0, bytes: 0 };
  return copyEntry(work, { from, to, as })
    ? null
    : `more than ${String(ENTRIES_MAX)} files or ${String(BYTES_MAX / 2 ** 30)} GiB`;
}

interface Entry {
  readonly from: string;
  readonly to: string;
  /** Where the copy will stand in the end. */
  readonly as: string;
}

function copyEntry(work: Copying, entry: Entry): boolean {
  const { from, to } = entry;
  const stat = lstatSync(from);
  work.entries += 1;
  if (work.entries > ENTRIES_MAX) return false;
  if (stat.isSymbolicLink()) symlinkSync(linkFor(work, entry), to);
  else if (stat.isDirectory()) return copyInside(work, entry, stat.mode);
  else if (stat.isFile()) {
    work.bytes += stat.size;
    if (work.bytes > BYTES_MAX) return false;
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    renamePaths(work, entry, stat.size);
    utimesSync(to, stat.atime, stat.mtime);
  }
  // Sockets, pipes and devices belong to a process, and are not copied.
  return true;
}

function copyInside(work: Copying, { from, to, as }: Entry, mode: number): boolean {
  mkdirSync(to);
  const folder = opendirSync(from);
  try {
    for (let one = folder.readSync(); one !== null; one = folder.readSync()) {
      const { name } = one;
      const inside = { from: path.join(from, name), to: path.join(to, name), as: path.join(as, name) };
      if (!copyEntry(work, inside)) return false;
    }
  } finally {
    folder.closeSync();
  }
  // One that forbids writing must still be removable by us.
  chmodSync(to, (mode & 0o777) | 0o700);
  return true;
}

/** A link to something of the project is one to the same of the worktree; one that leads out of it leads where it did. */
export function linkFor(
  { project, tree }: Pick<Copying, "project" | "tree">,
  { from }: Pick<Entry, "from">,
): string {
  const target = readlinkSync(from);
  const whole = path.resolve(path.dirname(from), target);
  const inside = path.relative(project, whole);
  const isInside = inside !== ".." && !inside.startsWith(`..${path.sep}`) && !path.isAbsolute(inside);
  if (!path.isAbsolute(target)) return isInside ? target : whole;
  return isInside ? path.join(tree, inside) : target;
}

/** Scripts and settings of a Python environment name it by its whole path, and so does a package installed in place. */
function renamePaths({ project, tree }: Copying, { from, to }: Entry, size: number): void {
  const isNamed =
    /(?:^|[\\/])(?:bin|Scripts)[\\/][^\\/]+$/.test(from) ||
    /(?:\.pth|\.egg-link|[\\/]pyvenv\.cfg|[\\/]direct_url\.json|[\\/]__editable__[^\\/]*\.py)$/.test(from);
  if (!isNamed || size > TEXT_BYTES_MAX || !from.includes("venv")) return;
  const text = readFileSync(from);
  if (text.includes(0) || !text.includes(project)) return;
  writeFileSync(to, text.toString("latin1").replaceAll(latin(project), latin(tree)), "latin1");
}

const latin = (text: string): string => Buffer.from(text).toString("latin1");
