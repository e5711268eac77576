import { placesInResult } from "../../model/state/bound-tree.ts";
import type { Blocked } from "../../model/requests/blocked.ts";
import {
  childScope,
  insideChild,
  insideIteration,
  iterationScope,
  splitKey,
} from "../../model/values/program-key.ts";
import {
  type ProgramRecord,
  type ProgramScope,
  type ProgramState,
  newProgramScope,
  recordAt,
  scopeIn,
  signalsOf,
  type SpawnedRecord,
} from "../../model/state/program-state.ts";
import { newBudgetScope, RUN_BUDGET } from "../../model/requests/budget.ts";
import type { EventData } from "../../model/events/events.ts";
import { invariant } from "../../model/fault.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { patchState, type StatePatch } from "../../model/values/state-patch.ts";
import type { Place } from "../place.ts";

const programOf = (state: RunState): ProgramState => {
  invariant(
    state.kind === "program",
    `the journal of ${state.run} speaks of a program that it does not have`,
  );
  return state.program;
};

/** The scope a key lies in, made where it is missing. */
function scopeOf(program: ProgramState, path: readonly string[]): ProgramScope {
  let scope = program.root;
  for (const name of path) scope = scope.scopes[name] ??= newProgramScope();
  return scope;
}

function record(state: RunState, key: string, value: ProgramRecord): void {
  const { scope: path, record: name } = splitKey(key);
  scopeOf(programOf(state), path).records[name] = value;
}

const marked = (cleanup: true | undefined): { cleanup?: true } => (cleanup === true ? { cleanup } : {});
type EndedType = "BodyStepEnded" | "BodyChildEnded";

/** A large result may be left where it is: what was asked for and answered in this life is not asked for again. */
function ended(
  type: EndedType,
  end: EventData<EndedType>["ended"],
  { seq, apart }: Place,
): Extract<ProgramRecord, { kind: "value" | "error" }> {
  if (end.kind === "error") return { kind: "error", error: end.error };
  const { value } = end;
  if (apart === undefined) return { kind: "value", value };
  return { kind: "value", value, apart: { seq, places: placesInResult(type, apart) } };
}

/** Restarts are counted within a window; older ones than these are forgotten. */
export const RESTARTS_KEPT = 100;
const ERROR_CHARS_KEPT = 300;

const spawnedBefore = (before: ProgramRecord | undefined): SpawnedRecord | undefined =>
  before?.kind === "spawned" ? before : before?.kind === "error" ? before.begun : undefined;

/** An attempt that is over has nothing that will be asked for. */
const forgetAttempt = (scope: ProgramScope, child: string, attempt: number): boolean =>
  Reflect.deleteProperty(scope.scopes, childScope(child, attempt));

/** The scope at a path, and all around it. */
function loosen(program: ProgramState, path: readonly string[]): void {
  program.root.loose = true;
  path.forEach((_, index) => {
    scopeOf(program, path.slice(0, index + 1)).loose = true;
  });
}

const known = (state: RunState, key: string): void => {
  const program = programOf(state);
  if (program.doubts.includes(key)) program.doubts = program.doubts.filter((doubt) => doubt !== key);
  // Looked for first: deleting is slow even where there is nothing to delete.
  if (Object.hasOwn(program.doubtsAt, key)) Reflect.deleteProperty(program.doubtsAt, key);
};

/** Nobody is asked any more about what lies inside of something that has ended. */
function forgetDoubts(program: ProgramState, isInside: (key: string) => boolean): void {
  for (const key of program.doubts.filter(isInside)) Reflect.deleteProperty(program.doubtsAt, key);
  program.doubts = program.doubts.filter((key) => !isInside(key));
}

/** The one that goes on with an ended run asks again about what is still in doubt. */
export function forgetAllDoubts(state: RunState): void {
  if (state.kind === "program") forgetDoubts(state.program, () => true);
}

/** A person was asked about a step: that outlives the process that asked. */
export function noteDoubt(state: RunState, { reason, step }: Blocked): void {
  if (state.kind === "supervised" || reason !== "in_doubt" || step === undefined) return;
  const { program } = state;
  if (program.doubts.includes(step)) return;
  program.doubts = [...program.doubts, step];
  program.doubtsAt[step] = state.blockedAt;
}

