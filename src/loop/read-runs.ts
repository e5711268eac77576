import { openDoubts, openWaits } from "../decide/budget/program-tree.ts";
import type { Journal, RunListing } from "../journal/journal.ts";
import type { ProgramError } from "../model/events/program-events.ts";
import { RUN_STATUSES, type RunStatus } from "../model/state/run-status.ts";
import { openRun } from "../runtime/load-run.ts";
import { checkKeys, misused, shown } from "./check-run-options.ts";

/** A run as the store lists it. */
export interface RunRow {
  readonly id: string;
  /** The name under which its function was defined; null where it had none. */
  readonly body: string | null;
  readonly status: RunStatus;
  /** The number of its last event: a cursor for `hf.events`. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A run as it stands. */
export interface RunInfo extends Pick<RunRow, "id" | "body" | "status" | "seq"> {
  readonly version: number | null;
  readonly input: unknown;
  /** What it ended with; undefined while it has not. */
  readonly result?: unknown;
  readonly error?: Pick<ProgramError, "name" | "message" | "code">;
  /** Why it cannot go on by itself; null while it can. */
  readonly blocked: { readonly reason: string; readonly detail: string } | null;
  /** Names of the signals that it waits for. */
  readonly waitingFor: readonly string[];
  /** Keys of the steps of which nobody knows whether they were done: `hf.settle` takes them. */
  readonly inDoubt: readonly string[];
}

export interface ListOptions {
  readonly status?: RunStatus | readonly RunStatus[];
  /** Only runs of the function of that name. */
  readonly body?: string;
  /** At most so many, the newest first; 100 unless said. */
  readonly limit?: number;
}

const LIST_MAX = 100;

/** The run as its journal has it now; null if there is none, or if it is a run of agents. */
export async function getRun(journal: Journal, id: string): Promise<RunInfo | null> {
  const state = (await openRun(journal, id))?.state;
  if (state?.kind !== "program") return null;
  const { program, status, seq, blocked, result, epoch } = state;
  const error = program.failure?.error;
  return {
    id,
    body: program.name,
    version: program.version ?? null,
    status,
    seq,
    input: program.input,
    ...(status === "completed" ? { result } : {}),
    ...(status === "failed" && error !== undefined ? { error: briefly(error) } : {}),
    blocked: blocked === null ? null : { reason: blocked.reason, detail: blocked.detail },
    waitingFor: openWaits(program),
    inDoubt: openDoubts(program, blocked?.reason === "in_doubt" ? epoch : undefined),
  };
}

const briefly = ({ name, message, code }: ProgramError): Pick<ProgramError, "name" | "message" | "code"> =>
  code === undefined ? { name, message } : { name, message, code };

export async function listRuns(journal: Journal, options: ListOptions): Promise<RunRow[]> {
  const { statuses, limit } = checkList(options);
  const found: RunRow[] = [];
  for (const row of await journal.runs(statuses === undefined ? {} : { statuses })) {
    if (found.length >= limit) break;
    const body = await programNameOf(journal, row);
    if (body === undefined || (options.body !== undefined && options.body !== body)) continue;
    const { run: id, status, seq, createdAt, updatedAt } = row;
    found.push({ id, body, status, seq, createdAt, updatedAt });
  }
  return found;
}

/** Undefined for a run of agents. */
async function programNameOf(journal: Journal, { run }: RunListing): Promise<string | null | undefined> {
  const [first] = await journal.read(run, { after: 0, limit: 1, leaveApart: true });
  return first?.type === "BodyCreated" ? first.data.body : undefined;
}

function checkList(options: ListOptions): { statuses?: readonly RunStatus[]; limit: number } {
  const { status, limit = LIST_MAX } = options;
  checkKeys("hf.list", options, ["status", "body", "limit"]);
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw misused("hf.list", `limit: ${shown(limit)}`, "a whole number above 0");
  if (status === undefined) return { limit };
  const statuses = Array.isArray(status) ? (status as readonly RunStatus[]) : [status as RunStatus];
  const wrong = statuses.find((one) => !RUN_STATUSES.includes(one));
  if (wrong !== undefined)
    throw misused("hf.list", `status: ${shown(wrong)}`, `any of ${RUN_STATUSES.join(", ")}`);
  return { statuses, limit };
}
