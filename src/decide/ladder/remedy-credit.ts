import type { LadderState } from "../../model/agent/ladder.ts";
import type { AttemptState } from "../../model/state/run-state.ts";

/**
 * Which remedy is credited when trouble is over. A remedy helped only if progress was seen after it took effect and
 * before anything else was done; where that cannot be shown, the outcome says so.
 */
export interface Credit {
  readonly outcome: "helped" | "unclear";
  readonly why: string;
}

/** Null while the trouble lasts, or the remedy has not taken effect yet. */
export function creditFor(ladder: LadderState, { assessed, health }: AttemptState): Credit | null {
  const isWell = assessed.state !== "stuck" && assessed.state !== "degraded";
  if (!isWell || health.progressAt <= Math.max(ladder.takenAt, health.startedAt)) return null;
  const doubt = doubtOf(ladder);
  if (doubt !== null) return unclear(`progress was seen, but ${doubt}`);
  if (ladder.effectAt === null || health.progressAt <= ladder.effectAt) return null;
  return helped(
    ladder.taken.remedy === "warn"
      ? "progress was seen after it and before any other remedy: the agent recovered by itself"
      : "progress was seen after it and before any other remedy",
  );
}

/** An attempt that succeeds ends the trouble of its step. */
export function creditForSuccess(ladder: LadderState): Credit {
  const doubt = doubtOf(ladder);
  if (doubt !== null) return unclear(`the attempt succeeded, but ${doubt}`);
  return ladder.effectAt === null
    ? unclear("the attempt succeeded before it took effect")
    : helped("the attempt succeeded after it and before any other remedy");
}

function doubtOf({ outcome, meanwhile }: LadderState): string | null {
  if (outcome !== null) return "only after it was found not to help";
  return meanwhile === null ? null : `${meanwhile} since it was tried`;
}

const helped = (why: string): Credit => ({ outcome: "helped", why });
const unclear = (why: string): Credit => ({ outcome: "unclear", why: `${why}: nothing shows what helped` });
