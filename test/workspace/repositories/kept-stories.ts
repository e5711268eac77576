import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Reported } from "./story-orders.ts";

/** What one story came to, and what was lost where something was. */
export interface StoryResult extends Partial<Reported> {
  readonly seed: number;
  /** Of this repository, when the story was played. */
  readonly commit: string;
  readonly lost?: string;
}

export type Counts = Readonly<Record<string, number>>;

/** All stories that were played on one commit. */
export interface Chapter {
  readonly commit: string;
  /** Of those that lost nothing, such as 1-40, 43. */
  readonly seeds: string;
  /** What was lost, by seed. It stays here when the same story loses nothing later. */
  readonly lost: Readonly<Record<string, string>>;
  readonly kinds: Counts;
  readonly acts: Counts;
  readonly kills: Counts;
  readonly pauses: Counts;
  readonly ends: Counts;
}

/** The record of this repository. */
export const RECORD = path.join(import.meta.dirname, "played-stories.json");

export const readChapters = (file: string): readonly Chapter[] =>
  existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Chapter[]) : [];

/** Counts one more story in the record. A process that dies meanwhile leaves the record of before. */
export function keepStory(file: string, result: StoryResult): void {
  const chapters = withStory(readChapters(file), result);
  writeFileSync(`${file}.draft`, `${JSON.stringify(chapters, undefined, 2)}\n`);
  renameSync(`${file}.draft`, file);
}

const emptyChapter = (commit: string): Chapter => ({
  ...{ commit, seeds: "", lost: {}, kinds: {}, acts: {}, kills: {}, pauses: {}, ends: {} },
});

/** A seed counts once on each commit. */
export function withStory(chapters: readonly Chapter[], result: StoryResult): readonly Chapter[] {
  const { seed, commit, lost } = result;
  const at = chapters.findIndex((one) => one.commit === commit);
  const before = chapters[at] ?? emptyChapter(commit);
  if (seedsOf(before.seeds).includes(seed) || String(seed) in before.lost) return chapters;
  const now: Chapter =
    lost === undefined
      ? { ...counted(before, result), seeds: seedsText([...seedsOf(before.seeds), seed]) }
      : { ...before, lost: { ...before.lost, [String(seed)]: lost } };
  return at < 0 ? [...chapters, now] : chapters.with(at, now);
}

const counted = (chapter: Chapter, { kind, acts, kills, pauses, ends }: StoryResult): Chapter => ({
  ...chapter,
  kinds: added(chapter.kinds, kind === undefined ? [] : [kind]),
  acts: added(chapter.acts, acts),
  kills: added(chapter.kills, kills),
  pauses: added(chapter.pauses, pauses),
  ends: added(
    chapter.ends,
    ends?.map((end) => end.split(/[:\n]/, 1)[0] ?? ""),
  ),
});

const sorted = (counts: ReadonlyMap<string, number>): Counts =>
  Object.fromEntries([...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)));

function added(counts: Counts, names: readonly string[] = []): Counts {
  const all = new Map(Object.entries(counts));
  for (const name of names) all.set(name, (all.get(name) ?? 0) + 1);
  return sorted(all);
}

export function summed(all: readonly Counts[]): Counts {
  const sum = new Map<string, number>();
  for (const counts of all)
    for (const [name, count] of Object.entries(counts)) sum.set(name, (sum.get(name) ?? 0) + count);
  return sorted(sum);
}

/** Such as 1-40, 43. */
export function seedsText(seeds: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const seed of [...new Set(seeds)].toSorted((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last?.[1] === seed - 1) last[1] = seed;
    else ranges.push([seed, seed]);
  }
  return ranges
    .map(([from, to]) => (from === to ? String(from) : `${String(from)}-${String(to)}`))
    .join(", ");
}

export function seedsOf(text: string): number[] {
  const ranges = text === "" ? [] : text.split(", ").map((range) => range.split("-").map(Number));
  return ranges.flatMap(([from = 0, to = from]) =>
    Array.from({ length: to - from + 1 }, (_, at) => from + at),
  );
}

/** Those whose last story lost nothing. */
export function playedSeeds(chapters: readonly Chapter[]): ReadonlySet<number> {
  const played = new Set<number>();
  for (const { seeds, lost } of chapters) {
    for (const seed of seedsOf(seeds)) played.add(seed);
    for (const seed of Object.keys(lost)) played.delete(Number(seed));
  }
  return played;
}
