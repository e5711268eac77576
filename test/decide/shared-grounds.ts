import { evolveGround, newGround } from "../../src/decide/evolve-ground.ts";
import { groundsOf } from "../../src/decide/grounds.ts";
import { newsOf } from "../../src/decide/ground-news.ts";
import { judgeGround } from "../../src/decide/judge-ground.ts";
import type { RunEvent } from "../../src/model/events.ts";
import type { GroundFact, GroundRules, GroundState } from "../../src/model/ground.ts";
import type { RunState } from "../../src/model/run-state.ts";
import { takeTurn } from "../../src/runtime/take-turn.ts";

/** What several runs of a test stand on: facts are folded and judged as they are in a store, without one. */
export class SharedGrounds {
  readonly #states = new Map<string, GroundState>();

  of(ground: string): GroundState {
    const known = this.#states.get(ground) ?? newGround(ground);
    this.#states.set(ground, known);
    return known;
  }

  tell(ground: string, fact: GroundFact, rules: GroundRules, at: number): RunEvent[] {
    const state = this.of(ground);
    if (state.known.includes(fact.key)) return [];
    const fold = (event: RunEvent): void => evolveGround(state, event, { seq: state.seq + 1, at });
    fold({ type: "GroundTold", data: { fact } });
    const decided = judgeGround(state, fact, rules, at);
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
      for (const ground of groundsOf(run)) {
        const news = newsOf(this.of(ground), run.run);
        if (JSON.stringify(news) !== JSON.stringify(run.grounds[ground]?.news))
          events.push(...takeTurn(run, [{ type: "GroundHeard", data: { ground, news } }], at));
      }
    return events;
  }
}
