/**
 * Watches every unlink, rename, truncation and overwrite by Holdfast and its gits over random lives with kills, and
 * checks that nothing of the user's was destroyed that is in no snapshot.
 *
 * Usage: npm run chaos:destruction -- [--lives 50] [--orders 8] [--from 1]
 * Ends with exit 1 if anything is violated, and with 2 where strace is missing.
 */
import { parseWords } from "../../sim/people/parse-words.ts";
import { straceWorks, watchLife } from "../workspace/destruction/watched-life.ts";

const { values } = parseWords({
  options: {
    lives: { type: "string", default: "50" },
    orders: { type: "string", default: "8" },
    from: { type: "string", default: "1" },
  },
});
if (!straceWorks()) {
  console.error("strace is missing or not allowed here; install it: nothing can be watched without");
  process.exit(2);
}
const total = { lives: 0, orders: 0, kills: 0, destructions: 0 };
const violations: string[] = [];
const from = Number(values.from);
for (let seed = from; seed < from + Number(values.lives); seed += 1) {
  const report = watchLife(seed, Number(values.orders));
  total.lives += 1;
  total.orders += report.orders;
  total.kills += report.kills;
  total.destructions += report.destructions;
  violations.push(...report.violations.map((violation) => `seed ${String(seed)}: ${violation}`));
  if (total.lives % 10 === 0) console.error(JSON.stringify(total));
}
console.log(JSON.stringify(total));
for (const violation of violations) console.log(`✖ ${violation}`);
console.log(`${String(total.destructions)} destructions, ${String(violations.length)} violations`);
process.exitCode = violations.length === 0 ? 0 : 1;
