import type { Command } from "commander";
import type { Recorded } from "../../../model/events/events.ts";
import { Fault } from "../../../model/fault.ts";
import type { RunState } from "../../../model/state/run-state.ts";
import type { RunSummary } from "../../../views/runs/run-summary.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { diffLines, stepRows, type Parting, type RunsDiff } from "../../print/diff/diff-lines.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { RUN_OR_FILE, withRuns, type RunSource } from "../../run/run-source.ts";

export function addDiff(parent: Command, bind: Bind): void {
  parent
    .command("diff")
    .summary("where two runs part")
    .description(
      "Compares two runs event by event, names the first at which they differ, and what became of each step. Ids, times and hashes do not count. Exits 0 whether or not they differ.",
    )
    .argument("<A>", RUN_OR_FILE)
    .argument("<B>", "the other one, likewise")
    .addHelpText(
      "after",
      examples(
        ["diff mail-1 mail-2", "two runs of the store"],
        ["diff mail-1 mail-1.jsonl --json", "a run and its export, for programs"],
      ),
    )
    .action(bind(diff));
}

function diff(call: Invocation, wordA: string, wordB: string): Promise<number> {
  if (wordA === "-" && wordB === "-")
    throw new Fault("usage", "only one of the two can come from standard input; name a run or a file");
  return withRuns(call, [wordA, wordB], async ([a, b]) => {
    if (a === undefined || b === undefined) return EXIT.notFound;
    const found = await compare(a, b);
    const { parting } = found;
    call.output.document({
      same: parting === null,
      parting: parting === null ? null : { ...parting, a: shown(parting.a), b: shown(parting.b) },
      a: { name: a.name, ...found.a },
      b: { name: b.name, ...found.b },
      steps: stepRows(found.a, found.b),
    });
    for (const line of diffLines(found, { a: a.name, b: b.name })) call.output.line(line);
    return EXIT.done;
  });
}

const shown = (event: Recorded | null): unknown =>
  event === null ? null : { seq: event.seq, type: event.type, data: event.data };

/** Reads both side by side, to their ends, one event of each at a time. */
async function compare(a: RunSource, b: RunSource): Promise<RunsDiff> {
  const { differencesOf } = await import("../../../views/report/compare-events.ts");
  const [readA, readB] = [await reading(a), await reading(b)];
  let parting: Parting | null = null;
  for (;;) {
    const [factA, factB] = [await readA.next(), await readB.next()];
    if (factA === null && factB === null) return { parting, a: readA.summary(), b: readB.summary() };
    const differences = factA === null || factB === null ? [] : differencesOf(factA, factB);
    if (factA === null || factB === null || differences.length > 0)
      parting ??= { a: factA, b: factB, differences };
  }
}

interface Reading {
  /** The next fact; null at the end. */
  next(): Promise<Recorded | null>;
  /** Where the run came to, once everything was read. */
  summary(): RunSummary;
}

async function reading({ name, events }: RunSource): Promise<Reading> {
  const { factsIn } = await import("../../../views/report/compare-events.ts");
  const { foldEvent, runSummary } = await import("../../../views/runs/run-summary.ts");
  const waiting: Recorded[] = [];
  let state: RunState | null = null;
  return {
    async next() {
      while (waiting.length === 0) {
        const next = await events.next();
        if (next.done === true) return null;
        state = foldEvent(state, next.value);
        waiting.push(...factsIn(next.value));
      }
      return waiting.shift() ?? null;
    },
    summary() {
      if (state === null) throw new Fault("not_found", `${name} has no events`);
      return runSummary(state);
    },
  };
}
