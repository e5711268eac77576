import {
  isMet,
  type Bench,
  type Figure,
  type Findings,
  type Ratio,
  type Target,
  type Unit,
} from "./bench.ts";
import type { Machine } from "./machine.ts";
import type { Spread } from "./statistics.ts";

export interface Measured extends Pick<Bench, "name" | "title"> {
  readonly findings: Findings;
}

export interface Report {
  readonly machine: Machine;
  /** `2026-01-31`. */
  readonly day: string;
  readonly quick: boolean;
  readonly measured: readonly Measured[];
}

/** The whole document. */
export function reportText(report: Report): string {
  const blocks = [
    "# Benchmarks",
    introduction(report.quick),
    machineLine(report),
    ...report.measured.map((one) => section(one, report.quick)),
  ];
  return `${blocks.join("\n\n")}\n`;
}

const introduction = (quick: boolean): string =>
  [
    `Written by \`npm run bench${quick ? " -- --quick" : ""}\`; do not edit.`,
    "The alternatives of a table are measured in the same minutes, in short turns, because absolute figures vary with what else the machine does: compare ratios, and mind their spread.",
    "A ratio is taken round by round; median and range are over the rounds. A target is compared with the median.",
    ...(quick ? ["**This was a quick run**: small sizes, few rounds; it shows that everything works."] : []),
  ].join(" ");

function machineLine({ machine, day }: Report): string {
  const { processor, cores, memoryGb, kernel, node, sqlite, postgres, load, priority } = machine;
  const server = postgres === null ? "no PostgreSQL" : `PostgreSQL ${postgres}`;
  return `Measured on ${day}: ${String(cores)} cores (${processor}), ${String(memoryGb)} GB of memory, ${kernel}, Node ${node}, SQLite ${sqlite}, ${server}, a load of ${String(load)} before${priority === null ? "" : `, at ${priority}`}.`;
}

/** A section that is measured apart from the others says when and where. */
export const datedSection = (one: Measured, report: Report): string =>
  section(one, report.quick).replace("\n\n", `\n\n${machineLine(report)}\n\n`);

function section({ name, title, findings }: Measured, quick: boolean): string {
  const blocks = [
    `## ${title}`,
    `\`npm run bench -- --only ${name}${quick ? " --quick" : ""}\``,
    findings.says,
    ...(findings.skipped === undefined ? [] : [`Not measured: ${findings.skipped}.`]),
    ...(findings.figures.length === 0 ? [] : [figureTable(findings.figures)]),
    ...(findings.ratios.length === 0 ? [] : [ratioTable(findings.ratios)]),
  ];
  return blocks.join("\n\n");
}

const figureTable = (figures: readonly Figure[]): string =>
  table(
    ["measured", "median", "min – max", "target"],
    figures.map(({ what, unit, spread, target }) => [
      what,
      `${amount(spread.median, unit)} ${unit}`,
      range(spread, (value) => amount(value, unit)),
      verdict(target, spread, unit),
    ]),
  );

const ratioTable = (ratios: readonly Ratio[]): string =>
  table(
    ["ratio", "median", "min – max", "target"],
    ratios.map(({ what, spread, target }) => [
      what,
      ratioText(spread.median),
      range(spread, ratioText),
      verdict(target, spread, null),
    ]),
  );

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

const range = ({ min, max }: Spread, text: (value: number) => string): string =>
  `${text(min)} – ${text(max)}`;

/** Three digits say all that repeats. */
const ratioText = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0));

function amount(value: number, unit: Unit): string {
  const digits = unit === "ms" && value < 10 ? 2 : 0;
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function verdict(target: Target | undefined, spread: Spread, unit: Unit | null): string {
  if (target === undefined) return "";
  const bound =
    "atLeast" in target ? `at least ${String(target.atLeast)}` : `at most ${String(target.atMost)}`;
  return `${bound}${unit === null ? "" : ` ${unit}`}: ${isMet(target, spread) ? "met" : "**missed**"}`;
}
