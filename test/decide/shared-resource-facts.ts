import {
  evolveSharedResource,
  newSharedResource,
} from "../../src/decide/resources/evolve-shared-resource.ts";
import { sharedResourcesOf } from "../../src/decide/resources/shared-resources.ts";
import { newsOf } from "../../src/decide/resources/shared-resource-news.ts";
import { decideResource } from "../../src/decide/resources/decide-shared-resource.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import type {
  SharedResourceFact,
  SharedResourceRules,
  SharedResourceState,
} from "../../src/model/host/shared-resource.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { takeTurn } from "../../src/runtime/take-turn.ts";

/** What several runs of a test stand on: facts are folded and judged as they are in a store, without one. */
export class SharedResourceFacts {
  readonly #states = new Map<string, SharedResourceState>();

  of(resource: string): SharedResourceState {
    const known = this.#states.get(resource) ?? newSharedResource(resource);
    this.#states.set(resource, known);
    return known;
  }

  tell(resource: string, fact: SharedResourceFact, rules: SharedResourceRules, at: number): RunEvent[] {
    const state = this.of(resource);
    if (state.known.includes(fact.key)) return [];
    const fold = (event: RunEvent): void => evolveSharedResource(state, event, { seq: state.seq + 1, at });
    fold({ type: "GroundTold", data: { fact } });
    const decided = decideResource(state, fact, rules, at);
    decided.forEach(fold);
    return decided;
  }

  /** Performs what a run wants to tell, and lets every run of the test hear it. */
  spread(runs: readonly RunState[], at: number): RunEvent[] {
    const events: RunEvent[] = [];
    for (const run of runs)
      for (const [key, effect] of Object.entries(run.effects)) {
        if (effect.kind !== "TellGround") continue;
        this.tell(effect.ground, effect.fact, effect.rules, at);
        const news = newsOf(this.of(effect.ground), run.run);
        const settled = { type: "EffectSettled", data: { key, outcome: { kind: "done", news } } } as const;
        events.push(...takeTurn(run, [settled], at));
      }
    for (const run of runs)
      for (const resource of sharedResourcesOf(run)) {
        const news = newsOf(this.of(resource), run.run);
        if (JSON.stringify(news) !== JSON.stringify(run.sharedResources[resource]?.news))
          events.push(...takeTurn(run, [{ type: "GroundHeard", data: { ground: resource, news } }], at));
      }
    return events;
  }
}
