/**
 * What Holdfast itself writes into a tree that agents work in. It is no part of anybody's work: no snapshot, digest,
 * comparison, overlap or commit counts it, and no approval is asked for again because of it. This file is the only
 * definition; paths are relative to a tree, with `/`, and a run may work in a folder of its tree.
 *
 * 1. By name: the mirror of the status, locks and drafts of the mirrors, and files that a restore or an undo is about
 *    to put in place.
 * 2. `HUMAN_TASKS.md`, where Holdfast has made it: it begins with a mark.
 * 3. The sections of runs inside a `HUMAN_TASKS.md` that people have made; the rest of that file is theirs.
 */

export const TASKS_FILE = "HUMAN_TASKS.md";

const OWN_NAMES =
  /(?:^|\/)(?:\.HUMAN_TASKS\.md\.(?:lock|draft)(?:\.[^/]*)?|\.holdfast-(?:restore|undo)-[^/]*|\.holdfast\/status(?:\/.*)?)$/s;

export const isOwnPath = (path: string): boolean => OWN_NAMES.test(path);

export const isTasksFile = (path: string): boolean => path === TASKS_FILE || path.endsWith(`/${TASKS_FILE}`);

/** The folder that holds what is Holdfast's own by name; made by Holdfast where it is missing. */
export const isOwnFolder = (path: string): boolean => path === ".holdfast" || path.endsWith("/.holdfast");

/** The first line of a tasks file that Holdfast has made. */
export const TASKS_MARK = "<!-- holdfast:file -->";

export const sectionBegin = (name: string): string =>
  `<!-- holdfast:run ${name} begin: rewritten by Holdfast -->`;
export const sectionEnd = (name: string): string => `<!-- holdfast:run ${name} end -->`;

const BEGIN = /^<!-- holdfast:run (\S+) begin: rewritten by Holdfast -->\s*$/;
const END = /^<!-- holdfast:run (\S+) end -->\s*$/;

/** What people have written into a tasks file, without the sections of runs; null where Holdfast has made the file. */
export function peoplesPart(text: string): string | null {
  if (text.startsWith(TASKS_MARK)) return null;
  if (!text.includes("<!-- holdfast:run ")) return text;
  const lines = text.split(/(?<=\n)/);
  const ends = sectionEnds(lines);
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const end = ends.get(at);
    if (end === undefined) kept.push(lines[at] ?? "");
    else at = end;
  }
  return kept.join("");
}

/** The last line of each section, by its first; of a mark without its end it is the mark itself. */
function sectionEnds(lines: readonly string[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const nextEnd = new Map<string, number>();
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? "";
    const ended = END.exec(line)?.[1];
    if (ended !== undefined) nextEnd.set(ended, at);
    const begun = BEGIN.exec(line)?.[1];
    if (begun !== undefined) found.set(at, nextEnd.get(begun) ?? at);
  }
  return found;
}