/** The part of the fold that concerns workflow functions: what one asked for and was answered. */
export const evolveProgram = {
  BodyStepIntended(state: RunState, { key, cleanup }: EventData<"BodyStepIntended">): void {
    record(state, key, { kind: "intended", epoch: state.epoch });
    if (cleanup === true) loosen(programOf(state), splitKey(key).scope);
  },
  BodyStepEnded(state: RunState, data: EventData<"BodyStepEnded">, place: Place): void {
    const end = ended("BodyStepEnded", data.ended, place);
    // What must not happen twice has happened, for any reason.
    const isPlain = data.cleanup === true && recordAt(programOf(state), data.key)?.kind !== "intended";
    record(state, data.key, isPlain ? { ...end, cleanup: true } : end);
    known(state, data.key);
  },
  BodyStepTried(state: RunState, data: EventData<"BodyStepTried">): void {
    const { key, attempt, since, until, error, cleanup } = data;
    record(state, key, {
      kind: "tried",
      attempt,
      since,
      until,
      error: error.message.slice(0, ERROR_CHARS_KEPT),
      ...marked(cleanup),
    });
    known(state, key);
  },
  /** A child that is cleared goes on in the attempt it was in. */
  BodyStepCleared(state: RunState, { key }: EventData<"BodyStepCleared">): void {
    const { scope: path, record: name } = splitKey(key);
    const scope = scopeOf(programOf(state), path);
    const before = scope.records[name];
    const hasFailed =
      before?.kind === "error" && before.error.code !== "cancelled" && before.cleanup !== true;
    if (hasFailed) loosen(programOf(state), path);
    const begun = spawnedBefore(before);
    if (begun === undefined) Reflect.deleteProperty(scope.records, name);
    else scope.records[name] = begun;
    known(state, key);
  },
  BodyDrew(state: RunState, { key, value }: EventData<"BodyDrew">): void {
    record(state, key, { kind: "drew", value });
  },
  BodySlept(state: RunState, { key, until }: EventData<"BodySlept">): void {
    record(state, key, { kind: "slept", until });
  },
  BodyWaited(state: RunState, { key, name, until }: EventData<"BodyWaited">, { at }: Place): void {
    record(state, key, { kind: "waiting", name, until, since: at });
  },
  BodySignalled(state: RunState, { name, value }: EventData<"BodySignalled">): void {
    const program = programOf(state);
    const queue = [...signalsOf(program, name), value];
    // Not assigned: `__proto__` may be a signal's name.
    Object.defineProperty(program.signals, name, {
      value: queue,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  },
  BodyWaitEnded(state: RunState, { key, timedOut, value }: EventData<"BodyWaitEnded">): void {
    const { scope, record: name } = splitKey(key);
    const waiting = scopeOf(programOf(state), scope).records[name];
    if (!timedOut && waiting?.kind === "waiting") signalsOf(programOf(state), waiting.name).shift();
    record(state, key, { kind: "waited", timedOut, value });
  },
  BodySpawned(state: RunState, { key, input, attempt }: EventData<"BodySpawned">, { at }: Place): void {
    const { scope: path, record: name } = splitKey(key);
    const program = programOf(state);
    const scope = scopeOf(program, path);
    const before = spawnedBefore(scope.records[name]);
    const isRestart = before !== undefined && attempt > before.attempt;
    if (isRestart && program.doubts.length > 0) forgetDoubts(program, insideChild(key));
    const restartedAt = [...(before?.restartedAt ?? []), ...(isRestart ? [at] : [])].slice(-RESTARTS_KEPT);
    if (isRestart) forgetAttempt(scope, name, before.attempt);
    scope.records[name] = {
      kind: "spawned",
      input,
      attempt,
      ...(restartedAt.length === 0 ? {} : { restartedAt }),
    };
  },
  /** A child that succeeded is one value: what happened inside is not asked for again. One that failed may be reopened. */
  BodyChildEnded(state: RunState, data: EventData<"BodyChildEnded">, place: Place): void {
    const { scope: path, record: name } = splitKey(data.key);
    const program = programOf(state);
    if (program.doubts.length > 0) forgetDoubts(program, insideChild(data.key));
    const scope = scopeOf(program, path);
    const begun = spawnedBefore(scope.records[name]);
    const end = ended("BodyChildEnded", data.ended, place);
    scope.records[name] =
      begun === undefined ? end : end.kind === "error" ? { ...end, begun } : { ...end, input: begun.input };
    if (end.kind === "value") forgetAttempt(scope, name, begun?.attempt ?? 1);
  },
  BodyLooped(state: RunState, { key, i, patch, done }: EventData<"BodyLooped">): void {
    const { scope: path, record: name } = splitKey(key);
    const program = programOf(state);
    if (program.doubts.length > 0) forgetDoubts(program, insideIteration(key, i));
    const scope = scopeOf(program, path);
    const before = scope.records[name];
    const previous = before?.kind === "looped" ? before.state : undefined;
    scope.records[name] = { kind: "looped", i, state: patchState(previous, patch as StatePatch), done };
    const iteration = iterationScope(name, i);
    if (scopeIn(scope, iteration) !== undefined) Reflect.deleteProperty(scope.scopes, iteration);
  },
  BodyLogged(): void {
    // For people; the workflow function does not ask for it again.
  },
  /** The budget scopes are moved beside this; here is only kept which spendings are known. */
  BodySpent(state: RunState, { scope, n }: EventData<"BodySpent">): void {
    if (n === undefined) return;
    const spender = scopeOf(programOf(state), scope === "" ? [] : scope.split("/"));
    spender.spends = Math.max(spender.spends ?? 0, n + 1);
  },
  BodyBudgetSet(state: RunState, { budget }: EventData<"BodyBudgetSet">): void {
    state.budget = budget;
  },
};

export const newProgram = ({
  body: program,
  version,
  input,
  budget,
  limits,
}: EventData<"BodyCreated">): ProgramState => ({
  name: program,
  ...(version === undefined ? {} : { version }),
  input,
  root: newProgramScope(),
  signals: {},
  doubts: [],
  doubtsAt: {},
  budgets: { [RUN_BUDGET]: newBudgetScope(budget) },
  limits: limits ?? {},
});
