/**
 * `npm run chaos:attacks`: carries out every scripted attack (`*.attack.ts` in this folder and below) in full numbers, and
 * prints for each threat and level what was tried, what succeeded and what was recorded. What this machine cannot test
 * is skipped with its reason, what nothing promises yet is listed as not yet.
 *
 * Usage: npm run chaos:attacks -- [--only T7,trust,…] [--count N] [--seed N] [--short] [--json FILE]
 * Ends with exit 1 if an attack succeeded where prevention is promised, was not recorded where detection is, or could
 * not be carried out. --json keeps the rows in a file, from which `npm run docs` writes docs/attacks.md. It talks to this machine alone and ends by itself.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseWords } from "../../sim/people/parse-words.ts";
import type { Attack } from "./attack.ts";
import { tableOf, tableText, type Result, type TableRow } from "./attack-table.ts";
import { findAttacks, runAttack } from "./run-attack.ts";
import { THREATS } from "./threats.ts";

const text = { type: "string" } as const;
const { values } = parseWords({
  options: { only: text, count: text, seed: text, json: text, short: { type: "boolean" } },
});
const seed = Number(values.seed ?? 1);
const only = values.only?.split(",");
const unknown = only?.find((id) => !THREATS.some((threat) => threat.id === id));
if (unknown !== undefined) {
  console.error(`--only ${unknown} is no threat; there are ${THREATS.map(({ id }) => id).join(", ")}`);
  process.exit(2);
}

const sizeOf = ({ count }: Attack): number => (values.short === true ? count.short : count.full);
// Before the attacks are loaded: they look for the programs as one file each, which start in a third of the time.
const { href } = new URL("../../scripts/test-programs.mjs", import.meta.url);
const { makeTestPrograms } = (await import(href)) as { makeTestPrograms: () => Promise<() => void> };
const removePrograms = await makeTestPrograms();
const attacks = (await findAttacks()).filter(
  (attack) => (only?.includes(attack.threat) ?? true) && sizeOf(attack) > 0,
);
const results: Result[] = [];
for (const attack of attacks) results.push(await carryOut(attack));
removePrograms();
const rows = tableOf(results);
console.log(`\nseed ${String(seed)}, ${String(attacks.length)} attacks\n\n${tableText(rows)}`);
for (const { id, title } of THREATS)
  if (!rows.some(({ threat }) => threat === id) && (only?.includes(id) ?? true))
    console.log(`NOT YET  ${id}: ${title}: no attack is scripted`);
if (values.json !== undefined) writeRows(values.json);
process.exitCode = rows.some((row) => row.broken.length > 0) ? 1 : 0;

/** Rows of threats that were not attacked now stay as the file has them. */
function writeRows(file: string): void {
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { rows: TableRow[] }).rows : [];
  const now = new Set(rows.map(({ threat }) => threat));
  const order = THREATS.map(({ id }) => id as string);
  const all = [...known.filter(({ threat }) => !now.has(threat)), ...rows];
  all.sort((a, b) => order.indexOf(a.threat) - order.indexOf(b.threat));
  writeFileSync(file, `${JSON.stringify({ rows: all }, null, 2)}\n`);
}

async function carryOut(attack: Attack): Promise<Result> {
  const began = performance.now();
  const count = values.count === undefined ? sizeOf(attack) : Number(values.count);
  const outcome: Result["outcome"] = await runAttack(attack, { count, seed }).catch((error: unknown) => ({
    kind: "error",
    text: error instanceof Error ? error.message : String(error),
  }));
  const reported = outcome.kind === "tried" ? `${String(outcome.tried)} tried` : outcome.kind;
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.log(`${attack.threat} (${attack.level}): ${attack.title}: ${reported}, ${seconds} s`);
  return { attack, outcome };
}
