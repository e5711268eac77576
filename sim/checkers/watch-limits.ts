import { budgetRoom } from "../../src/decide/budget/budget-room.ts";
import type { EventData } from "../../src/model/events/events.ts";
import type { Moment, Say, Watcher } from "../world/replay.ts";

const COUNTED = ["usd", "tokens"] as const;
type Counted = Record<(typeof COUNTED)[number], number>;

/**
 * Money and tokens are counted anew here, from what agents were heard to use and what their attempts set aside: the run
 * says the same of itself, and nothing is set aside that is spent or that others count on.
 */
export function budgetsConserved(): Watcher {
  const spent: Counted = { usd: 0, tokens: 0 };
  const live = new Map<string, { readonly reserved: Partial<Counted>; readonly spent: Counted }>();
  const reservedOf = (kind: keyof Counted): number =>
    [...live.values()].reduce(
      (sum, one) => sum + Math.max(0, (one.reserved[kind] ?? 0) - one.spent[kind]),
      0,
    );
  const use = (attempt: string, signals: EventData<"SignalsHeard">["signals"]): void => {
    const one = live.get(attempt);
    if (one === undefined) return;
    for (const signal of signals) {
      if (signal.kind !== "usage") continue;
      const used = { usd: signal.usd ?? 0, tokens: (signal.tokensIn ?? 0) + (signal.tokensOut ?? 0) };
      for (const purse of [spent, one.spent]) for (const kind of COUNTED) purse[kind] += used[kind];
    }
  };
  const begin = ({ attempt, reserved = {} }: EventData<"AttemptStarted">, moment: Moment, say: Say): void => {
    const { budget } = moment.state;
    for (const kind of COUNTED) {
      const total = budget.onExceed === "warn" ? undefined : budget[kind];
      if (total === undefined) continue;
      const free = total - spent[kind] - reservedOf(kind);
      if ((reserved[kind] ?? 0) > Math.max(0, free) + 1e-6)
        say(`${attempt} sets ${kind} aside at ${String(moment.event.seq)} that are spent or of others`);
    }
    live.set(attempt, { reserved, spent: { usd: 0, tokens: 0 } });
  };
  return {
    see(moment, say) {
      const { event, state } = moment;
      if (event.type === "AttemptStarted") begin(event.data, moment, say);
      if (event.type === "SignalsHeard") use(event.data.attempt, event.data.signals);
      if (event.type === "AttemptEnded") live.delete(event.data.attempt);
      if (event.type === "EffectSettled" && event.data.outcome.kind !== "in_doubt") {
        const { outcome } = event.data;
        const told =
          outcome.kind === "done" ? [outcome.review, outcome.triage, outcome.used] : [outcome.used];
        for (const kind of COUNTED) for (const one of told) spent[kind] += one?.[kind] ?? 0;
      }
      if (!TELLING.has(event.type)) return;
      for (const kind of COUNTED)
        if (Math.abs(state.spent[kind] - spent[kind]) > 1e-6)
          say(`${String(spent[kind])} ${kind} are spent at ${String(event.seq)}, and the run says otherwise`);
      for (const { kind, total, free, reserved } of budgetRoom(state, event.at)) {
        if (kind !== "usd" && kind !== "tokens") continue;
        const own = reservedOf(kind);
        if (Math.abs(reserved - own) > 1e-6 || Math.abs(total - own - spent[kind] - free) > 1e-6)
          say(`${kind} is not conserved at ${String(event.seq)}`);
      }
    },
  };
}

/** What moves money. */
const TELLING: ReadonlySet<string> = new Set([
  "AttemptStarted",
  "SignalsHeard",
  "AttemptEnded",
  "RunBudgetSet",
]);

/** The run's own time is counted anew here: a limit is never reached early, and nothing begins after it. */
export function timeKept(): Watcher {
  let usedMs = 0;
  let since: number | null = null;
  return {
    see({ event, state }, say) {
      const { type, at, data } = event;
      const { runMs } = state.settings.time;
      // Time that nobody worked, or that was not there.
      if (type === "ClockJumped" && since !== null) since += data.byMs;
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
