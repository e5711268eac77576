// Counts verdicts on recorded runs that people have labelled, as they are and without each rule. The recordings lie
// beside the repository: HOLDFAST_CORPUS names their folder. `--write` keeps the counts for docs/detection.md.
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { HealthLimits } from "../../src/fold/health/health-limits.ts";
import { LIMIT_RULES, type LimitRule } from "../../src/model/text/limit-text.ts";
import { assessText } from "../../src/views/assess/assess-text.ts";
import { assessTrace, type TraceVerdict } from "../../src/views/assess/assess-trace.ts";
import type { TraceEvent } from "../../src/views/assess/trace-event.ts";

export const CORPUS =
  process.env["HOLDFAST_CORPUS"] ?? path.join(import.meta.dirname, "../../../shared/corpus");
export const COUNTS_FILE = path.join(import.meta.dirname, "corpus-counts.json");

export interface Row {
  readonly id: string;
  readonly events: readonly TraceEvent[];
  readonly timing?: string;
  readonly timing_is_real?: boolean;
  readonly evaluated_at_ms?: number;
  readonly outcome?: { readonly resolved?: boolean | null };
  readonly agreement?: string;
  readonly expected: string;
  readonly verdict: string;
  readonly last_loop_event?: number;
  readonly text: string;
  readonly rate_limited?: boolean;
}

export function rows(name: string): Row[] {
  const raw = readFileSync(path.join(CORPUS, name));
  const text = (name.endsWith(".gz") ? gunzipSync(raw) : raw).toString("utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
}

type Column =
  | `${"stuck" | "healthy" | "solved"} runs`
  | "stuck runs found"
  | "healthy runs flagged"
  | "solved runs flagged"
  | "runs flagged"
  | "scenarios"
  | "scenarios right"
  | "scenarios flagged falsely"
  | "limits"
  | "limits found"
  | "look-alikes"
  | "look-alikes taken for limits";
export type Counts = Record<Column, number>;

export interface AllCounts {
  readonly now: Counts;
  /** By rule: what would be counted without it, where that differs. */
  readonly without: Record<string, Partial<Counts>>;
}

const OFF = Number.MAX_SAFE_INTEGER;
const HEALTH_RULES: Readonly<Record<string, Partial<HealthLimits>>> = {
  "errors in a row": { errorsInARow: OFF },
  "unmarked failures": { unmarkedFailures: OFF },
  "calls far apart": { callApartMs: OFF },
};

const count = <One>(list: readonly One[], holds: (one: One) => boolean): number => list.filter(holds).length;
const isBad = ({ health }: TraceVerdict): boolean => health === "stuck" || health === "crashed";

export function countCorpus(limits: Partial<HealthLimits>, without: ReadonlySet<LimitRule>): Counts {
  const judge = ({ events, timing, timing_is_real: isReal, evaluated_at_ms: at }: Row): TraceVerdict =>
    assessTrace(events, {
      timed: timing !== "nominal" && isReal !== false,
      zone: "UTC",
      limits,
      ...(at === undefined ? {} : { evaluatedAtMs: at }),
    });
  const traces = rows("traces-dev.jsonl.gz");
  const flagged = new Map(traces.map((row) => [row.id, judge(row).first_flagged_event]));
  const isFlagged = ({ id }: Row): boolean => (flagged.get(id) ?? null) !== null;
  const gold = rows("gold-dev.jsonl");
  const stuck = gold.filter(({ verdict }) => verdict.startsWith("stuck:"));
  const healthy = gold.filter(({ verdict }) => verdict === "healthy");
  const solved = traces.filter(({ outcome }) => outcome?.resolved === true);
  const broad = rows("scenarios-dev.jsonl").filter(({ agreement }) => agreement === "broad");
  const expectsBad = ({ expected }: Row): boolean => expected.startsWith("stuck:") || expected === "crashed";
  const lines = rows("rate-limit-dev.jsonl");
  const isLimited = ({ text }: Row): boolean => assessText(text, 0, "UTC", without).rate_limited;
  const limitLines = lines.filter((row) => row.rate_limited === true);
  const others = lines.filter((row) => row.rate_limited !== true);
  return {
    "stuck runs found": count(
      stuck,
      ({ id, last_loop_event: last }) => (flagged.get(id) ?? OFF) <= (last ?? 0),
    ),
    "stuck runs": stuck.length,
    "healthy runs flagged": count(healthy, isFlagged),
    "healthy runs": healthy.length,
    "solved runs flagged": count(solved, isFlagged),
    "solved runs": solved.length,
    "runs flagged": count(traces, isFlagged),
    "scenarios right": count(broad, (row) => isBad(judge(row)) === expectsBad(row)),
    scenarios: broad.length,
    "scenarios flagged falsely": count(broad, (row) => isBad(judge(row)) && !expectsBad(row)),
    "limits found": count(limitLines, isLimited),
    limits: limitLines.length,
    "look-alikes taken for limits": count(others, isLimited),
    "look-alikes": others.length,
  };
}

const changed = (now: Counts, then: Counts): Partial<Counts> =>
  Object.fromEntries(Object.entries(then).filter(([name, value]) => now[name as keyof Counts] !== value));

export function countAll(): AllCounts {
  const now = countCorpus({}, new Set());
  const health = Object.entries(HEALTH_RULES).map(
    ([name, limits]) => [name, changed(now, countCorpus(limits, new Set()))] as const,
  );
  const text = LIMIT_RULES.map(
    (rule) => [`limit: ${rule}`, changed(now, countCorpus({}, new Set([rule])))] as const,
  );
  return { now, without: Object.fromEntries([...health, ...text]) };
}

if (realpathSync(process.argv[1] ?? "") === import.meta.filename) {
  if (!existsSync(CORPUS)) {
    console.error(`there are no recordings at ${CORPUS}; name their folder with HOLDFAST_CORPUS`);
    process.exit(2);
  }
  const counts = `${JSON.stringify(countAll(), null, 2)}\n`;
  if (process.argv.includes("--write")) writeFileSync(COUNTS_FILE, counts);
  process.stdout.write(counts);
}
