/**
 * `npm run test:brakes`: the tables of real agents that are suspended, that meet their budgets, and that claim success,
 * cell by cell, so that they can be played in pieces. Writes docs/brakes-with-agents.md and ends with exit 1 where a cell
 * did not pass.
 *
 * Usage: npm run test:brakes -- [--table NAME] [--agent PART] [--cell PART] [--at-once 2] [--limit-min 600] [--fresh]
 * What was played is kept, each cell with its commit. A cell that passed is not played again, unless --fresh is given.
 * The document is written once every cell was played; until then what is missing is counted.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseWords } from "../../../sim/people/parse-words.ts";
import { BRAKE_CELLS, type BrakeCell } from "./brake-cells.ts";
import { brakeDocument, type KeptCell } from "./brake-document.ts";
import { playCell } from "./play-cell.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const KEPT = path.join(ROOT, ".test-results/brakes-with-agents.json");
const STORIES = path.join(ROOT, ".test-results/brakes-with-agents");

const { values } = parseWords({
  options: {
    table: { type: "string", default: "" },
    agent: { type: "string", default: "" },
    cell: { type: "string", default: "" },
    "at-once": { type: "string", default: "2" },
    "limit-min": { type: "string", default: "600" },
    fresh: { type: "boolean", default: false },
  },
});
const untilMs = Date.now() + Number(values["limit-min"]) * 60_000;
const possible = BRAKE_CELLS.filter(({ notPossible }) => notPossible === false);
const kept = new Map(readKept().map((cell) => [keyOf(cell), cell]));
const own = new Set<string>();
const wanted = possible.filter(
  (cell) =>
    cell.table.includes(values.table) &&
    cell.agent.includes(values.agent) &&
    cell.name.includes(values.cell) &&
    (values.fresh || kept.get(keyOf(cell))?.passed !== true),
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
  const played = await playCell(cell);
  // Others may play other cells at the same time.
  for (const one of readKept()) if (!own.has(keyOf(one))) kept.set(keyOf(one), one);
  own.add(keyOf(cell));
  const before = kept.get(keyOf(cell));
  const failures = (before?.failures ?? 0) + (played.passed ? 0 : 1);
  const { story, ...one } = played;
  kept.set(keyOf(cell), { table: cell.table, agent: cell.agent, name: cell.name, ...one, failures, commit });
  mkdirSync(STORIES, { recursive: true });
  writeFileSync(KEPT, JSON.stringify([...kept.values()], undefined, 1));
  if (!played.passed)
    writeFileSync(
      path.join(STORIES, `${keyOf(cell).replaceAll(/\W+/g, "-")}.${String(failures)}.txt`),
      story,
    );
  const words = [
    cell.table,
    cell.agent,
    cell.name,
    played.did,
    played.sandbox,
    `${String(played.seconds)} s`,
  ];
  console.error(`${played.passed ? "✔" : "✖"} ${words.join(" | ")}`);
}

/** Prints what is missing, or writes the document; answers the exit code. */
function close(): number {
  const cells = possible.flatMap((cell) => kept.get(keyOf(cell)) ?? []);
  const failed = cells.filter(({ passed }) => !passed);
  const left = possible.length - cells.length;
  console.error(
    `${String(cells.length)} of ${String(possible.length)} cells played, ${String(failed.length)} did not pass`,
  );
  for (const cell of failed) console.error(`✖ ${keyOf(cell)}: ${cell.did}`);
  if (left === 0) writeFileSync(path.join(ROOT, "docs/brakes-with-agents.md"), brakeDocument(cells));
  return left + failed.length === 0 ? 0 : 1;
}

function keyOf({ table, agent, name }: Pick<KeptCell, "table" | "agent" | "name">): string {
  return `${table} | ${agent} | ${name}`;
}

function readKept(): KeptCell[] {
  return existsSync(KEPT) ? (JSON.parse(readFileSync(KEPT, "utf8")) as KeptCell[]) : [];
}

/** With a mark where files of the product differ from it. */
function commitNow(): string {
  const git = (...words: string[]): string =>
    spawnSync("git", words, { cwd: ROOT, encoding: "utf8" }).stdout.trim();
  return `${git("rev-parse", "--short=8", "HEAD")}${git("status", "--porcelain", "src") === "" ? "" : "+"}`;
}
