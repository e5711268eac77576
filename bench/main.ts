// `npm run bench`: measures, and writes docs/benchmarks.md.
// `npm run bench -- --only NAME --quick --out FILE` measures less, and prints the report or writes it elsewhere.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { appendPostgresBench } from "./benches/append-postgres.ts";
import { appendBench } from "./benches/append.ts";
import { growthBench } from "./benches/growth.ts";
import { listingBench } from "./benches/listing.ts";
import { loadBench } from "./benches/load.ts";
import { reopenBench } from "./benches/reopen.ts";
import { readAsked } from "./harness/arguments.ts";
import type { Bench } from "./harness/bench.ts";
import { thisMachine } from "./harness/machine.ts";
import { reportText, type Measured } from "./harness/report.ts";

const BENCHES: readonly Bench[] = [
  appendBench,
  appendPostgresBench,
  growthBench,
  reopenBench,
  loadBench,
  listingBench,
];
const DOCUMENT = path.join(import.meta.dirname, "..", "docs", "benchmarks.md");

async function measure(bench: Bench, quick: boolean): Promise<Measured> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-bench-"));
  // A signal ends the process at once; an exit handler still runs.
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const beganMs = performance.now();
  const progress = (text: string): void => console.error(`${bench.name}: ${text}`);
  try {
    return { name: bench.name, title: bench.title, findings: await bench.run({ folder, quick, progress }) };
  } finally {
    remove();
    process.off("exit", remove);
    progress(`done after ${((performance.now() - beganMs) / 1_000).toFixed(1)} s`);
  }
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));

const asked = readAsked(
  process.argv.slice(2),
  BENCHES.map(({ name }) => name),
  DOCUMENT,
);
const measured: Measured[] = [];
for (const bench of BENCHES)
  if (asked.only.length === 0 || asked.only.includes(bench.name))
    measured.push(await measure(bench, asked.quick));
const postgres = measured.find(({ findings }) => findings.postgres !== undefined)?.findings.postgres ?? null;
const text = reportText({
  machine: thisMachine(postgres),
  day: new Date().toISOString().slice(0, 10),
  quick: asked.quick,
  measured,
});
if (asked.out === null) process.stdout.write(text);
else {
  writeFileSync(asked.out, text);
  console.error(`written: ${path.relative(process.cwd(), asked.out)}`);
}
