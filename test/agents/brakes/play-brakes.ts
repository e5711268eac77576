/**
 * `npm run test:brakes`: the tables of real agents that are suspended, that meet their budgets, and that claim success,
 * cell by cell, so that they can be played in pieces. Ends with exit 1 where a cell did not pass or was not played.
 *
 * Usage: npm run test:brakes -- [--table NAME] [--agent PART] [--cell PART] [--at-once 2] [--limit-min 600]
 *                               [--since COMMIT]
 * What was played is recorded beside this file, each cell with its commit, and docs/brakes-with-agents.md is written from
 * it; both are to be committed. A cell that passed on COMMIT (the checkout's own unless said) or after it is not played
 * again.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseWords } from "../../../sim/people/parse-words.ts";
import { BRAKE_CELLS, type BrakeCell } from "./brake-cells.ts";
import { writeBrakeDocument } from "./brake-document.ts";
import { keep, keyOf, readKept } from "./kept-cells.ts";
import { playCell } from "./play-cell.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const STORIES = path.join(ROOT, ".test-results/brakes-with-agents");

const { values } = parseWords({
  options: {
    table: { type: "string", default: "" },
    agent: { type: "string", default: "" },
    cell: { type: "string", default: "" },
    "at-once": { type: "string", default: "2" },
    "limit-min": { type: "string", default: "600" },
    since: { type: "string", default: "HEAD" },
  },
});
const untilMs = Date.now() + Number(values["limit-min"]) * 60_000;
const possible = BRAKE_CELLS.filter(({ notPossible }) => notPossible === false);
const wanted = possible.filter(
  (cell) =>
    cell.table.includes(values.table) &&
    cell.agent.includes(values.agent) &&
    cell.name.includes(values.cell) &&
    !isPlayed(cell),
);
const gone = new Map(wanted.flatMap(({ agent, missing }) => (missing === false ? [] : [[agent, missing]])));
for (const [agent, why] of gone) console.error(`SKIPPED ${agent}: ${String(why)}`);
const toPlay = wanted.filter(({ missing }) => missing === false);
let next = 0;
// A second time it ends at once.
process.once("SIGINT", () => {
  next = toPlay.length;
  console.error("no further cell is begun; those under way are waited for");
});

await Promise.all(
  Array.from({ length: Number(values["at-once"]) }, async () => {
    while (next < toPlay.length && Date.now() < untilMs) await playNext(toPlay[next++]);
  }),
);
process.exitCode = close();

async function playNext(cell: BrakeCell | undefined): Promise<void> {
  if (cell === undefined) return;
  const commit = commitNow();
  const { story, ...played } = await playCell(cell);
  const before = readKept().get(keyOf(cell));
  const failedBefore = before?.commit === commit ? before.failures : 0;
  const failures = failedBefore + (played.passed ? 0 : 1);
  keep({ table: cell.table, agent: cell.agent, name: cell.name, ...played, failures, commit });
  if (!played.passed) keepStory(`${keyOf(cell)}.${String(failures)}`, story);
  const words = [keyOf(cell), played.did, played.sandbox, `${String(played.seconds)} s`];
  console.error(`${played.passed ? "✔" : "✖"} ${words.join(" | ")}`);
}

function keepStory(name: string, story: string): void {
  mkdirSync(STORIES, { recursive: true });
  writeFileSync(path.join(STORIES, `${name.replaceAll(/\W+/g, "-")}.txt`), story);
}

/** Writes the document and prints what is missing; answers the exit code. */
function close(): number {
  writeBrakeDocument();
  const kept = readKept();
  const failed = possible.flatMap((cell) => kept.get(keyOf(cell)) ?? []).filter(({ passed }) => !passed);
  const current = possible.filter(isPlayed).length;
  console.error(
    `${String(current)} of ${String(possible.length)} cells passed since ${values.since}, ${String(failed.length)} did not pass when they were played last`,
  );
  for (const cell of failed) console.error(`✖ ${keyOf(cell)}: ${cell.did}`);
  return current === possible.length ? 0 : 1;
}

/** Whether it passed on the commit that is asked for, or after it. */
function isPlayed(cell: BrakeCell): boolean {
  const last = readKept().get(keyOf(cell));
  if (last?.passed !== true) return false;
  const of = last.commit.replace("+", "");
  return spawnSync("git", ["merge-base", "--is-ancestor", values.since, of], { cwd: ROOT }).status === 0;
}

/** With a mark where files of the product differ from it. */
function commitNow(): string {
  const git = (...words: string[]): string =>
    spawnSync("git", words, { cwd: ROOT, encoding: "utf8" }).stdout.trim();
  return `${git("rev-parse", "--short=8", "HEAD")}${git("status", "--porcelain", "src") === "" ? "" : "+"}`;
}
