import { isDeepStrictEqual } from "node:util";
import type { Command } from "commander";
import { Fault } from "../../../model/fault.ts";
import type { RunState } from "../../../model/state/run-state.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { eventsAfter } from "../../run/follow-run.ts";
import type { Invocation } from "../../shell/invocation.ts";
import { RUN_OR_FILE, withRuns, type RunSource } from "../../run/run-source.ts";
import { statusLines } from "../../print/status-lines.ts";
import { wholeNumber } from "../see/events.ts";

export function addReplay(parent: Command, bind: Bind): void {
  parent
    .command("replay")
    .summary("fold a run's events again and show the state")
    .description(
      "Folds the events of a run by the code of today, from the first on, and shows the state they give. For a run of the store it also makes sure that its snapshot leads to the same state. Nothing is done again and nothing is written.",
    )
    .argument("<RUN|FILE>", RUN_OR_FILE)
    .option("--at <seq>", "show the state right after this event", wholeNumber)
    .addHelpText(
      "after",
      examples(
        ["replay mail-1 --at 40", "how it stood after event 40"],
        ["replay mail-1.jsonl --json", "from a file, for programs"],
      ),
    )
    .action(bind(replay));
}

function replay(call: Invocation, word: string, { at }: { readonly at?: number }): Promise<number> {
  return withRuns(call, [word], async ([source]) => {
    if (source === undefined) return EXIT.notFound;
    const snapshot = await loadBySnapshot(source);
    const { shown, compared, events } = await fold(source, { at, compareAt: snapshot?.state.seq });
    if (snapshot !== null) checkSame(source.run, snapshot, compared);
    if (shown === null) throw beyond(source, events, at);
    const { statusView } = await import("../../../views/status/status.ts");
    const view = statusView(shown, call.store.named);
    // What lies in a file cannot be asked to go on.
    const { next, ...rest } = source.system === null ? { ...view, next: null } : view;
    const summary = { from: source.name, events: shown.seq, snapshot: snapshot?.seq ?? null };
    call.output.document({ ...rest, next, replay: summary });
    for (const line of statusLines({ ...rest, next })) call.output.line(line);
    call.output.line();
    call.output.line(replayText(source, summary, snapshot !== null));
    return EXIT.done;
  });
}

interface BySnapshot {
  readonly state: RunState;
  /** The event whose snapshot there is; null for none. */
  readonly seq: number | null;
}

/** The run as everybody else loads it. */
async function loadBySnapshot({ run, system }: RunSource): Promise<BySnapshot | null> {
  if (system === null) return null;
  const snapshot = await system.ports.journal.loadSnapshot(run);
  const state = await system.loadRun(run);
  return state === null ? null : { state, seq: snapshot?.seq ?? null };
}

interface Folded {
  /** After the event asked for, or the last; null if there is no such event. */
  readonly shown: RunState | null;
  /** After the event up to which the run was loaded. */
  readonly compared: RunState | null;
  readonly events: number;
}

interface FoldPlaces {
  readonly at: number | undefined;
  readonly compareAt: number | undefined;
}

/** A fold changes its state in place: what is kept of it on the way is a copy. */
async function fold(source: RunSource, { at, compareAt }: FoldPlaces): Promise<Folded> {
  // As everybody else loads it: large results are not read.
  const events =
    source.system === null
      ? source.events
      : eventsAfter(source.system.ports.journal, source.run, 0, { leaveApart: true });
  const { foldEvent } = await import("../../../views/runs/run-summary.ts");
  let state: RunState | null = null;
  let [shown, compared]: (RunState | null)[] = [null, null];
  for (let next = await events.next(); next.done !== true; next = await events.next()) {
    state = foldEvent(state, next.value);
    if (state.seq === at) shown = structuredClone(state);
    if (state.seq === compareAt) compared = structuredClone(state);
  }
  return {
    shown: at === undefined ? state : (shown ?? null),
    compared: compared ?? null,
    events: state?.seq ?? 0,
  };
}

const plain = (state: RunState | null): unknown => JSON.parse(JSON.stringify(state));

function checkSame(run: string, { state, seq }: BySnapshot, compared: RunState | null): void {
  const [loaded, folded] = [plain(state), plain(compared)] as Record<string, unknown>[];
  if (isDeepStrictEqual(loaded, folded)) return;
  const keys = Object.keys({ ...loaded, ...folded });
  const different = keys.filter((key) => !isDeepStrictEqual(loaded?.[key], folded?.[key]));
  throw new Fault(
    "broken_promise",
    `${run} folds to another state from its snapshot at event ${String(seq)} than from its first event: ${different.join(", ")} differ; its events are whole — please report it`,
    { details: { run, snapshot: seq, different } },
  );
}

const beyond = ({ name }: RunSource, events: number, at: number | undefined): Fault =>
  new Fault("usage", `--at is ${String(at)}, and ${name} has events 1 to ${String(events)}`);

function replayText(
  { name }: RunSource,
  summary: { events: number; snapshot: number | null },
  inStore: boolean,
): string {
  const text = `folded from ${String(summary.events)} events of ${name} by the code of today`;
  if (!inStore) return text;
  return summary.snapshot === null
    ? `${text}; it has no snapshot yet`
    : `${text}; its snapshot at event ${String(summary.snapshot)} leads to the same state`;
}
