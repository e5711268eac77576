import { syncFolder } from "../files/replace-file.ts";
import { rm } from "node:fs/promises";
import path from "node:path";
import { errorText } from "../model/fault.ts";
import { sectionBegin, sectionEnd, TASKS_MARK } from "../model/settings/own-files.ts";
import { jsonText, printableLine } from "../model/text/printable.ts";
import type { World } from "../model/world.ts";
import { failed, isAsFound, type MirrorPlace, readMirror, replaceWhole, underLock } from "./mirror-file.ts";
import type { MirrorOutcome, Mirrors, OpenTask, StatusMirror, TaskMirror } from "./notifier.ts";

export const fileMirrors = (world: World): Mirrors => ({
  tasks: (mirror) => mirrorTasks(world, mirror),
  status: (mirror) => mirrorStatus(world, mirror),
});

/** Keeps one JSON document in a file that others may read at any time: they see a whole one, the old or the new. */
export async function mirrorStatus(
  world: World,
  { file, document, shared = false }: StatusMirror,
): Promise<MirrorOutcome> {
  try {
    const bytes = Buffer.from(`${jsonText(document, 2)}\n`);
    return await underLock(world, file, async (place) => {
      const found = await readMirror(place.target);
      if (found?.bytes.equals(bytes) === true) return { kind: "unchanged" };
      await replaceWhole(world, { ...place, bytes, like: found?.stats, shared });
      return { kind: "written" };
    });
  } catch (error) {
    return failed(`${file} could not be written: ${errorText(error)}`);
  }
}

/** How often a file may change under our hands before we leave it to the next update. */
const TRIES_MAX = 5;

/**
 * Keeps the open tasks of one run in a file that people read, and may write to.
 *
 * 1. Only the section of the run is touched. Bytes outside stay as they are, regardless of their encoding.
 * 2. Updates of several processes follow each other by a lock; a person's editor knows no lock, so a file that changed
 *    since it was read is read again.
 * 3. The file is there whole, old or new, whenever this process dies.
 * 4. A file that Holdfast has made and that holds nothing else any more is removed.
 */
export async function mirrorTasks(world: World, mirror: TaskMirror): Promise<MirrorOutcome> {
  try {
    return await underLock(world, mirror.file, (place) => update(world, mirror, place));
  } catch (error) {
    return failed(`${mirror.file} could not be brought up to date: ${errorText(error)}`);
  }
}

async function update(
  world: World,
  { run, tasks, file, shared = false }: TaskMirror,
  { target, draft }: MirrorPlace,
): Promise<MirrorOutcome> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const found = await readMirror(target);
    const section = sectionOf(run, tasks);
    if (found === undefined && section === "") return { kind: "unchanged" };
    const before = found === undefined ? EMPTY_FILE : bytesAsText(found.bytes);
    const after = withSection(before, run, bytesAsText(Buffer.from(section)));
    if (found !== undefined && after === before) return { kind: "unchanged" };
    const still = (): Promise<boolean> => isAsFound(target, found);
    if (after.trim() === EMPTY_FILE.trim()) {
      if (!(await still())) continue;
      await rm(target, { force: true });
      await syncFolder(path.dirname(target));
      return { kind: "removed" };
    }
    const bytes = Buffer.from(after, "latin1");
    if (await replaceWhole(world, { target, draft, bytes, like: found?.stats, shared, still }))
      return { kind: "written" };
  }
  return failed(`${file} was changed by others each time it was about to be written`);
}

/** Byte for character: what is no UTF-8 comes back as it was. */
const bytesAsText = (bytes: Buffer): string => bytes.toString("latin1");

/** The whole of a file that Holdfast has made and that holds no task. */
export const EMPTY_FILE = `${TASKS_MARK}\n# What people are asked to do\n`;

const TITLE_CHARS_MAX = 200;
const DETAIL_CHARS_MAX = 1_000;

/**
 * The text of a file with the section of one run put in, replaced or taken out. Everything else is kept as it is, byte
 * by byte if the text is: sections are found by lines that are exactly their marks.
 */
export function withSection(text: string, run: string, section: string): string {
  const lines = text.split(/(?<=\n)/);
  const kept: string[] = [];
  let placed = section === "";
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (line.trimEnd() !== beginOf(run)) {
      kept.push(line);
      continue;
    }
    // A mark without its end: the one that took the end away may have written below, so only the mark goes.
    const end = lines.findIndex((other, index) => index > at && other.trimEnd() === endOf(run));
    if (end !== -1) at = end;
    if (!placed) kept.push(section);
    placed = true;
  }
  const rest = kept.join("");
  if (placed) return rest;
  return `${rest}${rest === "" || rest.endsWith("\n") ? "" : "\n"}${section}`;
}

export function sectionOf(run: string, tasks: readonly OpenTask[]): string {
  if (tasks.length === 0) return "";
  const items = tasks.map(itemOf).join("");
  return `${beginOf(run)}\n\n## ${words(run)}\n\n${items}${endOf(run)}\n`;
}

const beginOf = (run: string): string => sectionBegin(markName(run));
const endOf = (run: string): string => sectionEnd(markName(run));

/** A comment must not hold `--`, and two runs must not have one name. */
const markName = (run: string): string =>
  run.toWellFormed().replaceAll(/[^A-Za-z0-9_.]/gu, (char) => `%${Buffer.from(char).toString("hex")}`);

function itemOf(task: OpenTask): string {
  const rows = [
    `- **${words(task.title, TITLE_CHARS_MAX)}** (${words(task.id)})`,
    ...(task.detail.trim() === "" ? [] : [`  ${words(task.detail, DETAIL_CHARS_MAX)}`]),
    `  since ${new Date(task.since).toISOString()}${about("reason", task.reason)}${about("owner", task.owner)}`,
    ...(task.command === null ? [] : [`  run: ${codeSpan(task.command)}`]),
  ];
  // Two spaces and a backslash would both do; a backslash survives editors that trim lines.
  return `${rows.join("\\\n")}\n\n`;
}

const about = (what: string, value: string | null): string =>
  value === null ? "" : `, ${what} ${words(value)}`;

/** Words that say what they say and mark up nothing: no emphasis, link, image, mention, HTML, heading or comment. */
const words = (text: string, charsMax = TITLE_CHARS_MAX): string =>
  printableLine(text, charsMax)
    .replaceAll(/[\\`*_[\]~|#!$]/g, (char) => `\\${char}`)
    .replaceAll(/[&<>@]/g, (char) => `&#${String(char.charCodeAt(0))};`)
    .replaceAll("://", "\\://")
    .replaceAll(/\bwww\./gi, (start) => `${start.slice(0, -1)}\\.`)
    .replace(/^([-+=:]|\d+[.)])/, "\\$1");

/** Between more backticks than it holds, a text is shown as it is. */
function codeSpan(text: string): string {
  const line = printableLine(text, DETAIL_CHARS_MAX);
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`;
}
