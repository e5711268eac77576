import { openChildren } from "../../decide/budget/program-tree.ts";
import type { WorkflowFunction } from "../workflow-function.ts";
import { failedData } from "./program-end.ts";
import { cancelledFault, closedFault, isStop } from "./program-error.ts";
import type { ProgramLife } from "./program-life.ts";
import { asJson } from "../scope/json-value.ts";
import { Scope } from "../scope/scope.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { asFault, Fault } from "../../model/fault.ts";
import { recordAt } from "../../model/state/program-state.ts";

/** How long a workflow function that is cancelled may take to come to its end before it is recorded without it. */
const CANCEL_GRACE_MS = 5_000;
/** The same where its `finally` does steps. */
const CLEANUP_MS_MAX = 30_000;

/**
 * Runs a workflow function to its recorded end. A run that is being cancelled is not entered again: what was under way
 * gets its recorded end, and so does the run.
 */
export async function liveProgram(
  life: ProgramLife,
  workflow: WorkflowFunction,
  isNew: boolean,
): Promise<unknown> {
  const mail = life.readMail();
  mail.catch((error: unknown) => {
    life.end(asFault(error));
  });
  try {
    // What was asked of a run while nobody worked it comes before anything it does; a new one has received nothing yet.
    if (!isNew) await mail;
    if (life.isCancelling) return await endCancelled(life);
    const value = await Promise.race([enter(life, workflow), outOfPatience(life)]);
    if (life.diverged !== null) throw life.diverged;
    if (life.isCancelling) return await endCancelled(life);
    await life.commit([{ type: "RunCompleted", data: { result: value } }]);
    return value;
  } catch (error) {
    // What ended this life says more than what the workflow function made of it: a run whose store failed is not
    // cancelled yet.
    life.check();
    if (life.diverged !== null) throw await blockDiverged(life, life.diverged);
    if (life.isCancelling) return await endCancelled(life);
    if (isStop(error)) throw error;
    const failed = failedData(life, error);
    await life.commit([{ type: "RunFailed", data: failed }]);
    throw failed.body === undefined ? error : life.failures.restore(failed.body.error, error);
  } finally {
    life.end(closedFault(life.run));
  }
}

async function enter(life: ProgramLife, workflow: WorkflowFunction): Promise<unknown> {
  const value = await new Scope(life.outermost, 0).enter((run) => workflow(run, life.state.program.input));
  return asJson(value, `the result of ${life.run}`);
}

/** A workflow function that does not listen to its signal is not waited for. */
async function outOfPatience(life: ProgramLife): Promise<never> {
  const { signal } = life.outermost;
  await new Promise((resolve) => {
    signal.addEventListener("abort", resolve, { once: true });
  });
  life.check();
  await life.delay(CANCEL_GRACE_MS).over;
  if (life.outermost.hasCleanup) await life.delay(CLEANUP_MS_MAX - CANCEL_GRACE_MS).over;
  throw cancelledFault(life.run);
}

/** Every child that was under way is recorded as cancelled, the innermost first, and then the run: in one append. */
async function endCancelled(life: ProgramLife): Promise<never> {
  const why = cancelledFault(life.run);
  life.outermost.close(() => why);
  const ended = { kind: "error", error: life.failures.record(why) } as const;
  life.world.crashPoint("loop.cancel.before");
  // One that came to its own end just before keeps it.
  await life.commitDecided(() => [
    ...openChildren(life.root).map((key): RunEvent => ({ type: "BodyChildEnded", data: { key, ended } })),
    { type: "RunCancelled", data: { stop: "operator" } },
  ]);
  life.world.crashPoint("loop.cancel.after");
  throw why;
}

const PAGE_EVENTS = 500;
const WAYS_OUT =
  'keep both ways with run.patched("NAME"), give up what is recorded with run.retired("NAME"), run the function as it was (define it with its version)';

/**
 * Blocks a run whose workflow function asks for something else than what is recorded (I8), with the command that goes
 * on from before the difference. Nothing was done that the journal does not know: the next life of the workflow
 * function begins without the block.
 */
async function blockDiverged(life: ProgramLife, found: Fault): Promise<Fault> {
  const { run, state } = life;
  const key = String(found.details["key"]);
  const isKnown = recordAt(state.program, key) !== undefined;
  const seq = isKnown ? await seqBefore(life, key) : state.seq;
  const detail = `${found.message}; ${WAYS_OUT}, or go on in a new run from before it: holdfast fork ${run} --at ${String(seq)}`;
  const blocked = {
    reason: "diverged",
    detail,
    step: key,
    seq,
    attemptKept: true,
    guidance: [],
  } as const;
  await life.commitDecided(() =>
    state.status === "running"
      ? [{ type: "RunBlocked", data: { blocked: { ...blocked, guidance: [] } } }]
      : [],
  );
  return new Fault("diverged", detail, { retry: found.retry, details: { ...found.details, seq } });
}

/** The last event before the first one that speaks of that key. */
async function seqBefore(life: ProgramLife, key: string): Promise<number> {
  for (let after = 0; ;) {
    const events = await life.read({ after, limit: PAGE_EVENTS, leaveApart: true });
    const found = events.find(({ data }) => "key" in data && data.key === key);
    if (found !== undefined) return found.seq - 1;
    if (events.length < PAGE_EVENTS) return life.state.seq;
    after = events.at(-1)?.seq ?? after;
  }
}
