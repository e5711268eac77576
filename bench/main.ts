// `npm run bench`: measures, and writes docs/benchmarks.md.
// `npm run bench -- --only NAME --quick --out FILE` measures less, and prints the report or writes it elsewhere.
// `npm run bench -- --only NAME --section` measures one of them, and replaces its section of the document.
// `npm run bench -- --only peers` measures other engines beside this one, and replaces that section of the document.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { apiPagesBench } from "./benches/api-pages.ts";
import { apiReadersBench } from "./benches/api-readers.ts";
import { appendFleetBench } from "./benches/append-fleet.ts";
import { appendPostgresBench } from "./benches/append-postgres.ts";
import { appendBench } from "./benches/append.ts";
import { growthBench } from "./benches/growth.ts";
import { healthBench } from "./benches/health.ts";
import { listingBench } from "./benches/listing.ts";
import { loadBench } from "./benches/load.ts";
import { loopBench } from "./benches/loop.ts";
import { placementBench } from "./benches/placement.ts";
import { peersBench } from "./benches/peers.ts";
import { reopenBench } from "./benches/reopen.ts";
import { sandboxBench } from "./benches/sandbox.ts";
import { schedulingBench } from "./benches/scheduling.ts";
import { sessionsBench } from "./benches/sessions.ts";
import { snapshotsBench } from "./benches/snapshots.ts";
import { startBench } from "./benches/start.ts";
import { stepCostBench } from "./benches/step-cost.ts";
import { readAsked } from "./harness/arguments.ts";
import type { Bench } from "./harness/bench.ts";
import { sectionOf, withSection } from "./harness/document.ts";
import { loadNow, thisMachine } from "./harness/machine.ts";
import { datedSection, reportText, type Measured } from "./harness/report.ts";

const BENCHES: readonly Bench[] = [
  appendBench,
  appendPostgresBench,
  appendFleetBench,
  placementBench,
  growthBench,
  reopenBench,
  loadBench,
  startBench,
  listingBench,
  loopBench,
  stepCostBench,
  healthBench,
  schedulingBench,
  sandboxBench,
  apiPagesBench,
  apiReadersBench,
  sessionsBench,
  snapshotsBench,
  peersBench,
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

const asked = readAsked(process.argv.slice(2), BENCHES, DOCUMENT);
const load = loadNow();
const measured: Measured[] = [];
for (const bench of BENCHES)
  if (asked.names.includes(bench.name)) measured.push(await measure(bench, asked.quick));
const postgres = measured.find(({ findings }) => findings.postgres !== undefined)?.findings.postgres ?? null;
const report = {
  machine: thisMachine({ postgres, load }),
  day: new Date().toISOString().slice(0, 10),
  quick: asked.quick,
  measured,
};
if (asked.out === null) process.stdout.write(reportText(report));
else {
  writeFileSync(asked.out, documentText(asked.out));
  console.error(`written: ${path.relative(process.cwd(), asked.out)}`);
}

/** Sections that were not measured this time, because nobody asked for them, stay as they are. */
function documentText(file: string): string {
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (asked.sectionsOnly)
    return measured.reduce((text, one) => withSection(text, one.title, datedSection(one, report)), before);
  return BENCHES.filter(({ onlyWhenAsked }) => onlyWhenAsked).reduce((text, { title }) => {
    const kept = sectionOf(before, title);
    return kept === null ? text : withSection(text, title, kept);
  }, reportText(report));
}
