import type { EventData } from "../../src/model/events/events.ts";
import { isPolicyAbout, type Policy } from "../../src/model/flow/policy.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import type { Moment, Say, Watcher } from "../world/replay.ts";
import type { Witness } from "../world/witness.ts";

const occasion = (hook: string, point: string, subject: string): string => `${hook}@${point}/${subject}`;

/**
 * A step begins, and its work is accepted, only after every hook of that moment has let it pass, or a person has. A
 * hook that does not bear it is really called once for one occasion, whoever dies meanwhile.
 */
export function hooksKept({ quality }: Witness): Watcher {
  const passed = new Set<string>();
  const asked = new Set<string>();
  const calls = new Map<string, EventData<"EffectIntended">["effect"]>();
  const judged = (
    { hook, point, subject, outcome }: EventData<"HookJudged">,
    seq: number,
    say: Say,
  ): void => {
    const key = occasion(hook, point, subject);
    const isCalled = [...calls.values()].some((call) => call.kind === "RunHook" && call.hookKey === key);
    if (!isCalled) say(`${key} is judged at ${String(seq)} and was never called`);
    if (outcome === "passed" || outcome === "warned") passed.add(key);
    else asked.add(key);
  };
  const must = (
    state: RunState,
    point: string,
    { attempt, step }: { attempt: string; step: string },
  ): string[] =>
    state.settings.hooks
      .filter((hook) => hook.at === point && (hook.step ?? step) === step)
      .map(({ name }) => occasion(name, point, attempt))
      .filter((key) => !passed.has(key));
  return {
    see({ event: { type, data, seq, run }, state }, say) {
      if (type === "EffectIntended" && data.effect.kind === "RunHook") {
        calls.set(data.key, data.effect);
        if (!data.effect.hook.idempotent && (quality.begun.get(`${run}/${data.key}`) ?? 0) > 1)
          say(`${data.key} is called twice and does not bear it`);
      }
      if (type === "EffectSettled" && data.outcome.kind === "in_doubt") {
        const call = calls.get(data.key);
        if (call?.kind === "RunHook") asked.add(call.hookKey);
      }
      if (type === "HookJudged") judged(data, seq, say);
      if (type === "RunUnblocked" || type === "RunResumed") for (const key of asked) passed.add(key);
      if (type === "AttemptStarted")
        for (const key of must(state, "before_dispatch", data))
          say(`${data.attempt} began at ${String(seq)} and ${key} was not asked`);
      if (type === "StepSucceeded")
        for (const key of must(state, "before_acceptance", data))
          say(`${data.attempt} is accepted at ${String(seq)} and ${key} was not asked`);
    },
  };
}

/** What a rule forbids is not begun, unless a person has let that step pass it. */
export function policiesKept(): Watcher {
  const asked = new Set<string>();
  const passed = new Set<string>();
  const row: string[] = [];
  const before = new Map<string, string>();
  const isAgainst = (policy: Policy, { state, event }: Moment): boolean => {
    if (event.type !== "AttemptStarted") return false;
    const { forbidsAgent, requires, sameInARow } = policy;
    const who = state.steps[event.data.step]?.spec.agent ?? "";
    if (forbidsAgent !== undefined) return forbidsAgent === who;
    if (requires !== undefined) return before.get(requires.step) !== requires.status;
    if (sameInARow === undefined || row.length < sameInARow) return false;
    return row.slice(-sameInARow).every((one) => one === who);
  };
  const begin = (moment: Moment, step: string, say: Say): void => {
    const spec = moment.state.steps[step]?.spec;
    if (spec === undefined) return;
    for (const policy of moment.state.settings.policies)
      if (policy.then !== "warn" && isPolicyAbout(policy, spec) && !passed.has(`${policy.name}/${step}`))
        if (isAgainst(policy, moment))
          say(`${step} began at ${String(moment.event.seq)} against the policy ${policy.name}`);
    row.push(spec.agent);
  };
  return {
    see(moment, say) {
      const { type, data } = moment.event;
      if (type === "AttemptStarted") begin(moment, data.step, say);
      if (type === "PolicyApplied" && data.then !== "warn") asked.add(`${data.policy}/${data.step}`);
      if (type === "RunUnblocked" || type === "RunResumed") for (const key of asked) passed.add(key);
      // Only those that a policy asks about: a look at every step after every event would take longer than the life.
      for (const { requires } of moment.state.settings.policies) {
        const status = requires === undefined ? undefined : moment.state.steps[requires.step]?.status;
        if (requires !== undefined && status !== undefined) before.set(requires.step, status);
      }
    },
  };
}
