import { en } from "../../../text/en.ts";
import { clockText, spanText } from "../../../ui/time-text.ts";
import type { Fold } from "./layout/layout-folds.ts";

/** `2 h waiting for quota until 19:00`. */
export function foldLabel({ from, to, kind, reason }: Fold, now: number): string {
  const { timeline } = en.run;
  const why =
    kind === "idle" || reason === null
      ? timeline.idle
      : kind === "wait"
        ? timeline.waitingFor(reason)
        : kind === "blocked"
          ? timeline.blocked(reason)
          : timeline.paused;
  return timeline.folded(spanText(to - from), why, clockText(to, now));
}
