import assert from "node:assert/strict";
import { test } from "node:test";
import { readAsked } from "../../bench/harness/arguments.ts";
import { sectionOf, withSection } from "../../bench/harness/document.ts";
import { thisMachine } from "../../bench/harness/machine.ts";
import { datedSection, reportText, verdict, type Report } from "../../bench/harness/report.ts";

const machine = {
  processor: "a processor",
  cores: 2,
  memoryGb: 8,
  kernel: "Linux 6",
  node: "24.1.0",
  sqlite: "3.50.0",
  postgres: null,
  load: 1.5,
  priority: null,
};
const findings = {
  says: "It was measured.",
  figures: [
    { what: "append", unit: "per second", spread: { median: 12_345.6, min: 1_000, max: 20_000 } },
    { what: "open", unit: "ms", spread: { median: 1.234, min: 1, max: 250 }, target: { atMost: 200 } },
  ],
  ratios: [
    { what: "append / bare", spread: { median: 0.7, min: 0.5, max: 12.34 }, target: { atLeast: 0.65 } },
  ],
} as const;
const report: Report = {
  machine,
  day: "2026-01-31",
  quick: false,
  measured: [
    { name: "append", title: "Append", findings },
    {
      name: "other",
      title: "Other",
      findings: { says: "Says.", figures: [], ratios: [], skipped: "no server" },
    },
  ],
};

test("a report names machine, day, command, spread and target", () => {
  const text = reportText(report);
  assert.match(
    text,
    /^Measured on 2026-01-31: 2 cores \(a processor\), 8 GB .* Node 24\.1\.0, SQLite 3\.50\.0, no PostgreSQL, a load of 1\.5 before\.$/m,
  );
  assert.match(text, /^`npm run bench -- --only append`$/m);
  assert.match(text, /^\| append \| 12,346 per second \| 1,000 – 20,000 \| {2}\|$/m);
  assert.match(text, /^\| open \| 1\.23 ms \| 1\.00 – 250 \| at most 200 ms: met \|$/m);
  assert.match(text, /^\| append \/ bare \| 0\.70 \| 0\.50 – 12 \| at least 0\.65: met \|$/m);
  assert.ok(text.endsWith("\n") && !text.endsWith("\n\n"));
});

test("a report says what was not measured and why, and that a quick run is one", () => {
  assert.match(reportText(report), /^Not measured: no server\.$/m);
  assert.doesNotMatch(reportText(report), /quick/);
  assert.match(reportText({ ...report, quick: true }), /This was a quick run/);
  assert.match(reportText({ ...report, quick: true }), /--only append --quick`/);
});

test("a target is assessed by the median and a miss is reported as such", () => {
  const spread = { median: 1.3, min: 1, max: 2 };
  assert.equal(verdict({ atMost: 1.2 }, spread, null), "at most 1.2: **missed**");
  assert.equal(verdict({ atLeast: 1.3 }, spread, "ms"), "at least 1.3 ms: met");
  assert.equal(verdict(undefined, spread, null), "");
});

test("what is reported about the machine does not name it", () => {
  assert.deepEqual(Object.keys(thisMachine({ postgres: null, load: 1.5 })), Object.keys(machine));
});

test("only a full run replaces the document, and what runs when asked replaces its section of it", () => {
  const benches = [{ name: "append" }, { name: "load" }, { name: "peers", onlyWhenAsked: true }];
  const asked = (...args: string[]) => readAsked(args, benches, "doc.md");
  const all = { quick: false, names: ["append", "load"], out: "doc.md", sectionsOnly: false };
  assert.deepEqual(asked(), all);
  assert.deepEqual(asked("--quick"), { ...all, quick: true, out: null });
  assert.deepEqual(asked("--only", "load"), { ...all, names: ["load"], out: null });
  assert.deepEqual(asked("--quick", "--out", "x.md"), { ...all, quick: true, out: "x.md" });
  assert.deepEqual(asked("--only", "load", "--section"), { ...all, names: ["load"], sectionsOnly: true });
  assert.deepEqual(asked("--section"), all);
  assert.deepEqual(asked("--only", "peers"), { ...all, names: ["peers"], sectionsOnly: true });
  assert.deepEqual(asked("--only", "peers", "--out", "x.md"), { ...all, names: ["peers"], out: "x.md" });
  assert.throws(() => asked("--only", "loads"), /"loads" is no benchmark; there are append, load, peers/);
});

test("a section of the document is replaced alone, with the day and the machine it was measured on", () => {
  const document = "# Benchmarks\n\nSays.\n\n## One\n\nold\n\n## Two\n\nkept\n";
  const replaced = withSection(document, "One", "## One\n\nnew $1\n");
  assert.equal(replaced, "# Benchmarks\n\nSays.\n\n## One\n\nnew $1\n\n## Two\n\nkept\n");
  assert.equal(withSection(document, "Three", "## Three\n\nadded"), `${document}\n## Three\n\nadded\n`);
  assert.equal(sectionOf(document, "Two"), "## Two\n\nkept");
  assert.equal(sectionOf(document, "Three"), null);
  const [first] = report.measured;
  assert.match(
    first === undefined ? "" : datedSection(first, report),
    /^## Append\n\nMeasured on 2026-01-31: .*\n\n`npm run bench -- --only append`\n/,
  );
});
