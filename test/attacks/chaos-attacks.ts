/**
 * `npm run chaos:attacks`: carries out every scripted attack (`*.attack.ts` beside this file) in full numbers, and
 * prints for each threat and level what was tried, what succeeded and what was recorded. What this machine cannot test
 * is skipped with its reason, what nothing promises yet is listed as not yet.
 *
 * Usage: npm run chaos:attacks -- [--only T7,trust,…] [--count N] [--seed N] [--short] [--json FILE]
 * Ends with exit 1 if an attack succeeded where prevention is promised, was not recorded where detection is, or could
 * not be carried out. It talks to this machine alone and ends by itself.
 */
import { writeFileSync } from "node:fs";
import { parseWords } from "../../sim/parse-words.ts";
import type { Attack } from "./attack.ts";
import { tableOf, tableText, type Result } from "./attack-table.ts";
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
const attacks = (await findAttacks()).filter(
  (attack) => (only?.includes(attack.threat) ?? true) && sizeOf(attack) > 0,
);
const results: Result[] = [];
for (const attack of attacks) results.push(await carryOut(attack));
const rows = tableOf(results);
console.log(`\nseed ${String(seed)}, ${String(attacks.length)} attacks\n\n${tableText(rows)}`);
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify({ seed, full: values.short !== true, rows }, null, 2)}\n`);
process.exitCode = rows.some((row) => row.broken.length > 0) ? 1 : 0;

async function carryOut(attack: Attack): Promise<Result> {
  const began = performance.now();
  const count = values.count === undefined ? sizeOf(attack) : Number(values.count);
  const outcome: Result["outcome"] = await runAttack(attack, { count, seed }).catch((error: unknown) => ({
    kind: "error",
    text: error instanceof Error ? error.message : String(error),
  }));
  const told = outcome.kind === "tried" ? `${String(outcome.tried)} tried` : outcome.kind;
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.log(`${attack.threat} (${attack.level}): ${attack.title}: ${told}, ${seconds} s`);
  return { attack, outcome };
}
