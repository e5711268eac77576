import { isDeepStrictEqual } from "node:util";
import type { Handed } from "../../src/model/effects/artifact.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import type { Watcher } from "../world/replay.ts";
import type { Witness } from "../world/witness.ts";

/** A step with declared outputs is done only once they are kept; an agent is given exactly those of the steps before. */
export function deliveredFirst({ artifacts }: Witness): Watcher {
  const registered = new Map<string, string>();
  return {
    see({ event: { type, data, seq }, state }, say) {
      if (type === "ArtifactsRegistered") {
        registered.set(data.step, data.attempt);
        for (const { path, digest } of data.artifacts)
          if (!artifacts.holds(digest)) say(`${path} is registered at ${String(seq)} and was never kept`);
      }
      if (type === "StepSucceeded") {
        const declared = state.steps[data.step]?.spec.outputs ?? [];
        if (declared.length > 0 && registered.get(data.step) !== data.attempt)
          say(`${data.step} is done at ${String(seq)} and has not delivered its outputs`);
      }
      if (type === "EffectIntended" && data.effect.kind === "StartAgent") {
        const given = data.effect.artifacts ?? [];
        if (!isDeepStrictEqual(sorted(given), sorted(dueTo(state, data.effect.step))))
          say(`${data.effect.attempt} is given other files at ${String(seq)} than its needs have delivered`);
      }
    },
  };
}

const sorted = (handed: readonly Handed[]): string[] => handed.map((one) => JSON.stringify(one)).sort();

function dueTo(state: RunState, name: string): Handed[] {
  const asked = state.steps[name]?.spec.inputs;
  if (asked !== undefined)
    return asked.flatMap(({ step, output }) =>
      (state.artifacts[step] ?? [])
        .filter(({ path }) => path === output)
        .map(({ path, digest, bytes }) => ({ path, digest, bytes, step })),
    );
  const steps = new Set<string>();
  for (const todo = [name]; todo.length > 0;) {
    const needs = state.steps[todo.pop() ?? ""]?.spec.needs ?? [];
    for (const need of needs) if (!steps.has(need)) todo.push(need);
    for (const need of needs) steps.add(need);
  }
  return [...steps].flatMap((step) =>
    (state.artifacts[step] ?? []).map(({ path, digest, bytes }) => ({ path, digest, bytes, step })),
  );
}
