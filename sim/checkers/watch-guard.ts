import type { GuardReport } from "../../src/model/flow/protected.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import type { Watcher } from "../world/replay.ts";
import type { Witness } from "../world/witness.ts";

const isGuarded = ({ settings }: RunState): boolean => settings.protected.paths.length > 0;

/** Agents begin, and their work is accepted, only after protected files were found, or brought back, as trusted. */
export function guardedFirst({ guard }: Witness): Watcher {
  const looks = new Set<string>();
  /** Looks that began after the attempt had ended and went well, and whether the last one did. */
  const began = new Map<string, number>();
  const ended = new Map<string, number>();
  let wellSince = -1;
  let last: GuardReport | null = null;
  const isWell = (report: GuardReport): boolean => report.count === 0 || report.undone;
  return {
    see({ event: { type, data, seq }, state }, say) {
      if (!isGuarded(state)) return;
      if (type === "EffectIntended" && data.effect.kind === "GuardFiles") {
        looks.add(data.key);
        began.set(data.key, seq);
      }
      if (type === "EffectSettled" && looks.has(data.key) && data.outcome.kind === "done") {
        last = data.outcome.guard ?? null;
        if (last !== null && !guard.hasReported(last))
          say(`${data.key} tells at ${String(seq)} what no look has shown`);
        if (last !== null && isWell(last)) wellSince = began.get(data.key) ?? -1;
      }
      if (type === "AttemptEnded") ended.set(data.attempt, seq);
      if (type === "AttemptStarted" && (last === null || !isWell(last)))
        say(`${data.attempt} begins at ${String(seq)} among protected files that are not as trusted`);
      if (type === "StepSucceeded" && wellSince < (ended.get(data.attempt) ?? Infinity))
        say(`${data.attempt} is accepted at ${String(seq)} and its protected files were not looked at`);
    },
  };
}
