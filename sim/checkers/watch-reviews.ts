import type { Effect } from "../../src/model/effects/effects.ts";
import type { Recorded } from "../../src/model/events/events.ts";
import type { Watcher } from "../world/replay.ts";
import type { Witness } from "../world/witness.ts";

type AskReview = Extract<Effect, { kind: "AskReview" }>;

/** A step with reviewers is done only after each of them has really said so of that very attempt, in order. */
export function reviewedBeforeDone({ agents }: Witness): Watcher {
  const asked = new Map<string, AskReview>();
  const passes = new Map<string, string[]>();
  return {
    see({ event, state }, say) {
      const { type, data, run, seq } = event;
      if (type === "EffectIntended" && data.effect.kind === "AskReview") asked.set(data.key, data.effect);
      if (type === "EffectSettled" && data.outcome.kind === "done" && data.outcome.review !== undefined) {
        const { verdict } = data.outcome.review;
        const effect = asked.get(data.key);
        if (effect === undefined) return;
        const said = agents
          .advisersOf(run)
          .filter(({ order }) => order.session === effect.session)
          .some((session) =>
            session.saidAll().some((one) => one.kind === "result" && one.text.includes(`"${verdict}"`)),
          );
        if (verdict !== "none" && !said)
          say(`${data.key} is written as "${verdict}" at ${String(seq)}, which nobody said`);
        if (verdict === "pass")
          passes.set(effect.attempt, [...(passes.get(effect.attempt) ?? []), effect.agent]);
      }
      if (type !== "StepSucceeded") return;
      const wanted = state.steps[data.step]?.spec.reviewers ?? [];
      const found = passes.get(data.attempt) ?? [];
      if (!wanted.every((agent, index) => found[index] === agent))
        say(
          `${data.attempt} is done at ${String(seq)} after ${found.join(", ") || "nobody"} of ${wanted.join(", ")}`,
        );
    },
  };
}

/** A run that has ended has left nobody at work, and no copy of its work. */
export function advisersLeave(events: readonly Recorded[], { agents, workspace, isOver }: Witness): string[] {
  const run = events[0]?.run ?? "";
  const last = events.findLast(({ type }) => STATUS_EVENTS.has(type));
  if (last === undefined) return [];
  const left = agents.advisersOf(run).filter((session) => session.inside === null && !isOver(session));
  const copies = [...workspace.copies].filter((key) => key.startsWith(`${run}/`));
  return [
    ...left.map(({ order }) => `${order.session} is still at work`),
    ...copies.map((key) => `the copy of ${key} is still there`),
  ];
}

const STATUS_EVENTS: ReadonlySet<string> = new Set(["RunCompleted", "RunFailed", "RunCancelled"]);
