import type { EventData } from "../../model/events/events.ts";
import type { ProgramRecord, ProgramScope, ProgramState } from "../../model/state/program-state.ts";
import type { ProgramRun, RunState } from "../../model/state/run-state.ts";

/**
 * Durations follow the machine, appointments the wall clock.
 *
 * Every instant in the state of a run is a moment of the wall clock. When that clock is set, or the machine was
 * suspended, all of them move with it, so that each duration is as long as it was for the agents. What somebody named
 * by the clock (an alarm for 7:30, a limit that ends at 3pm) stays where it is. What runs share has a clock of its own:
 * the run's copy of a pause moves where it was measured on the machine whose clock has jumped. What agents and programs
 * gave back is theirs: a number in it is no instant of ours, no matter what it looks like.
 */
export const evolveClock = {
  ClockJumped(
    state: RunState,
    { byMs, cause, clock }: EventData<"ClockJumped">,
    { at }: { readonly at: number },
  ): void {
    const all = namedTimes(state);
    const ofAttempts = limitsOf(state);
    for (const key of Object.keys(state) as (keyof RunState)[]) {
      // An attempt may have begun at the very instant that an alarm or a step was waiting for.
      const appointments = key === "attempts" ? ofAttempts : all;
      const move = (value: number): number =>
        isInstant(value, at, byMs) && !appointments.has(value) ? value + byMs : value;
      if (!KEPT.has(key)) Object.assign(state, { [key]: moved(state[key], move) });
    }
    if (state.kind === "program")
      moveProgram(state.program, (value) => (isInstant(value, at, byMs) ? value + byMs : value));
    if (clock !== undefined) movePauses(state, clock.boot, byMs);
    state.clockRead = clock ?? null;
    state.clockJumped = { at, byMs, cause };
  },
};

/** Not of this run alone, or as it was asked for, or moved in a way of its own. */
const KEPT: ReadonlySet<string> = new Set<keyof RunState | keyof ProgramRun>([
  "program",
  "result",
  "sharedResources",
  "effects",
  "requests",
  "settings",
  "agents",
]);

/** What agents and programs gave back, by the names under which the state keeps it. */
const THEIRS: ReadonlySet<string> = new Set(["result", "value", "values", "input"]);

/** A pause by the clock of this boot; appointments, and those of other machines, name none. */
function movePauses({ sharedResources: resources }: RunState, boot: string, byMs: number): void {
  for (const known of Object.values(resources)) {
    const { pause } = known.news;
    if (pause?.boot !== boot) continue;
    const reopenedAt = pause.reopenedAt === null ? null : pause.reopenedAt + byMs;
    const moved = { ...pause, since: pause.since + byMs, until: pause.until + byMs, reopenedAt };
    known.news = { ...known.news, pause: moved };
  }
}

/** So far from the present nothing of a run lies, and no count of a run is an instant. */
const FAR_MS = 400 * 24 * 3_600_000;
const EARLIEST_MS = 1_000_000_000_000;

const isInstant = (value: number, at: number, byMs: number): boolean =>
  value >= EARLIEST_MS && Math.abs(value - (at - byMs)) < FAR_MS;

/** By value: everything that waits for an appointment names the same instant. */
function namedTimes(state: RunState): ReadonlySet<number> {
  const found = new Set<number>(limitsOf(state));
  for (const { dueAt, afterMs } of Object.values(state.alarms)) if (afterMs === undefined) found.add(dueAt);
  for (const { notBefore, namedWait } of Object.values(state.steps))
    if (namedWait === true && notBefore !== null) found.add(notBefore);
  return found;
}

/** When the limits end that agents at work have named. */
function limitsOf({ attempts }: RunState): ReadonlySet<number> {
  const limits = Object.values(attempts).flatMap(({ health }) => health.limit ?? []);
  return new Set(limits.flatMap(({ named, until }) => (named === true && until !== null ? [until] : [])));
}

/** A copy: parts of a state may be parts of events, which are not changed. */
function moved(value: unknown, move: (value: number) => number): unknown {
  if (typeof value === "number") return move(value);
  if (Array.isArray(value)) return value.map((one) => moved(one, move));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, THEIRS.has(key) ? one : moved(one, move)]),
  );
}

type Move = (instant: number) => number;

/**
 * Moves the instants that the state of a program's function holds of its own: ends of sleeps, of waits and of pauses
 * between tries. Results, inputs and what it drew (`now()`) are answers that it was given, and stay.
 */
function moveProgram(program: ProgramState, move: Move): void {
  moveScope(program.root, move);
  for (const key of Object.keys(program.doubtsAt)) program.doubtsAt[key] = move(program.doubtsAt[key] ?? 0);
}

function moveScope({ records, scopes }: ProgramScope, move: Move): void {
  for (const [name, record] of Object.entries(records)) {
    const after = moveRecord(record, move);
    if (after !== record)
      Object.defineProperty(records, name, {
        value: after,
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  for (const inner of Object.values(scopes)) moveScope(inner, move);
}

function moveRecord(record: ProgramRecord, move: Move): ProgramRecord {
  switch (record.kind) {
    case "slept":
      return { ...record, until: move(record.until) };
    case "tried":
      return { ...record, since: move(record.since), until: move(record.until) };
    case "waiting":
      return {
        ...record,
        until: record.until === null ? null : move(record.until),
        ...(record.since === undefined ? {} : { since: move(record.since) }),
      };
    case "spawned":
      return record.restartedAt === undefined
        ? record
        : { ...record, restartedAt: record.restartedAt.map(move) };
    case "error":
      return record.begun === undefined
        ? record
        : { ...record, begun: moveRecord(record.begun, move) as typeof record.begun };
    case "intended":
    case "value":
    case "drew":
    case "waited":
    case "looped":
      return record;
  }
}
