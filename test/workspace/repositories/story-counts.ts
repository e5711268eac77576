import { existsSync, readFileSync } from "node:fs";
import { BOUNDARIES } from "./crash-boundaries.ts";
import type { Told } from "./story-orders.ts";

/** A line of the file of results: one story, and what was lost where something was. */
export interface StoryResult extends Partial<Told> {
  readonly seed: number;
  /** Of this repository, when the story was played. */
  readonly commit?: string;
  readonly lost?: string;
}

/** The last word on each seed: one that was mended is played again. */
export function readResults(file: string): Map<number, StoryResult> {
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return new Map(lines.map((line) => JSON.parse(line) as StoryResult).map((result) => [result.seed, result]));
}

function countsOf(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

const row = (title: string, names: readonly string[]): string =>
  `| ${title} | ${countsOf(names)
    .map(([name, count]) => `${name} ${String(count)}`)
    .join(", ")} |`;

const about = (names: readonly string[], word: string): string[] =>
  names.filter((name) => name.startsWith(`${word} `)).map((name) => name.slice(word.length + 1));

/** Such as 1-40, 43. */
function seedsText(sorted: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const seed of sorted) {
    const last = ranges.at(-1);
    if (last?.[1] === seed - 1) last[1] = seed;
    else ranges.push([seed, seed]);
  }
  return ranges
    .map(([from, to]) => (from === to ? String(from) : `${String(from)}-${String(to)}`))
    .join(", ");
}

/** What was played, as a page of the documentation. */
export function storiesDocument(results: ReadonlyMap<number, StoryResult>): string {
  const all = [...results.values()];
  const kills = all.flatMap((one) => one.kills ?? []);
  const pauses = all.flatMap((one) => one.pauses ?? []);
  const acts = all.flatMap((one) => one.acts ?? []);
  const lost = all.filter((one) => one.lost !== undefined);
  const possible = Object.entries(BOUNDARIES).flatMap(([order, names]) =>
    names.map((at) => `${order} ${at}`),
  );
  const struck = new Set([...kills, ...pauses]);
  const orders = Object.keys(BOUNDARIES).map((order) =>
    row(
      `killed in \`${order}\``,
      about(kills, order).map((at) => at.replace("workspace.", "")),
    ),
  );
  const seeds = seedsText(all.map(({ seed }) => seed).toSorted((one, other) => one - other));
  return `# Made repositories under acts and kills

Written by \`npm run chaos:repositories -- --results FILE --write\` from the stories that the file holds. A story makes a repository, lets agents work in a worktree of it while a person works in their own tree, and kills the process of an order at one of its boundaries, at times with an act of the person before the order is given again, or holds it there while the person acts and lets it go on. Some agents work in the person's own folder, where they destroy the repository, which has to come back. After each order every file, ref, index entry, stash, configuration and hook of the person must be as they left it, or as the accepted commit has it; every checkpoint must come back byte for byte; and every commit that was answered must be held by a ref at the end.

| stories | lost something | kills | held | acts of people | acts of agents | boundaries reached |
|---|---|---|---|---|---|---|
| ${String(all.length)} | ${String(lost.length)} | ${String(kills.length)} | ${String(pauses.length)} | ${String(about(acts, "user").length)} | ${String(about(acts, "agent").length)} | ${String(possible.filter((name) => struck.has(name)).length)} of ${String(possible.length)} |

Seeds: ${seeds}.

| what | how often |
|---|---|
${[
  row(
    "repository",
    all.flatMap((one) => one.kind ?? []),
  ),
  row(
    "played on",
    all.flatMap((one) => one.commit ?? []),
  ),
  row("people", about(acts, "user")),
  row("agents", about(acts, "agent")),
  ...orders,
  row(
    "held in",
    pauses.map((at) => at.split(" ", 1)[0] ?? ""),
  ),
  row(
    "came to",
    all.flatMap((one) => one.ends ?? []).map((end) => end.split(/[:\n]/, 1)[0] ?? ""),
  ),
].join("\n")}

Boundaries not reached: ${possible.filter((name) => !struck.has(name)).join(", ") || "none"}.
`;
}
