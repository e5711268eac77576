/**
 * Logins of an agent in a sandbox. It renews them by writing or by renaming, and nothing can be renamed onto a file that
 * is mounted by itself: it therefore gets a copy, in a folder that is its own, and what it renews is brought back.
 *
 * On disk, in the folder of the session: `logins.json` (only Holdfast can write it) says of each which file it is a copy
 * of and what both held when they were last the same; the copies lie in `homes`, which the agent writes. Either file is
 * replaced at one stroke, and then the record: dying in between, the next look finds both the same. Once the session is
 * over, `homes` and then the record are removed.
 *
 * 1. What the agent leaves is taken over if it is a login still: a regular file, an object in JSON that has all the keys
 *    it had. It may be renewed, and neither removed nor emptied.
 * 2. Of two sessions the one that renews later counts, as without a sandbox; the others get it with their next look.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { plainTextIfAny, readPlain, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { homeFolder, type AgentHome } from "./agent-homes.ts";

interface Login {
  readonly from: string;
  readonly copy: string;
  readonly digest: string;
}

const LOGIN_BYTES_MAX = 1024 * 1024;

const recordOf = (session: string): string => path.join(session, "logins.json");

/** Copies them once; a session that has them keeps them. */
export function lendLogins(session: string, homes: readonly AgentHome[]): void {
  for (const at of homes.keys()) mkdirSync(homeFolder(session, at), { recursive: true, mode: 0o700 });
  if (existsSync(recordOf(session))) return;
  const logins = homes.flatMap(({ folder, logins }, at) =>
    logins.flatMap((name): Login[] => {
      const from = path.join(folder, name);
      const text = textOf(from, "follow");
      if (text === undefined) return [];
      const copy = path.join(homeFolder(session, at), name);
      replaceFile(copy, text);
      return [{ from: realpathSync(from), copy, digest: digestOf(text) }];
    }),
  );
  if (logins.length > 0) replaceFile(recordOf(session), JSON.stringify(logins));
}

/** Brings over what either side has renewed. May be repeated at any time; where it fails (a full disk) it is, later. */
export function syncLogins(session: string): void {
  attempt(() => {
    sync(session);
  });
}

/** Once nothing of the session runs. What could not be brought over stays, for the next time. */
export function returnLogins(session: string): void {
  attempt(() => {
    sync(session);
    rmSync(path.join(session, "homes"), { recursive: true, force: true });
    rmSync(recordOf(session), { force: true });
  });
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The agent's exit is not to wait for a disk that is full or cannot be written: both files are as they were.
  }
}

function sync(session: string): void {
  const before = readLogins(session);
  const after = before.map(synced);
  if (after.some((login, at) => login !== before[at])) replaceFile(recordOf(session), JSON.stringify(after));
}

const readLogins = (session: string): readonly Login[] =>
  JSON.parse(plainTextIfAny(recordOf(session), { bytesMax: RECORD_BYTES_MAX }) ?? "[]") as readonly Login[];

function synced(login: Login): Login {
  const [inside, outside] = [textOf(login.copy, "refuse"), textOf(login.from, "refuse")];
  if (inside !== undefined && digestOf(inside) !== login.digest) {
    if (outside !== undefined && isRenewal(inside, outside)) {
      if (inside !== outside) replaceFile(login.from, inside);
      return { ...login, digest: digestOf(inside) };
    }
    return login;
  }
  if (inside === undefined || outside === undefined || digestOf(outside) === login.digest) return login;
  replaceFile(login.copy, outside);
  return { ...login, digest: digestOf(outside) };
}

function isRenewal(text: string, before: string): boolean {
  const [is, was] = [objectIn(text), objectIn(before)];
  return is !== null && was !== null && Object.keys(was).every((key) => isSet(is[key]) || !isSet(was[key]));
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    // Half of a file that is written just now, or no login.
    return null;
  }
}

function textOf(file: string, links: "follow" | "refuse"): string | undefined {
  const read = readPlain(file, { bytesMax: LOGIN_BYTES_MAX, links });
  return read.kind === "read" ? read.bytes.toString("utf8") : undefined;
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");
