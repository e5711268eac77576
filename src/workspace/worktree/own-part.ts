import { lstatSync } from "node:fs";
import path from "node:path";
import { readPlain } from "../../files/plain-file.ts";
import { isOwnPath, isTasksFile, peoplesPart } from "../../model/settings/own-files.ts";
import { bytePath, bytesOf, type BytePath } from "../snapshot/byte-path.ts";
import { gitMode } from "../snapshot/read-entry.ts";

/** Of the file that people and Holdfast both write; a longer one is an agent's, and kept as it is. */
const TASKS_BYTES_MAX = 64 * 2 ** 20;

/** The bytes of a file without what Holdfast has written into it; null where nothing else is in it. */
export function withoutOwnPart<Bytes extends Uint8Array>(
  file: BytePath,
  bytes: Bytes,
): Bytes | Buffer | null {
  if (!isTasksFile(file)) return bytes;
  const text = bytePath(bytes);
  const part = peoplesPart(text);
  if (part === null) return null;
  return part === text ? bytes : bytesOf(part);
}

export interface PartOfFile {
  readonly file: string;
  readonly bytes: Buffer;
  readonly mode: string;
}

/** Files of a tree, without Holdfast's own; of those that Holdfast has written into, what people have written. */
export function sortOwn(
  tree: string,
  files: readonly string[],
): { readonly files: readonly string[]; readonly parts: readonly PartOfFile[] } {
  const whole: string[] = [];
  const parts: PartOfFile[] = [];
  for (const file of files) {
    if (isOwnPath(file)) continue;
    const found = isTasksFile(file) ? lstatSync(path.join(tree, file), { throwIfNoEntry: false }) : undefined;
    const read =
      found === undefined ? undefined : readPlain(path.join(tree, file), { bytesMax: TASKS_BYTES_MAX });
    const bytes = read?.kind === "read" ? read.bytes : undefined;
    const part = bytes === undefined ? undefined : withoutOwnPart(file, bytes);
    if (found === undefined || part === undefined || part === bytes) whole.push(file);
    else if (part !== null) parts.push({ file, bytes: part, mode: gitMode(found.mode) });
  }
  return { files: whole, parts };
}
