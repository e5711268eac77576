import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { dayOf } from "../../model/text/utc-day.ts";
import { continuousAddress } from "../../model/continuous/continuous-spec.ts";
import { jittered } from "../dispatch/jitter.ts";
import type { ContinuousFacts } from "./continuous-facts.ts";
import { goalsOf, issuedGoals, leftOver } from "./goal-runs.ts";
import { blockingRuns } from "./raise-rule.ts";
import { nextDayAt, sessionSpent } from "./session-room.ts";

type Digest = ContinuousState["digest"];
type Notice = Digest["open"][number]["notice"];

const NAMES_MAX = 20;
const TEXT_CHARS_MAX = 300;

/** A try at a channel: an outcome that is known by this is of this try and no other. */
export const tryOf = ({ notice, channel, tries }: Digest["open"][number]): string =>
  `${notice.id}/${channel}/${String(tries + 1)}`;

/**
 * Once a day (UTC) people get a notice of what a session has done, what blocks it, what it has spent and what is left: in the
 * first turn of the next day. Each channel is tried again under one id until it has taken it, or its tries are used up.
 */
export function digestRule(state: ContinuousState, { now, tried }: ContinuousFacts): RunEvent[] {
  const { notify } = state.spec ?? {};
  if (notify === undefined) return [];
  for (const open of state.digest.open) {
    const outcome = tried?.get(tryOf(open));
    if (outcome === undefined) continue;
    const { id } = open.notice;
    const about = { id, channel: open.channel, text: outcome.text.slice(0, TEXT_CHARS_MAX) };
    const isLast = outcome.kind === "failed" && (outcome.terminal || open.tries + 1 >= notify.tries);
    if (outcome.kind === "delivered" || isLast)
      return [{ type: "DigestTried", data: { ...about, delivered: outcome.kind === "delivered" } }];
    const waitMs = jittered(
      Math.min(notify.retryCapMs, notify.retryMs * 2 ** Math.min(open.tries, 30)),
      tryOf(open),
    );
    return [{ type: "DigestTried", data: { ...about, delivered: false, notBefore: now + waitMs } }];
  }
  const channels = Object.keys(notify.channels);
  const day = digestDay(state);
  if (channels.length === 0 || state.stop !== null || dayOf(now) <= day) return [];
  return [{ type: "DigestQueued", data: { day, channels, notice: digestOf(state, day, now) } }];
}

/** When time alone has a digest made or sent; Infinity where there is none to come. */
export function digestDueAt(state: ContinuousState, now: number): number {
  const channels = Object.keys(state.spec?.notify?.channels ?? {});
  if (channels.length === 0 || state.stop !== null) return Infinity;
  const sends = state.digest.open.map(({ notBefore }) => notBefore);
  return Math.min(...sends, dayOf(now) > digestDay(state) ? now : nextDayAt(now));
}

/** The day that a digest is about next. */
const digestDay = ({ digest, begunAt }: ContinuousState): string => digest.day ?? dayOf(begunAt);

function digestOf(state: ContinuousState, day: string, now: number): Notice {
  const blocking = issuedGoals(state).filter(({ run }) => blockingRuns(state).includes(run));
  const command = blocking[0]?.run.waits?.command ?? null;
  return {
    id: `${state.name}.digest.${day}`,
    at: now,
    kind: "digest",
    run: continuousAddress(state.name),
    title: `${state.name}: ${day}`,
    text: [
      ...endsText(state),
      ...blocking.map(
        ({ run: { run, waits } }) =>
          `blocked: ${run} (${waits?.reason ?? ""}: ${(waits?.detail ?? "").slice(0, TEXT_CHARS_MAX)}); holdfast ${(waits?.command ?? []).join(" ")}`,
      ),
      spentText(state, day),
      leftText(leftOver(state)),
    ].join("\n"),
    reason: blocking[0]?.run.waits?.reason ?? null,
    owner: null,
    command: command === null ? null : `holdfast ${command.join(" ")}`,
    escalation: null,
  };
}

/** What has ended since the last digest, by how it ended. */
function endsText(state: ContinuousState): string[] {
  const ended = goalsOf(state).flatMap(({ goal, end, isPlan }) =>
    end === null || isPlan || end.at < state.digest.at ? [] : [{ id: goal.id, kind: end.kind }],
  );
  const kinds = [...new Set(ended.map(({ kind }) => kind))];
  if (kinds.length === 0) return ["done: nothing"];
  return kinds.map((kind) => {
    const ids = ended.filter((one) => one.kind === kind).map(({ id }) => id);
    return `${kind.replaceAll("_", " ")}: ${String(ids.length)} (${listed(ids)})`;
  });
}

function spentText(state: ContinuousState, day: string): string {
  const { total, day: of } = sessionSpent(state, state.at, day);
  const limit = state.spec?.budget.usd;
  return `spent: $${of.usd.toFixed(2)} and ${String(of.tokens)} tokens that day; $${total.usd.toFixed(2)}${limit === undefined ? "" : ` of $${limit.toFixed(2)}`} in all, ${String(state.runs)} runs`;
}

const leftText = (left: readonly string[]): string =>
  left.length === 0 ? "left: nothing" : `left: ${String(left.length)} (${listed(left)})`;

const listed = (ids: readonly string[]): string =>
  `${ids.slice(0, NAMES_MAX).join(", ")}${ids.length > NAMES_MAX ? ", …" : ""}`;
