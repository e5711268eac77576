import { BOUNDARIES } from "./crash-boundaries.ts";
import { playedSeeds, seedsOf, seedsText, summed, type Chapter, type Counts } from "./kept-stories.ts";

const total = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

const row = (title: string, counts: Counts): string =>
  `| ${title} | ${Object.entries(counts)
    .map(([name, count]) => `${name} ${String(count)}`)
    .join(", ")} |`;

/** Of names such as `user commit` those of one kind, without its word. */
const about = (counts: Counts, word: string): Counts =>
  Object.fromEntries(
    Object.entries(counts)
      .filter(([name]) => name.startsWith(`${word} `))
      .map(([name, count]) => [name.slice(word.length + 1).replace("workspace.", ""), count]),
  );

const byOrder = (counts: Counts): Counts =>
  summed(Object.entries(counts).map(([name, count]) => ({ [name.split(" ", 1)[0] ?? ""]: count })));

interface Sums {
  readonly chapters: readonly Chapter[];
  readonly acts: Counts;
  readonly kills: Counts;
  readonly pauses: Counts;
}

/** Of each boundary of each order: how often it was struck there. */
function boundaries({ kills, pauses }: Sums): {
  readonly count: number;
  readonly missing: readonly string[];
} {
  const possible = Object.entries(BOUNDARIES).flatMap(([order, names]) =>
    names.map((at) => `${order} ${at}`),
  );
  return {
    count: possible.length,
    missing: possible.filter((name) => kills[name] === undefined && pauses[name] === undefined),
  };
}

const storiesIn = ({ seeds, lost }: Chapter): number => seedsOf(seeds).length + Object.keys(lost).length;

function rows(sums: Sums): string {
  const { chapters, acts, kills, pauses } = sums;
  const orders = Object.keys(BOUNDARIES).map((order) => row(`killed in \`${order}\``, about(kills, order)));
  return [
    row("repository", summed(chapters.map(({ kinds }) => kinds))),
    row("people", about(acts, "user")),
    row("agents", about(acts, "agent")),
    ...orders,
    row("held in", byOrder(pauses)),
    row("came to", summed(chapters.map(({ ends }) => ends))),
  ].join("\n");
}

function commitRows(chapters: readonly Chapter[]): string {
  return chapters
    .map((one) => {
      const lost = Object.keys(one.lost).join(", ");
      return `| \`${one.commit}\` | ${String(storiesIn(one))} | ${lost === "" ? "none" : lost} | ${one.seeds} |`;
    })
    .join("\n");
}

/** What was played, as a page of the documentation. */
export function storiesDocument(chapters: readonly Chapter[]): string {
  const acts = summed(chapters.map((one) => one.acts));
  const kills = summed(chapters.map((one) => one.kills));
  const pauses = summed(chapters.map((one) => one.pauses));
  const sums = { chapters, acts, kills, pauses };
  const { count, missing } = boundaries(sums);
  const played = playedSeeds(chapters);
  const lost = chapters.flatMap((one) => Object.keys(one.lost).map(Number));
  const stories = chapters.reduce((sum, one) => sum + storiesIn(one), 0);
  return `# Made repositories under acts and kills

Written by \`npm run chaos:repositories -- --keep\` from \`test/workspace/repositories/played-stories.json\`, which counts every story that was played so. A story makes a repository, lets agents work in a worktree of it while a person works in their own tree, and kills the process of an order at one of its boundaries, at times with an act of the person before the order is given again, or holds it there while the person acts and lets it go on. Some agents work in the person's own folder, where they destroy the repository, which has to come back. After each order every file, ref, index entry, stash, configuration and hook of the person must be as they left it, or as the accepted commit has it; every checkpoint must come back byte for byte; and every commit that was answered must be held by a ref at the end.

| stories | seeds | lost something when last played | kills | held | acts of people | acts of agents | boundaries reached |
|---|---|---|---|---|---|---|---|
| ${[
    stories,
    played.size,
    new Set(lost.filter((seed) => !played.has(seed))).size,
    total(kills),
    total(pauses),
    total(about(acts, "user")),
    total(about(acts, "agent")),
    `${String(count - missing.length)} of ${String(count)}`,
  ].join(" | ")} |

Seeds that lost nothing when last played: ${seedsText([...played])}.

| commit | stories | lost something | seeds that lost nothing |
|---|---|---|---|
${commitRows(chapters)}

What was lost, in words, is in the record; a row of several commits was counted together, with its holds by order alone.

| what | how often |
|---|---|
${rows(sums)}

Boundaries not reached: ${missing.join(", ") || "none"}.
`;
}
