// `npm run chaos:repositories`: 2,000 stories of repositories in which agents and people work at once, and processes are
// killed at boundaries; no committed or kept byte may be lost, and what is the user's is as they left it.
// `npm run chaos:repositories -- --stories 50 --from 201` plays fewer, or others. The seed of one that fails is printed.
// `--minutes 8` begins no further story after that time. `--keep` counts each story in the record of the repository,
// leaves out the seeds that lost nothing there, and writes docs/made-repositories.md at the end; with `--again` only those
// are left out that were played on this commit. `--results FILE` keeps the record in another file.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { parseWords } from "../../sim/people/parse-words.ts";
import {
  keepStory,
  playedSeeds,
  readChapters,
  RECORD,
  type StoryResult,
} from "../workspace/repositories/kept-stories.ts";
import { OrderGiver } from "../workspace/repositories/order-giver.ts";
import { liveThrough } from "../workspace/repositories/repository-story.ts";
import { storiesDocument } from "../workspace/repositories/story-counts.ts";

const { values } = parseWords({
  options: {
    stories: { type: "string", default: "2000" },
    from: { type: "string", default: "1" },
    "at-once": { type: "string", default: "2" },
    minutes: { type: "string", default: "1000000" },
    results: { type: "string" },
    keep: { type: "boolean", default: false },
    again: { type: "boolean", default: false },
    tell: { type: "boolean", default: false },
  },
});
const [stories, from, atOnce, minutes] = [values.stories, values.from, values["at-once"], values.minutes].map(
  Number,
);
for (const [name, value, least] of [
  ["stories", stories, 0],
  ["from", from, 1],
  ["at-once", atOnce, 1],
  ["minutes", minutes, 1],
] as const)
  if (!Number.isSafeInteger(value) || (value ?? 0) < least) {
    console.error(
      `chaos:repositories: --${name} is not a whole number from ${String(least)} on; expected such as --stories 50 --from 201`,
    );
    process.exit(2);
  }

const { href } = new URL("../../scripts/test-programs.mjs", import.meta.url);
const { makeTestPrograms } = (await import(href)) as { makeTestPrograms: () => Promise<() => void> };
const removePrograms = await makeTestPrograms();
const [commit = ""] = spawnSync("git", ["describe", "--always", "--abbrev=8", "--dirty"], {
  cwd: import.meta.dirname,
  encoding: "utf8",
}).stdout.split("\n");
const record = values.results ?? (values.keep ? RECORD : undefined);
const known = record === undefined ? [] : readChapters(record);
const leftOut = playedSeeds(values.again ? known.filter((one) => one.commit === commit) : known);
const first = from ?? 1;
const seeds = Array.from({ length: stories ?? 0 }, (_, at) => first + at).filter(
  (seed) => !leftOut.has(seed),
);
const all = seeds.length;
const lost: number[] = [];
let played = 0;
const untilMs = performance.now() + (minutes ?? 0) * 60_000;

async function play(giver: OrderGiver): Promise<void> {
  while (performance.now() < untilMs) {
    const seed = seeds.shift();
    if (seed === undefined) break;
    const result = await playOne(seed, giver);
    if (result.lost !== undefined) lost.push(seed);
    if (record !== undefined) keepStory(record, result);
    if (result.lost !== undefined || values.tell) console.error(JSON.stringify(result));
    played += 1;
    if (seeds.length % 20 === 0)
      console.error(`${String(all - seeds.length)} of ${String(all)} stories begun`);
  }
  await giver.close();
}

const playOne = async (seed: number, giver: OrderGiver): Promise<StoryResult> => {
  try {
    return { seed, commit, ...(await liveThrough(seed, giver)) };
  } catch (error) {
    return { seed, commit, lost: error instanceof Error ? error.message : String(error) };
  }
};

await Promise.all(Array.from({ length: atOnce ?? 1 }, () => play(new OrderGiver())));
removePrograms();
if (values.keep && record !== undefined)
  writeFileSync(
    path.join(import.meta.dirname, "../../docs/made-repositories.md"),
    storiesDocument(readChapters(record)),
  );
console.log(
  lost.length === 0
    ? `${String(played)} stories lost nothing; ${String(leftOut.size)} were played before`
    : `${String(lost.length)} of ${String(played)} stories went wrong: seeds ${lost.join(", ")}`,
);
process.exitCode = lost.length === 0 ? 0 : 1;
