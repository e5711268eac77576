import { evolve } from "../fold/evolve.ts";
import type { Journal } from "../journal/journal.ts";
import type { Recorded, RunEvent } from "../model/events/events.ts";
import { Fault } from "../model/fault.ts";
import { isName } from "../model/ids.ts";
import type { RunState } from "../model/state/run-state.ts";
import { isEnded } from "../model/state/run-status.ts";
import type { World } from "../model/world.ts";
import type { Leases } from "./leases.ts";

export interface ForkOptions {
  /** The last event that is taken over. */
  readonly at: number;
  /** The new run's id; the old one with `-at-SEQ` unless said. */
  readonly as?: string | undefined;
  /** By which request it is asked for; asked again, the run that it has made is found. */
  readonly request?: string | undefined;
}

export interface ForkedRun {
  readonly run: string;
  readonly seq: number;
  /** The program that has to go on with it. */
  readonly body: string | null;
}

const PAGE_EVENTS = 500;

/**
 * Begins a run of a program from the first events of another one, which is left as it is. Everything is taken over in
 * one append: there is no instant at which half of it could be gone on with.
 */
export async function forkRun(
  { journal, world, leases }: { journal: Journal; world: World; leases: Leases },
  from: string,
  { at, as, request }: ForkOptions,
): Promise<ForkedRun> {
  const run = as ?? `${from}-at-${String(at)}`;
  if (!isName(run))
    throw new Fault("usage", `"${run}" cannot be a run's id: letters, digits and . _ / - , at most 120`);
  const events = (await eventsUpTo(journal, from, at)).filter(({ type }) => type !== "RunClaimed");
  const now = world.now();
  const state = events.reduce<RunState | null>(
    (fold, event, index) => evolve(fold, event, { run, seq: index + 1, at: now }),
    null,
  );
  if (state?.kind !== "program" || isEnded(state.status))
    throw new Fault("refused", refusal(from, at, state));
  const made = { run, seq: at, body: state.program.name };
  const text = forkedText(from, at, request);
  if (request !== undefined && (await isForked(journal, run, text))) return made;
  const taken = await leases.take(run);
  if (taken.kind === "held" || (await journal.head(run)) !== null) {
    if (taken.kind === "taken") await leases.release(run, taken.epoch);
    throw new Fault("refused", `there is a run "${run}" already; name the new one with --as`);
  }
  try {
    const event: RunEvent = {
      type: "BodyLogged",
      data: { scope: "", text },
    };
    const copied = events.map(({ type, data }) => ({ type, data }) as RunEvent);
    const listing = { status: state.status, goal: state.goal, wakeAt: null };
    const order = { run, expected: 0, epoch: taken.epoch, at: now, events: [...copied, event], listing };
    const outcome = await journal.append(order);
    if (outcome.kind !== "appended")
      throw new Fault("refused", `somebody else writes to ${run}; try again`, { retry: "later" });
    return made;
  } finally {
    await leases.release(run, taken.epoch);
  }
}

const forkedText = (from: string, at: number, request: string | undefined): string =>
  `forked from ${from} after event ${String(at)}${request === undefined ? "" : ` (request ${request})`}`;

/** Whether that very request has made the run: its last event says so, and was appended with all others at once. */
async function isForked(journal: Journal, run: string, text: string): Promise<boolean> {
  for (let after = 0; ;) {
    const events = await journal.read(run, { after, limit: PAGE_EVENTS, leaveApart: true });
    if (events.some(({ type, data }) => type === "BodyLogged" && data.text === text)) return true;
    const last = events.at(-1);
    if (last === undefined) return false;
    after = last.seq;
  }
}

async function eventsUpTo(journal: Journal, run: string, at: number): Promise<Recorded[]> {
  if (!Number.isSafeInteger(at) || at < 1)
    throw new Fault("usage", `--at is ${String(at)}; expected the number of an event, 1 or more`);
  const events: Recorded[] = [];
  while (events.length < at) {
    const limit = Math.min(PAGE_EVENTS, at - events.length);
    const page = await journal.read(run, { after: events.length, limit });
    events.push(...page);
    if (page.length < limit) break;
  }
  if (events.length === at) return events;
  throw new Fault(
    "refused",
    events.length === 0
      ? `there is no run "${run}" in this store; \`holdfast runs\` lists those there are`
      : `${run} has ${String(events.length)} events, and none with the number ${String(at)}; \`holdfast events ${run}\` lists them`,
  );
}

function refusal(from: string, at: number, state: RunState | null): string {
  if (state === null || state.kind === "supervised")
    return `${from} is a run of agents; only runs of programs are forked, others go back with \`holdfast restore ${from}\``;
  return `${from} is ${state.status} at event ${String(at)}; name an earlier one, \`holdfast events ${from}\` lists them`;
}
