import type { Recorded } from "../../../model/events/events.ts";
import type { Difference } from "../../../views/report/compare-events.ts";
import type { RunSummary, StepSummary } from "../../../views/runs/run-summary.ts";
import { describeEvent } from "../../../views/text/describe-event.ts";
import { printableLine } from "../../../model/text/printable.ts";
import { resultText } from "../status-lines.ts";
import { tableLines } from "../table.ts";

const VALUE_CHARS_MAX = 120;

/** Where two runs part, and where each came to. */
export interface RunsDiff {
  /** The first place at which they differ; null if they do not. An event is null where its run has ended already. */
  readonly parting: Parting | null;
  readonly a: RunSummary;
  readonly b: RunSummary;
}

export interface Parting {
  readonly a: Recorded | null;
  readonly b: Recorded | null;
  readonly differences: readonly Difference[];
}

export interface StepRow {
  readonly step: string;
  readonly same: boolean;
  readonly a: StepSummary | null;
  readonly b: StepSummary | null;
}

/** The steps of both runs, by name. */
export function stepRows(a: RunSummary, b: RunSummary): StepRow[] {
  const find = (run: RunSummary, name: string): StepSummary | null =>
    run.steps.find(({ step }) => step === name) ?? null;
  const names = new Set([...a.steps, ...b.steps].map(({ step }) => step));
  return [...names].map((step) => {
    const [inA, inB] = [find(a, step), find(b, step)];
    return { step, same: JSON.stringify(inA) === JSON.stringify(inB), a: inA, b: inB };
  });
}

/** What `diff` shows a person. */
export function diffLines(
  { parting, a, b }: RunsDiff,
  names: { readonly a: string; readonly b: string },
): string[] {
  return [
    ...tableLines([
      ["A", names.a, a.status, `${String(a.events)} events`],
      ["B", names.b, b.status, `${String(b.events)} events`],
    ]),
    "",
    ...(parting === null ? ["they do not differ but for ids, times and hashes"] : partingLines(parting)),
    "",
    ...tableLines([
      ["STEP", "A", "B", ""],
      ...stepRows(a, b).map((row) => [
        row.step,
        stepText(row.a),
        stepText(row.b),
        row.same ? "same" : "differs",
      ]),
    ]),
  ];
}

function partingLines({ a, b, differences }: Parting): string[] {
  return [
    `they part at ${placeText(a, b)}`,
    `  A  ${eventText(a)}`,
    `  B  ${eventText(b)}`,
    ...differences.map((one) => `  ${one.path}: ${valueText(one.a)} ≠ ${valueText(one.b)}`),
  ];
}

const placeText = (a: Recorded | null, b: Recorded | null): string =>
  a === null || b === null || a.seq === b.seq
    ? `event ${String((a ?? b)?.seq)}`
    : `event ${String(a.seq)} of A and ${String(b.seq)} of B`;

const eventText = (event: Recorded | null): string =>
  event === null ? "has ended before" : `${event.type}  ${describeEvent(event)}`;

const valueText = (value: unknown): string =>
  value === undefined ? "nothing" : printableLine(JSON.stringify(value), VALUE_CHARS_MAX);

function stepText(step: StepSummary | null): string {
  if (step === null) return "no such step";
  const attempts = `${String(step.attempts)} attempt${step.attempts === 1 ? "" : "s"}`;
  const outcome = step.status === "succeeded" ? resultText(step.result) : step.lastFailure;
  return printableLine(
    [step.status, attempts, ...(outcome === null ? [] : [outcome])].join(", "),
    VALUE_CHARS_MAX,
  );
}
