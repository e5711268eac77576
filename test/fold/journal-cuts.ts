import { createReadStream, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { openExport } from "../../src/journal/read-export.ts";
import { decide, isAtRest } from "../../src/decide/decide.ts";
import { nextDeadline } from "../../src/decide/dispatch/deadlines.ts";
import { RULES } from "../../src/decide/rules.ts";
import type { Rules } from "../../src/decide/rules/rule.ts";
import type { Recorded, RunEvent } from "../../src/model/events/events.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { foldEvent, runSummary } from "../../src/views/runs/run-summary.ts";

/** What a journal that ends after an event leads to: what is shown, what is done next, and when time alone changes it. */
export interface Cut {
  readonly seq: number;
  readonly type: string;
  readonly status: string;
  readonly blocked: string | null;
  readonly steps: Readonly<Record<string, string>>;
  /** What would be recorded next, one after the other, until a supervisor's turn was over: without texts. */
  readonly next: readonly string[];
  readonly deadline: number | null;
  readonly rests: boolean;
  /** The same an hour and a day later, if nothing else happens. */
  readonly later: readonly (readonly string[])[];
}

const HOUR_MS = 3_600_000;
const TURN_EVENTS_MAX = 40;

/** The observable state of a journal, cut after each of its events. */
export function cutsOf(journal: readonly Recorded[]): Cut[] {
  const cuts: Cut[] = [];
  let state: RunState | null = null;
  for (const event of journal) {
    state = foldEvent(state, event);
    cuts.push(cutAt(state, event));
  }
  return cuts;
}

/** By the rules of Holdfast, or by others in their place. */
export function cutAt(
  state: RunState,
  { seq, type, at }: Pick<Recorded, "seq" | "type" | "at">,
  rules: Rules = RULES,
): Cut {
  const { status, blocked, steps } = runSummary(state);
  return {
    seq,
    type,
    status,
    blocked,
    steps: Object.fromEntries(
      steps.map(({ step, status, attempts }) => [step, `${status} ${String(attempts)}`]),
    ),
    next: turnAt(state, at, rules),
    deadline: nextDeadline(state, at, rules),
    rests: isAtRest(state, at, rules),
    later: [turnAt(state, at + HOUR_MS, rules), turnAt(state, at + 24 * HOUR_MS, rules)],
  };
}

/** A turn of a supervisor on a copy: what it decides is folded until nothing more follows. */
export function turnAt(state: RunState, now: number, rules: Rules): string[] {
  const copy = structuredClone(state);
  const said: string[] = [];
  for (;;) {
    const events = decide(copy, now, rules);
    if (events.length === 0 || said.length > TURN_EVENTS_MAX) return said;
    for (const event of events) {
      said.push(nameOf(event));
      foldEvent(copy, { ...event, run: copy.run, seq: copy.seq + 1, at: now } as Recorded);
    }
  }
}

/** An event by its type and by whom it concerns; how it is worded may change. */
function nameOf({ type, data }: RunEvent): string {
  const { key, attempt, step, gate } = data as Readonly<Record<string, unknown>>;
  return [type, key, attempt, step, gate].filter((part) => typeof part === "string").join(" ");
}

const FOLDER = path.resolve(import.meta.dirname, "../golden");
const CUTS = path.join(FOLDER, "cuts");
const SUFFIX = ".cuts.jsonl.gz";

/** The journals whose cuts are recorded, by name. */
export const cutJournals = (): string[] =>
  readdirSync(CUTS)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length));

/** A journal of the simulator lies beside its cuts; one of a release with the others of that release. */
export async function readCutJournal(name: string): Promise<Recorded[]> {
  const simulated = path.join(CUTS, `${name}.jsonl.gz`);
  if (existsSync(simulated)) return linesOf<Recorded>(simulated);
  const { recorded } = await openExport(name, createReadStream(path.join(FOLDER, "0.1.0", `${name}.jsonl`)));
  const journal: Recorded[] = [];
  for await (const event of recorded()) journal.push(event);
  return journal;
}

export const readCuts = (name: string): Cut[] => linesOf<Cut>(path.join(CUTS, `${name}${SUFFIX}`));

export function writeCuts(name: string, cuts: readonly Cut[]): void {
  const text = cuts.map((cut) => `${JSON.stringify(cut)}\n`).join("");
  if (JSON.stringify(cuts) === JSON.stringify(readCuts(name))) return;
  writeFileSync(path.join(CUTS, `${name}${SUFFIX}`), gzipSync(text, { level: 9 }));
}

const linesOf = <Line>(file: string): Line[] =>
  gunzipSync(readFileSync(file))
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
