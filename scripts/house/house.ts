// `npm run house`: measures the shape of the code with the compiler's parser: statements per module, lengths of files
// and functions, folders by their number of files. With --against COMMIT it compares the statements with those of that
// commit: apart for the files that both have (renamed ones included), for those that are gone and for those that are new;
// and it adds up what changed with the same features.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { printSameFeatures } from "./same-features.ts";
import { git, isSource, repository, type Shape, shapeOf } from "./shape.ts";

const folders = ["src", "web", "sim", "bench", "scripts", "test"];
/** What agents printed, kept journals and what tools write: their number says nothing of the design. */
const notCode = /(^|\/)(node_modules|fixtures|golden|cuts|dist)(\/|$)/;
const similarPercent = 40;
const width = 9;

/** The value that a share of all is not above. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** The shape of every source file below a folder, by its path from the repository. */
export function shapesIn(folder: string): Map<string, Shape> {
  const files = readdirSync(path.join(repository, folder), { recursive: true, encoding: "utf8" });
  return new Map(
    files
      .map((file) => `${folder}/${file.replaceAll(path.sep, "/")}`)
      .filter((file) => isSource(file) && !notCode.test(file))
      .sort()
      .map((file) => [file, shapeOf(readFileSync(path.join(repository, file), "utf8"))]),
  );
}

/** How many files each folder of the repository's code holds by itself. */
export function filesPerFolder(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const root of folders)
    for (const entry of readdirSync(path.join(repository, root), { recursive: true, withFileTypes: true })) {
      const folder = path.relative(repository, entry.parentPath).replaceAll(path.sep, "/");
      if (entry.isFile() && !notCode.test(folder)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  return counts;
}

function shapesAt(commit: string): Map<string, Shape> {
  const files = git(["ls-tree", "-r", "--name-only", commit, "src"]).split("\n").filter(isSource);
  return new Map(files.map((file) => [file, shapeOf(git(["show", `${commit}:${file}`]))]));
}

/** Where the files of a commit are now, as git sees renames. */
function namesNow(commit: string): Map<string, string> {
  const rows = git(["diff", `-M${String(similarPercent)}%`, "-l0", "--name-status", commit, "--", "src"]);
  return new Map(
    rows
      .split("\n")
      .map((row) => row.split("\t"))
      .flatMap(([kind, from, to]) =>
        kind?.startsWith("R") === true && from !== undefined && to !== undefined ? [[from, to]] : [],
      ),
  );
}

const moduleOf = (file: string): string => file.split("/").slice(1, -1)[0] ?? "(root)";

interface Counts {
  before: number;
  now: number;
  gone: number;
  added: number;
}

function compare(before: Map<string, Shape>, now: Map<string, Shape>, names: Map<string, string>) {
  const counts = new Map<string, Counts>();
  const row = (file: string): Counts => {
    const found = counts.get(moduleOf(file)) ?? { before: 0, now: 0, gone: 0, added: 0 };
    counts.set(moduleOf(file), found);
    return found;
  };
  const kept = new Set<string>();
  for (const [file, { statements }] of before) {
    const here = now.has(file) ? file : (names.get(file) ?? file);
    const shape = now.get(here);
    if (shape === undefined) row(file).gone += statements;
    else {
      kept.add(here);
      row(here).before += statements;
      row(here).now += shape.statements;
    }
  }
  for (const [file, { statements }] of now) if (!kept.has(file)) row(file).added += statements;
  return counts;
}

/** Answers how many statements the commit had. */
function printComparison(commit: string, before: Map<string, Shape>): number {
  const counts = compare(before, shapesIn("src"), namesNow(commit));
  const all: Counts = { before: 0, now: 0, gone: 0, added: 0 };
  for (const row of counts.values())
    for (const key of ["before", "now", "gone", "added"] as const) all[key] += row[key];
  const cells = (name: string, values: readonly (number | string)[]): string =>
    name.padEnd(12) + values.map((value) => String(value).padStart(width)).join("");
  console.log(
    `statements of src against ${commit}: files of both commits (before, now), gone files, new files`,
  );
  console.log(cells("module", ["before", "now", "gone", "new"]));
  for (const [name, { before, now, gone, added }] of [...counts, ["all", all] as const].sort())
    console.log(cells(name, [before, now, gone, added]));
  const compared = all.before + all.gone;
  const percent = (((all.now - compared) * 100) / compared).toFixed(1);
  console.log(`what the commit had: ${String(compared)} → ${String(all.now)} (${percent} %)`);
  console.log(`what was added in new files: ${String(all.added)}`);
  return compared;
}

function printShape(): void {
  const shapes = [...shapesIn("src").values()];
  const lines = shapes.map((shape) => shape.lines);
  const functions = shapes.flatMap((shape) => shape.functions);
  const total = shapes.reduce((sum, { statements }) => sum + statements, 0);
  const of = (values: readonly number[]): string =>
    `median ${String(quantile(values, 0.5))}, p90 ${String(quantile(values, 0.9))}, longest ${String(quantile(values, 1))} lines`;
  console.log(`src: ${String(shapes.length)} files, ${String(total)} statements`);
  console.log(`files: ${of(lines)}`);
  console.log(`functions (${String(functions.length)}): ${of(functions)}`);
  const manyLines = functions.filter((length) => length > 1);
  console.log(`functions of more than one line (${String(manyLines.length)}): ${of(manyLines)}`);
  for (const [folder, count] of [...filesPerFolder()].sort(([, one], [, other]) => other - one).slice(0, 10))
    console.log(`${String(count).padStart(5)} files in ${folder}`);
}

if (import.meta.main) {
  printShape();
  const at = process.argv.indexOf("--against");
  const commit = process.argv[at + 1];
  if (at !== -1 && commit !== undefined) {
    const before = shapesAt(commit);
    const statements = printComparison(commit, before);
    printSameFeatures(commit, [...before.keys()], statements);
  }
}
