import { hash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** The files of a store, by what follows the name of the database. */
export const STORE_SUFFIXES = ["", "-wal", "-shm", "-ack"] as const;
export type StoreSuffix = (typeof STORE_SUFFIXES)[number];
export type StoreBytes = ReadonlyMap<StoreSuffix, Buffer>;

/** Memory instead of a disk where there is one: what is tested is what bytes mean, not how they got there. */
const quickFolder = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

export const makeFolder = (where: "quick" | "disk" = "disk"): string =>
  mkdtempSync(path.join(where === "quick" ? quickFolder : tmpdir(), "holdfast-store-"));

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/**
 * The bytes of a store. Called only for stores that no other process uses: closing a descriptor of a database
 * drops the locks that this process holds on it.
 */
export function takeBytes(file: string): StoreBytes {
  const present = STORE_SUFFIXES.filter((suffix) => existsSync(`${file}${suffix}`));
  return new Map(present.map((suffix) => [suffix, readFileSync(`${file}${suffix}`)]));
}

export function putBytes(file: string, bytes: StoreBytes): void {
  for (const suffix of STORE_SUFFIXES) rmSync(`${file}${suffix}`, { force: true });
  for (const [suffix, content] of bytes) writeFileSync(`${file}${suffix}`, content);
}

const LOG_HEADER_BYTES = 32;
export const LOG_FRAME_BYTES = 24 + 4_096;

/** Up to where frames stand in the log; behind them may be room that was never written to. */
export function loggedBytes(bytes: StoreBytes): number {
  const log = bytes.get("-wal") ?? Buffer.alloc(0);
  let end = log.length;
  while (end > 0 && log[end - 1] === 0) end -= 1;
  const frames = Math.ceil((end - LOG_HEADER_BYTES) / LOG_FRAME_BYTES);
  return Math.min(log.length, LOG_HEADER_BYTES + Math.max(0, frames) * LOG_FRAME_BYTES);
}

/** The same bytes but for one. */
export function withByte(
  bytes: StoreBytes,
  place: { suffix: StoreSuffix; offset: number; xor: number },
): StoreBytes {
  const content = Buffer.from(bytes.get(place.suffix) ?? Buffer.alloc(0));
  content.writeUInt8(content.readUInt8(place.offset) ^ place.xor, place.offset);
  return new Map(bytes).set(place.suffix, content);
}

/** Everything in a folder, to show that nothing in it was changed. */
export const folderText = (folder: string): string =>
  readdirSync(folder)
    .sort()
    .map((name) => `${name} ${hash("sha256", readFileSync(path.join(folder, name)))}`)
    .join("\n");
