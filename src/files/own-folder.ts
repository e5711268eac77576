import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { Fault } from "../model/fault.ts";

/**
 * Why a folder is not for this user alone: something that is no folder, or a folder of another user, who could read and
 * replace what is put into it. Undefined where all is well, and where nothing is there.
 */
export function unsafeFolder(folder: string): string | undefined {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const uid = process.getuid?.() ?? found.uid;
  if (!found.isDirectory())
    return `${JSON.stringify(folder)} is not a folder; expected a folder of this user: move it away and repeat`;
  if (found.uid !== uid)
    return `the folder ${JSON.stringify(folder)} belongs to user ${String(found.uid)}; expected this user, ${String(uid)}, since its owner can read and change what is put there: move it away and repeat`;
  return undefined;
}

/** Makes a folder that only this user may enter; one that is there is closed to others, or refused. */
export function makeOwnFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unsafe = unsafeFolder(folder);
  if (unsafe !== undefined) throw new Fault("agent_failed", unsafe);
  if ((lstatSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
}
