import type { System } from "../../main.ts";
import type { Recorded } from "../../model/events/events.ts";
import { printableLine } from "../../model/text/printable.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import { describeEvent } from "../../views/text/describe-event.ts";
import { refusal, seeToWork, printQueued } from "./ask-run.ts";
import { storeStanding, workerText } from "../supervise/detached-supervisor.ts";
import { EXIT } from "../shell/define-command.ts";
import { findRun } from "../run/find-run.ts";
import type { Invocation } from "../shell/invocation.ts";
import { askerOf } from "./who-asks.ts";

/** How long the files are waited for; they are put back without anybody who waits. */
const WAIT_MS = 120_000;
const LOOK_EVERY_MS = 100;

/** Puts a run back, and answers once its files are back; what could not be put back is named. */
export function restoreRun(call: Invocation, text: string, checkpoint: string | undefined): Promise<number> {
  return askToRestore(call, text, {
    kind: "restore",
    ...(checkpoint === undefined ? {} : { checkpoint }),
  });
}

export function askToRestore(call: Invocation, text: string, request: RunRequest): Promise<number> {
  return call.withSystem("empty", async (system, config) => {
    const run = await findRun(system.ports.journal, text);
    const options = { ...(await askerOf(call, system)), waitMs: config.requests.answerWaitMs };
    const outcome = await system.requests.ask(run, request, options);
    if (outcome.kind === "queued") return printQueued(call, run, request, outcome);
    if (outcome.answer.kind === "refused") throw await refusal(system, run, outcome.answer);
    const store = outcome.workFollows ? await storeStanding(call, system) : null;
    const supervisor =
      outcome.workFollows && store?.state !== "stopped" ? await seeToWork(call, system, run) : null;
    const ended = store?.state === "stopped" ? null : await endOf(system, run, outcome.since);
    const answer = ended === null ? `${outcome.answer.text}; it is still under way` : describeEvent(ended);
    const how = howOf(ended);
    const { left, leftPaths = [], written, removed } = ended?.type === "RunRestored" ? ended.data : {};
    const undone = ended?.type === "RunRestored" ? await undoOf(call, system, ended) : null;
    const facts = left === undefined ? {} : { written, removed, left, leftPaths, ...undone };
    call.output.document({ run, request: request.kind, outcome: how, text: answer, supervisor, ...facts });
    call.output.line(`${run}: ${answer}`);
    for (const line of undone === null ? [] : undoLines(undone)) call.output.line(line);
    if (ended === null && supervisor !== null) call.output.line(workerText(supervisor));
    if (how !== "done") call.output.line(`see ${call.command("status", run)}`);
    return ended?.type === "RunBlocked" ? EXIT.waiting : EXIT.done;
  });
}

interface Undo {
  /** The first of the files that were there and are not now; they are in the checkpoint `undo`. */
  readonly removedPaths: readonly string[];
  readonly changedPaths: readonly string[];
  readonly undo: { readonly checkpoint: string; readonly command: string } | null;
}

const PATHS_MAX = 50;

/** What the restore has taken away, by the checkpoint of what was there before, which brings it back. */
async function undoOf(call: Invocation, system: System, ended: Recorded): Promise<Undo | null> {
  const state = await system.loadRun(ended.run);
  const kept = Object.values(state?.checkpoints ?? {}).filter(({ seq }) => seq < ended.seq);
  const before = kept.findLast(({ cause }) => cause === "before_restore");
  const target = ended.type === "RunRestored" ? state?.checkpoints[ended.data.checkpoint] : undefined;
  if (before === undefined || target === undefined) return null;
  const place = { project: before.project, tree: before.tree };
  const { changes } = await system.ports.workspace.compare(place, before.snapshot.id, target.snapshot.id);
  const pathsOf = (isRemoved: boolean): string[] =>
    changes
      .filter(({ kind }) => (kind === "removed") === isRemoved)
      .slice(0, PATHS_MAX)
      .map(({ path }) => path);
  const command = call.command("restore", ended.run, before.id);
  return {
    removedPaths: pathsOf(true),
    changedPaths: pathsOf(false),
    undo: { checkpoint: before.id, command },
  };
}

const undoLines = ({ removedPaths, changedPaths, undo }: Undo): string[] => [
  ...removedPaths.map((path) => `  removed  ${printableLine(path, 400)}`),
  ...changedPaths.map((path) => `  changed  ${printableLine(path, 400)}`),
  ...(undo === null ? [] : [`what was there is kept as ${undo.checkpoint}; undo this with: ${undo.command}`]),
];

function howOf(ended: Recorded | null): "done" | "partly" | "queued" | "dropped" | "blocked" {
  if (ended?.type === "RunRestored") return ended.data.left === 0 ? "done" : "partly";
  if (ended?.type === "RestoreDropped") return "dropped";
  return ended?.type === "RunBlocked" ? "blocked" : "queued";
}

const ENDS: ReadonlySet<Recorded["type"]> = new Set(["RunRestored", "RestoreDropped", "RunBlocked"]);

async function endOf(system: System, run: string, from: number): Promise<Recorded | null> {
  const until = Date.now() + WAIT_MS;
  for (let after = from; Date.now() < until;) {
    for (const event of await system.ports.journal.read(run, { after, limit: 1_000 })) {
      after = event.seq;
      if (ENDS.has(event.type)) return event;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return null;
}
