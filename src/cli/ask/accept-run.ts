import type { System } from "../../main.ts";
import type { Recorded } from "../../model/events/events.ts";
import { Fault } from "../../model/fault.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { describeEvent } from "../../views/text/describe-event.ts";
import { askRun, refusal, seeToWork } from "./ask-run.ts";
import { EXIT } from "../shell/define-command.ts";
import { findRun } from "../run/find-run.ts";
import type { Invocation } from "../shell/invocation.ts";
import { leftOutText } from "./run-work.ts";
import { askerOf } from "./who-asks.ts";

export interface CommitOptions {
  readonly message?: string;
  readonly file?: readonly string[];
  readonly withFilters?: boolean;
}

export interface AcceptOptions {
  readonly message?: string;
  readonly resolution?: string;
  readonly dropped?: string;
  readonly step?: string;
  readonly asDone?: boolean;
}

/** How long the outcome is waited for; the work goes on without anybody who waits. */
const WAIT_MS = 120_000;
const LOOK_EVERY_MS = 100;

export async function commitRun(
  call: Invocation,
  run: string,
  { message, file, withFilters }: CommitOptions,
): Promise<number> {
  if (withFilters === true && file !== undefined)
    throw new Fault("usage", "--file and --with-filters are given; expected one or the other");
  if (withFilters === true) await (await import("./commit-filtered.ts")).commitFiltered(call, run, message);
  return askAndWait(call, run, {
    kind: "commit",
    ...(message === undefined ? {} : { message }),
    ...(file === undefined ? {} : { files: [...file] }),
  });
}

export function acceptRun(
  call: Invocation,
  run: string,
  { message, resolution, dropped, step, asDone }: AcceptOptions,
): Promise<number> {
  if (asDone === true) {
    if (step === undefined)
      throw new Fault(
        "usage",
        `--as-done names no step; expected one, such as: accept ${run} --step build --as-done`,
      );
    return askRun(call, run, { kind: "accept", step, asDone });
  }
  if (resolution !== undefined && resolution !== "merge")
    throw new Fault("usage", `--resolution "${resolution}" is unknown; expected merge`);
  if (dropped !== undefined && dropped !== "bring" && dropped !== "leave")
    throw new Fault("usage", `--dropped "${dropped}" is unknown; expected bring or leave`);
  return askAndWait(call, run, {
    kind: "accept",
    ...(message === undefined ? {} : { message }),
    ...(resolution === undefined ? {} : { resolution }),
    ...(dropped === undefined ? {} : { dropped }),
    ...(step === undefined ? {} : { step }),
  });
}

/** Asks, sees to it that somebody does it, and shows what became of it. */
export function askAndWait(call: Invocation, text: string, request: RunRequest): Promise<number> {
  return call.withSystem("empty", async (system, config) => {
    const run = await findRun(system.ports.journal, text);
    const before = await system.loadRun(run);
    if (request.kind === "accept" && before !== null && isTaken(before)) return describeTaken(call, run);
    const accepts = before?.workspace.commit.wanted?.accept === true;
    const options = { ...(await askerOf(call, system)), waitMs: config.requests.answerWaitMs };
    const outcome = await system.requests.ask(run, request, options);
    if (outcome.kind === "answered" && outcome.answer.kind === "refused")
      throw await refusal(system, run, outcome.answer);
    if (outcome.kind === "answered" && outcome.workFollows) await seeToWork(call, system, run);
    const ended = await outcomeOf(system, { run, from: outcome.since, by: options.by, accepts });
    return report(call, { run, request: request.kind, ended, after: await system.loadRun(run) });
  });
}

/** All of it is in the user's branch, and the run's own is removed. */
const isTaken = ({ workspace }: RunState): boolean =>
  workspace.worktree === null && workspace.commit.accepted;

function describeTaken(call: Invocation, run: string): number {
  const text = "its work is in your branch already";
  call.output.document({ run, request: "accept", outcome: "done", text });
  call.output.line(`${run}: ${text}; see it with ${call.command("changes", run)}`);
  return EXIT.done;
}

interface Asked {
  readonly run: string;
  readonly from: number;
  readonly by: string;
  /** An acceptance was under way when it was asked for. */
  readonly accepts: boolean;
}

/** The event that settles it; null where it takes too long to wait for. */
async function outcomeOf(
  system: System,
  { run, from, by, accepts: already }: Asked,
): Promise<Recorded | null> {
  const until = Date.now() + WAIT_MS;
  let accepts = already;
  for (let after = from; Date.now() < until;) {
    for (const event of await system.ports.journal.read(run, { after, limit: 1_000 })) {
      after = event.seq;
      if (event.type === "CommitWanted" && event.data.by === by) accepts = event.data.accept === true;
      const isLast = event.type === "WorkCommitted" && !accepts;
      if (isLast || ENDS.has(event.type)) return event;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return null;
}

const ENDS: ReadonlySet<Recorded["type"]> = new Set(["CommitRefused", "WorkAccepted", "AcceptRefused"]);

interface Outcome {
  readonly run: string;
  readonly request: string;
  readonly ended: Recorded | null;
  readonly after: RunState | null;
}

function report(call: Invocation, { run, request, ended, after }: Outcome): number {
  if (ended?.type === "CommitRefused" || ended?.type === "AcceptRefused")
    throw new Fault("refused", `${request} is refused: ${ended.data.why}`, {
      details: { run, ...("files" in ended.data ? { files: ended.data.files } : {}) },
    });
  const text = ended === null ? "it is still under way" : describeEvent(ended);
  const inner = after?.workspace.commit.inner ?? [];
  const leftOut = inner.length === 0 ? {} : { inner };
  const outcome = ended === null ? "queued" : "done";
  call.output.document({ run, request, outcome, text, ...leftOut, ...ended?.data });
  call.output.line(`${run}: ${text}`);
  if (inner.length > 0) call.output.line(`left out: ${leftOutText(inner, after?.cwd ?? "")}`);
  if (ended === null) call.output.line(`see ${call.command("status", run)}`);
  return EXIT.done;
}
