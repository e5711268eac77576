import type { Attack, Level, Outcome, Promised } from "./attack.ts";
import { broken } from "./run-attack.ts";
import { THREATS } from "./threats.ts";

/** One attack as it was carried out. */
export interface Result {
  readonly attack: Attack;
  readonly outcome: Outcome | { readonly kind: "error"; readonly text: string };
}

/** One line: what is promised at one level against one threat, and what became of it. */
export interface TableRow {
  readonly threat: string;
  readonly level: Level;
  readonly promised: Promised;
  readonly tried: number;
  readonly succeeded: number;
  readonly recorded: number;
  readonly skipped: readonly string[];
  readonly notYet: readonly string[];
  readonly broken: readonly string[];
}

export function tableOf(results: readonly Result[]): TableRow[] {
  const keys = new Set(
    results.map(({ attack }) => JSON.stringify([attack.threat, attack.level, attack.promised])),
  );
  const order = THREATS.map(({ id }) => id as string);
  return [...keys]
    .map((key) => rowOf(key, results))
    .sort((a, b) => order.indexOf(a.threat) - order.indexOf(b.threat));
}

function rowOf(key: string, results: readonly Result[]): TableRow {
  const mine = results.filter(
    ({ attack }) => JSON.stringify([attack.threat, attack.level, attack.promised]) === key,
  );
  const [threat, level, promised] = JSON.parse(key) as [string, Level, Promised];
  const counts = mine.flatMap(({ outcome }) => (outcome.kind === "tried" ? [outcome] : []));
  const reasons = (kind: "skipped" | "not yet"): string[] =>
    mine.flatMap(({ attack, outcome }) =>
      outcome.kind === kind ? [`${attack.title}: ${outcome.reason}`] : [],
    );
  return {
    ...{ threat, level, promised },
    tried: counts.reduce((sum, { tried }) => sum + tried, 0),
    succeeded: counts.reduce((sum, { succeeded }) => sum + succeeded.length, 0),
    recorded: counts.reduce((sum, { recorded }) => sum + recorded, 0),
    skipped: reasons("skipped"),
    notYet: reasons("not yet"),
    broken: mine.flatMap((result) => wrongOf(result)),
  };
}

function wrongOf({ attack, outcome }: Result): string[] {
  const wrong =
    outcome.kind === "error" ? [`could not be carried out: ${outcome.text}`] : broken(attack, outcome);
  return wrong.map((text) => `${attack.title}: ${text}`);
}

const HEAD = ["threat", "level", "promised", "tried", "succeeded", "recorded", "skipped", "not yet", ""];

export function tableText(rows: readonly TableRow[]): string {
  const cells = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const reported = rows.flatMap(({ threat, level, skipped, notYet, broken: wrong }) => [
    ...skipped.map((text) => `SKIPPED  ${threat} (${level}): ${text}`),
    ...notYet.map((text) => `NOT YET  ${threat} (${level}): ${text}`),
    ...wrong.map((text) => `BROKEN   ${threat} (${level}): ${text}`),
  ]);
  return [...lines, ...(reported.length === 0 ? [] : ["", ...reported])].join("\n");
}

const cellsOf = (row: TableRow): string[] => [
  ...[row.threat, row.level, row.promised, String(row.tried), String(row.succeeded), String(row.recorded)],
  ...[String(row.skipped.length), String(row.notYet.length), row.broken.length === 0 ? "" : "BROKEN"],
];
