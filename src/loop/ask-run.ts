import type { Journal } from "../journal/journal.ts";
import { Fault } from "../model/fault.ts";
import type { RunRequest } from "../model/requests/requests.ts";
import type { World } from "../model/world.ts";
import type { Leases } from "../runtime/leases.ts";
import type { AskOutcome } from "../runtime/requests.ts";
import { checkKeys, misused, shown } from "./check-run-options.ts";
import { asJson } from "./scope/json-value.ts";

/** What became of something asked of a run; what is refused is thrown, as a fault `refused` that says what is open. */
export type Asked =
  /** It is recorded, with all that follows from it. */
  | { readonly kind: "decided"; readonly text: string }
  /** It is in the inbox of the run, until a program that has its function opens the store. */
  | {
      readonly kind: "queued";
      readonly text: string;
      /** The registered name of the run's function; null where it was given to `hf.run` without one. */
      readonly body: string | null;
      /** The process that holds the run and has not answered; null while none holds it. */
      readonly holder: { readonly host: string; readonly pid: number } | null;
    };

interface AskingPorts {
  readonly journal: Journal;
  readonly world: World;
  readonly leases: Leases;
}

interface Question {
  readonly id: string;
  readonly request: RunRequest;
  /** Whether the run is about to be at work here: asking in the same breath is no mistake. */
  readonly isStarting: () => boolean;
}

const START_LOOK_MS = 2;
/** The longest a process that holds the run is given to answer. */
const ANSWER_MS_MAX = 10_000;

/** Asks something of a run, and says what was decided. */
export async function askRun(
  { journal, world, leases }: AskingPorts,
  { id, request, isStarting }: Question,
): Promise<Asked> {
  const began = world.now();
  while (isStarting() && world.now() - began < leases.leaseMs && !(await leases.isHeld(id)))
    await new Promise<void>((resolve) => {
      world.timer(START_LOOK_MS, resolve);
    });
  if ((await journal.head(id)) === null)
    throw new Fault(
      "not_found",
      `there is no run "${id}" to ask for ${request.kind}; begin it with hf.run first`,
    );
  // What decides requests is loaded by those who ask: a program that resumes after a crash does not wait for it.
  const { Requests } = await import("../runtime/requests.ts");
  const requests = new Requests(journal, world, leases);
  const outcome = await requests.ask(id, request, { by: "program", waitMs: ANSWER_MS_MAX });
  if (outcome.kind === "queued") return queued(id, request, outcome.program);
  const { answer } = outcome;
  if (answer.kind === "refused") throw new Fault("refused", answer.text, { details: { run: id } });
  return { kind: "decided", text: answer.text };
}

function queued(
  id: string,
  { kind }: RunRequest,
  program: Extract<AskOutcome, { kind: "queued" }>["program"],
): Asked {
  const body = program?.body ?? null;
  const held = program?.process ?? null;
  const holder = held === null ? null : { host: held.host, pid: held.pid };
  const which = body === null ? `calls hf.run("${id}", …)` : `defines "${body}"`;
  const who =
    holder === null
      ? `the next program that ${which}`
      : `process ${String(holder.pid)} on ${holder.host}, which has not answered yet`;
  return { kind: "queued", text: `${kind} is queued for ${who}`, body, holder };
}

export const settledOutcome = (
  outcome: { readonly done: unknown } | "again",
): Extract<RunRequest, { kind: "settle" }>["outcome"] => {
  if (outcome === "again") return { kind: "again" };
  if (typeof outcome !== "object" || !("done" in checkKeys("hf.settle", outcome ?? undefined, ["done"])))
    throw misused("hf.settle", `${shown(outcome)} as the outcome`, '{ done: value } or "again"');
  return { kind: "done", value: asJson(outcome.done, "what was done") };
};
