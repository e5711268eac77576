import { renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { plainTextIfAny } from "../../files/plain-file.ts";

/** One line of git's log of a ref. */
export interface LoggedMove {
  readonly before: string | null;
  readonly after: string | null;
  readonly name: string;
  readonly email: string;
  readonly message: string;
}

const LOG_BYTES_MAX = 64 * 2 ** 20;

const logFile = (folder: string, ref: string): string => path.join(folder, "logs", ref);
const oidOf = (text: string | undefined): string | null =>
  text === undefined || /^0+$/.test(text) ? null : text;

/** What git logged of a ref, oldest first; nothing where it keeps no log of it. */
export function readRefLog(folder: string, ref: string): LoggedMove[] {
  const text = plainTextIfAny(logFile(folder, ref), { bytesMax: LOG_BYTES_MAX }) ?? "";
  return text.split("\n").flatMap((line) => moveOf(line) ?? []);
}

const OID = /^[0-9a-f]{40,64}$/;

/** `OLD NEW NAME <ADDRESS> SECONDS ZONE<tab>MESSAGE`; null for a line that is none. */
function moveOf(line: string): LoggedMove | null {
  const tab = line.indexOf("\t");
  const head = tab === -1 ? line : line.slice(0, tab);
  const [before = "", after = ""] = head.split(" ", 2);
  const [from, to] = [head.lastIndexOf("<"), head.lastIndexOf(">")];
  if (!OID.test(before) || !OID.test(after) || from === -1 || to < from) return null;
  return {
    before: oidOf(before),
    after: oidOf(after),
    name: head.slice(before.length + after.length + 2, from).trim(),
    email: head.slice(from + 1, to),
    message: tab === -1 ? "" : line.slice(tab + 1),
  };
}

/**
 * Takes the newest lines off a log whose lines are entries of their own, as those of the stash are. Whole by rename;
 * where the log is no longer what was looked at, nothing is done.
 */
export function cutRefLog(folder: string, ref: string, email: string): void {
  const file = logFile(folder, ref);
  const text = plainTextIfAny(file, { bytesMax: LOG_BYTES_MAX });
  if (text === undefined) return;
  const lines = text.split("\n").filter((line) => line !== "");
  while (lines.length > 0 && moveOf(lines.at(-1) ?? "")?.email === email) lines.pop();
  if (lines.length === 0) {
    rmSync(file, { force: true });
    return;
  }
  const lock = `${file}.holdfast`;
  writeFileSync(lock, `${lines.join("\n")}\n`);
  renameSync(lock, file);
}
