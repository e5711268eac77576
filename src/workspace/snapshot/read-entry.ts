import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type BigIntStats,
} from "node:fs";
import { onDisk, type BytePath } from "./byte-path.ts";
import { objectId } from "./read-objects.ts";
import type { SkipReason } from "../workspace.ts";

export const KIND = 0o170000;
export const FILE = 0o100000;
export const LINK = 0o120000;
export const FOLDER = 0o040000;

export const isLink = (mode: number): boolean => (mode & KIND) === LINK;

/** What git can keep of a mode: a link, a program, or a file. */
export const gitMode = (mode: number): "120000" | "100755" | "100644" =>
  isLink(mode) ? "120000" : (mode & 0o100) === 0 ? "100644" : "100755";

export type Reading =
  | { readonly kind: "read"; readonly bytes: Buffer; readonly mode: number; readonly stat: string }
  | { readonly kind: "torn"; readonly bytes: Buffer; readonly mode: number; readonly stat: string }
  | { readonly kind: "gone" }
  | { readonly kind: "folder" }
  | { readonly kind: "skipped"; readonly reason: SkipReason };

export const lookAt = (tree: string, path: BytePath): BigIntStats | undefined => {
  try {
    return lstatSync(onDisk(tree, path), { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
};

export const isGone = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");

const NO_ACCESS = ["EACCES", "EPERM", "ELOOP", "EIO"];

/** Clocks of file systems are coarse: what changed this shortly before it was looked at may change again unseen. */
const RACY_NS = 2_000_000_000n;

/** Equal texts: not touched in between. Empty, and so equal to no later one, where that cannot be determined. */
export function statText(stat: BigIntStats, nowMs: number): string {
  const latest = stat.mtimeNs > stat.ctimeNs ? stat.mtimeNs : stat.ctimeNs;
  if (latest + RACY_NS > BigInt(Math.floor(nowMs)) * 1_000_000n) return "";
  return [stat.mtimeNs, stat.ctimeNs, stat.ino, stat.dev, stat.size, stat.mode].join(":");
}

const TRIES_MAX = 3;

/** Reads a file or link without following one, and shows whether it held still meanwhile. */
export function readEntry(
  tree: string,
  path: BytePath,
  limits: { bytesMax: number; nowMs: number },
): Reading {
  let last: Reading = { kind: "gone" };
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    try {
      last = readOnce(tree, path, limits);
    } catch (error) {
      if (isGone(error)) return { kind: "gone" };
      if (NO_ACCESS.includes((error as NodeJS.ErrnoException).code ?? ""))
        return { kind: "skipped", reason: "unreadable" };
      throw error;
    }
    if (last.kind !== "torn") return last;
  }
  return last;
}

function readOnce(tree: string, path: BytePath, limits: { bytesMax: number; nowMs: number }): Reading {
  const seen = lstatSync(onDisk(tree, path), { bigint: true });
  const kind = Number(seen.mode) & KIND;
  if (kind === FOLDER) return { kind: "folder" };
  if (kind === LINK)
    return {
      kind: "read",
      bytes: readlinkSync(onDisk(tree, path), { encoding: "buffer" }),
      mode: LINK,
      stat: statText(seen, limits.nowMs),
    };
  if (kind !== FILE) return { kind: "skipped", reason: "special" };
  if (seen.size > BigInt(limits.bytesMax)) return { kind: "skipped", reason: "too_large" };
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = openSync(onDisk(tree, path), flags);
  try {
    const before = fstatSync(handle, { bigint: true });
    if ((Number(before.mode) & KIND) !== FILE) return { kind: "skipped", reason: "special" };
    if (before.size > BigInt(limits.bytesMax)) return { kind: "skipped", reason: "too_large" };
    const bytes = readBytes(handle, Number(before.size));
    const after = fstatSync(handle, { bigint: true });
    const still = before.mtimeNs === after.mtimeNs && before.size === after.size && before.ino === seen.ino;
    const mode = Number(after.mode);
    if (!still || bytes.length !== Number(after.size)) return { kind: "torn", bytes, mode, stat: "" };
    return { kind: "read", bytes, mode, stat: statText(before, limits.nowMs) };
  } finally {
    closeSync(handle);
  }
}

function readBytes(handle: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const read = readSync(handle, bytes, filled, size - filled, filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}

/** Git's digest of a file's bytes. */
export const blobId = (bytes: Uint8Array): string => objectId("blob", bytes);
