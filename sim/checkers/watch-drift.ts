import type { Watcher } from "../world/replay.ts";

/** No agent begins on a base that was rewritten while none was at work, unless somebody has said what becomes of it. */
export function baseIsSettled(): Watcher {
  let refused: string | null = null;
  return {
    see({ event: { type, data, seq }, state }, say) {
      if (type === "DriftFound") {
        const isPersons = data.attempts.length === 0 && state.workspace.worktree === null;
        refused = isPersons && data.head.relation !== "forward" ? (data.head.commit ?? "nothing") : null;
      }
      if (
        type === "BaseNoted" ||
        type === "StepsReissued" ||
        type === "RunUnblocked" ||
        type === "RunResumed"
      )
        refused = null;
      if (type === "AttemptStarted" && refused !== null)
        say(`${data.attempt} begins at ${String(seq)} on ${refused}, which nobody has accepted`);
      if (type === "StepsReissued")
        for (const step of data.steps)
          if (state.steps[step] === undefined) say(`${step} is given out anew and is no step`);
    },
  };
}
