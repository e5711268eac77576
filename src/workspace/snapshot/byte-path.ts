/**
 * Names on disk are bytes, not text. Inside this room a path is a string with one character per byte, relative to the
 * tree, with `/` between names; so no name is too odd to be kept, compared or put into a map.
 */
export type BytePath = string;

export const bytesOf = (path: BytePath): Buffer => Buffer.from(path, "latin1");

export const bytePath = (bytes: Uint8Array): BytePath => Buffer.from(bytes).toString("latin1");

export const fromText = (text: string): BytePath => Buffer.from(text, "utf8").toString("latin1");

/** As people read it; what is no UTF-8 shows as `\ufffd`. */
export const toText = (path: BytePath): string => bytesOf(path).toString("utf8");

export const joined = (folder: BytePath, name: BytePath): BytePath =>
  folder === "" ? name : `${folder}/${name}`;

export const parentOf = (path: BytePath): BytePath => path.slice(0, Math.max(0, path.lastIndexOf("/")));

export const nameOf = (path: BytePath): BytePath => path.slice(path.lastIndexOf("/") + 1);

/** The folders above a path, outermost first, the tree itself (`""`) left out. */
export function ancestorsOf(path: BytePath): BytePath[] {
  const found: BytePath[] = [];
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) found.push(path.slice(0, at));
  return found;
}

/** Where a path of the tree is on disk. */
export const onDisk = (tree: string, path: BytePath): Buffer =>
  Buffer.concat([Buffer.from(path === "" ? tree : `${tree}/`), bytesOf(path)]);

const GIT_NAME = /(^|\/)\.git(\/|$)/i;
const MODULES_NAME = /(^|\/)\.gitmodules$/i;

/** What git's own trees and index refuse to hold: the insides of nested repositories, and a linked `.gitmodules`. */
export const isApart = (path: BytePath, isLink: boolean): boolean =>
  GIT_NAME.test(path) || (isLink && MODULES_NAME.test(path));
