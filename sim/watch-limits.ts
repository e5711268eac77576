import { budgetRooms } from "../src/decide/budget-room.ts";
import type { Watcher } from "./replay.ts";

/** Nothing begins on money that others at work have set aside, and total = free + reserved + spent throughout. */
export function budgetsConserved(): Watcher {
  return {
    see({ event, state }, say) {
      for (const { kind, total, free, reserved, spent } of budgetRooms(state, event.at))
        if (Math.abs(total - free - reserved - spent) > 1e-6 || reserved < 0)
          say(`${kind} is not conserved at ${String(event.seq)}`);
      if (event.type !== "AttemptStarted" || state.budget.onExceed === "warn") return;
      const isAlone = Object.keys(state.attempts).length === 1;
      for (const { kind, free } of budgetRooms(state, event.at))
        if (!isAlone && free < -1e-6)
          say(`${event.data.attempt} began at ${String(event.seq)} on ${kind} that others have set aside`);
    },
  };
}

/** The run's own time is counted anew here: a limit is never reached early, and nothing begins after it. */
export function timeKept(): Watcher {
  let usedMs = 0;
  let since: number | null = null;
  return {
    see({ event, state }, say) {
      const { type, at, data } = event;
      const { runMs } = state.settings.time;
      const used = usedMs + (since === null ? 0 : Math.max(0, at - since));
      if (type === "RunBlocked" && data.blocked.reason === "timeout" && data.blocked.step === undefined)
        if (/^the run has worked/.test(data.blocked.detail) && used < (runMs ?? Infinity))
          say(`the run's time was over at ${String(event.seq)} before its limit`);
      if (type === "AttemptStarted" && used >= (runMs ?? Infinity))
        say(`${data.attempt} began at ${String(event.seq)} after the run's time was over`);
      if (state.status === "running") since ??= at;
      else if (since !== null) {
        usedMs += Math.max(0, at - since);
        since = null;
      }
    },
  };
}
