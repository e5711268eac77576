import { iterationScope, splitKey } from "../model/body-key.ts";
import {
  newBodyScope,
  signalsOf,
  type BodyRecord,
  type BodyScope,
  type BodyState,
} from "../model/body-state.ts";
import type { EventData } from "../model/events.ts";
import { promise } from "../model/fault.ts";
import type { RunState } from "../model/run-state.ts";
import { patchState, type StatePatch } from "../model/state-patch.ts";

const bodyOf = (state: RunState): BodyState => {
  promise(state.body !== null, `the journal of ${state.run} speaks of a body that it does not have`);
  return state.body;
};

/** The scope a key lies in, made where it is missing. */
function scopeOf(body: BodyState, path: readonly string[]): BodyScope {
  return path.reduce((scope, name) => (scope.scopes[name] ??= newBodyScope()), body.root);
}

function record(state: RunState, key: string, value: BodyRecord): BodyScope {
  const { scope: path, record: name } = splitKey(key);
  const scope = scopeOf(bodyOf(state), path);
  scope.records[name] = value;
  return scope;
}

const ended = (end: EventData<"BodyStepEnded">["ended"]): BodyRecord =>
  end.kind === "value" ? { kind: "value", value: end.value } : { kind: "error", error: end.error };

/** The part of the fold that concerns bodies: what the body asked for and was answered. */
export const evolveBody = {
  BodyStepIntended(state: RunState, { key }: EventData<"BodyStepIntended">): void {
    record(state, key, { kind: "intended" });
  },
  BodyStepEnded(state: RunState, data: EventData<"BodyStepEnded">): void {
    record(state, data.key, ended(data.ended));
  },
  BodyStepCleared(state: RunState, { key }: EventData<"BodyStepCleared">): void {
    const { scope, record: name } = splitKey(key);
    Reflect.deleteProperty(scopeOf(bodyOf(state), scope).records, name);
  },
  BodyDrew(state: RunState, { key, value }: EventData<"BodyDrew">): void {
    record(state, key, { kind: "drew", value });
  },
  BodySlept(state: RunState, { key, until }: EventData<"BodySlept">): void {
    record(state, key, { kind: "slept", until });
  },
  BodyWaited(state: RunState, { key, name, until }: EventData<"BodyWaited">): void {
    record(state, key, { kind: "waiting", name, until });
  },
  BodySignalled(state: RunState, { name, value }: EventData<"BodySignalled">): void {
    const body = bodyOf(state);
    const queue = [...signalsOf(body, name), value];
    // Not assigned: `__proto__` may be a signal's name.
    Object.defineProperty(body.signals, name, {
      value: queue,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  },
  BodyWaitEnded(state: RunState, { key, timedOut, value }: EventData<"BodyWaitEnded">): void {
    const { scope, record: name } = splitKey(key);
    const waiting = scopeOf(bodyOf(state), scope).records[name];
    if (!timedOut && waiting?.kind === "waiting") signalsOf(bodyOf(state), waiting.name).shift();
    record(state, key, { kind: "waited", timedOut, value });
  },
  BodySpawned(state: RunState, { key, input, attempt }: EventData<"BodySpawned">): void {
    record(state, key, { kind: "spawned", input, attempt });
  },
  /** A child that succeeded is one value: what happened inside is not asked for again. One that failed may be reopened. */
  BodyChildEnded(state: RunState, data: EventData<"BodyChildEnded">): void {
    const { record: name } = splitKey(data.key);
    const scope = record(state, data.key, ended(data.ended));
    if (data.ended.kind === "error") return;
    for (const inner of Object.keys(scope.scopes))
      if (inner === name || inner.startsWith(`${name}@`)) Reflect.deleteProperty(scope.scopes, inner);
  },
  BodyLooped(state: RunState, { key, i, patch, done }: EventData<"BodyLooped">): void {
    const { scope: path, record: name } = splitKey(key);
    const scope = scopeOf(bodyOf(state), path);
    const before = scope.records[name];
    const previous = before?.kind === "looped" ? before.state : undefined;
    scope.records[name] = { kind: "looped", i, state: patchState(previous, patch as StatePatch), done };
    Reflect.deleteProperty(scope.scopes, iterationScope(name, i));
    bodyOf(state).spent.iterations += 1;
  },
  BodyLogged(): void {
    // For people; the body does not ask for it again.
  },
  BodySpent(state: RunState, data: EventData<"BodySpent">): void {
    const { spent } = bodyOf(state);
    spent.tokens += data.tokens;
    spent.usd += data.usd;
    spent.iterations += data.iterations;
  },
  BodyBudgetSet(state: RunState, { budget }: EventData<"BodyBudgetSet">): void {
    state.budget = budget;
  },
};

export const newBody = ({ body, input }: EventData<"BodyCreated">): BodyState => ({
  name: body,
  input,
  root: newBodyScope(),
  signals: {},
  spent: { tokens: 0, usd: 0, iterations: 0 },
});
