import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { differences, gitBytes, shown, usersOwn, type Differences, type UsersOwn } from "./users-own.ts";

/** What is to be the user's after an order: as it was, beside what they did meanwhile. */
export interface Expected {
  readonly own: UsersOwn;
  /** What the user has done while the order was cut off. */
  readonly acted: Differences;
}

export const asItWas = (own: UsersOwn): Expected => ({ own, acted: new Map() });

/** What an order that took nothing in has changed of the user's; empty where all is as they left it. */
export function changedOf(project: string, { own, acted }: Expected): string[] {
  const expected = new Map(own);
  for (const [key, [, value]] of acted)
    if (value === undefined) expected.delete(key);
    else expected.set(key, value);
  return shown(differences(expected, usersOwn(project)));
}

/** What the acceptance of a commit has changed of the user's beside the files that it brings. */
export function changedBesides(project: string, expected: Expected, taken: string): string[] {
  const { own, acted } = expected;
  const now = usersOwn(project);
  const head = gitBytes(project, ["rev-parse", "HEAD"]).trim();
  const branch = gitBytes(project, ["symbolic-ref", "HEAD"]).trim();
  const before = acted.get(`ref ${branch}`)?.[1] ?? own.get(`ref ${branch}`) ?? "";
  const brought = broughtBy(project, before, taken);
  const wrong: string[] = [];
  for (const [key, [was, is]] of differences(own, now)) {
    const [kind = "", name = ""] = [key.slice(0, key.indexOf(" ")), key.slice(key.indexOf(" ") + 1)];
    const theirs = acted.get(key);
    if (theirs !== undefined && theirs[1] === is) continue;
    const file = kind === "index" ? name.slice(0, name.lastIndexOf(" ")) : name;
    if (key === `ref ${branch}` && is === head && isIn(project, taken, head)) continue;
    if (kind === "file" && brought.has(file) && isAs(brought.get(file), is)) continue;
    if (kind === "file" && isFolderOf(brought, file)) continue;
    if (kind === "index" && brought.has(file)) continue;
    wrong.push(...shown(new Map([[key, [theirs?.[1] ?? was, is] as const]])));
  }
  for (const [key, [, is]] of acted)
    if (is !== undefined && is.length > 0 && key.startsWith("file ") && now.get(key) !== is) {
      const file = key.slice("file ".length);
      if (!isAs(brought.get(file), now.get(key)) && !isFolderOf(brought, file))
        wrong.push(`${key}: ${is} is gone`);
    }
  return wrong;
}

interface Brought {
  readonly mode: string;
  readonly oid: string;
  readonly text: string;
}

/** The files that differ between two commits, as the later one has them. */
function broughtBy(project: string, before: string, taken: string): ReadonlyMap<string, Brought> {
  const raw = gitBytes(project, ["diff-tree", "-r", "-z", "--no-renames", before, taken]).split("\0");
  const found = new Map<string, Brought>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [, mode = "", , oid = ""] = (raw[at] ?? "").split(" ");
    const isGone = /^0+$/.test(oid);
    const text = isGone || mode === "160000" ? "" : gitBytes(project, ["cat-file", "blob", oid]);
    found.set(raw[at + 1] ?? "", { mode, oid: isGone ? "" : oid, text });
  }
  return found;
}

function isAs(brought: Brought | undefined, is: string | undefined): boolean {
  if (brought === undefined) return false;
  if (brought.oid === "") return is === undefined || is.startsWith("folder");
  if (brought.mode === "120000") return is === `link ${brought.text}`;
  const digest = createHash("sha256").update(brought.text, "latin1").digest("hex").slice(0, 16);
  return is?.startsWith("file ") === true && is.endsWith(digest);
}

const isFolderOf = (brought: ReadonlyMap<string, Brought>, folder: string): boolean =>
  [...brought.keys()].some((file) => file.startsWith(`${folder}/`) || folder === "");

export const isIn = (project: string, commit: string, head: string): boolean => {
  try {
    gitBytes(project, ["merge-base", "--is-ancestor", commit, head]);
    return true;
  } catch {
    return false;
  }
};

export const nothingLost = (found: readonly string[], what: string): void =>
  assert.deepEqual(found, [], `${what}: ${found.join("; ")}`);
