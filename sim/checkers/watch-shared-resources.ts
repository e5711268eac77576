import { accountOf } from "../../src/model/agent/account.ts";
import type { Effect } from "../../src/model/effects/effects.ts";
import type { EventData, Recorded } from "../../src/model/events/events.ts";
import type { SharedResourceNews } from "../../src/model/host/shared-resource.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { exactKey } from "../../src/model/text/text-key.ts";
import { stepOfAttempt, type Watcher } from "../world/replay.ts";
import type { Witness } from "../world/witness.ts";

/** Nothing is started on a ground of which the run has heard that it is paused, nor made ready in such a repository. */
export function nothingIntoPauses(): Watcher {
  const heard = new Map<string, SharedResourceNews>();
  const telling = new Map<string, string>();
  const waived = new Map<string, number>();
  let host: string | null = null;
  let letGoAt = 0;
  const standing = (ground: string, at: number): SharedResourceNews["pause"] => {
    const pause = heard.get(ground)?.pause ?? null;
    const isOver = pause === null || pause.reopenedAt !== null || at >= pause.until;
    return isOver || waived.get(ground) === pause.id ? null : pause;
  };
  const repositoryOf = ({ workspace }: RunState): string =>
    `repository:${host ?? "nobody"}:${workspace.repository}`;
  const groundsOf = (state: RunState, agent: string): string[] => {
    const spec = state.agents[agent];
    const account = spec === undefined ? null : accountOf(spec);
    return [...(account === null ? [] : [`account:${account}`]), ...(host === null ? [] : [`host:${host}`])];
  };
  return {
    see({ event, state }, say) {
      const { type, data, seq, at } = event;
      if (type === "RunClaimed") host = data.host ?? null;
      if (type === "GroundHeard") heard.set(data.ground, data.news);
      if (type === "ClockJumped") movePauses(heard, data);
      if (type === "EffectIntended" && data.effect.kind === "TellGround")
        telling.set(data.key, data.effect.ground);
      if (type === "EffectSettled") {
        const ground = telling.get(data.key);
        const news = data.outcome.kind === "done" ? data.outcome.news : undefined;
        if (ground !== undefined && news !== undefined) heard.set(ground, news);
      }
      const repository = repositoryOf(state);
      const known = heard.get(repository)?.pause ?? null;
      // Who was let go on by a person need not wait for the repository, though the run hears of its pause only then.
      if (type === "RunUnblocked") letGoAt = at;
      if (known !== null && (type === "RunUnblocked" || known.since <= letGoAt))
        waived.set(repository, known.id);
      const broken = standing(repository, at);
      if (type === "EffectIntended" && isMadeReady(state, data.effect) && broken?.about === "place")
        say(`a place is made ready at ${String(seq)} although ${repository} is paused`);
      if (type !== "AttemptStarted") return;
      for (const ground of groundsOf(state, data.agent))
        if (standing(ground, at) !== null)
          say(`${data.attempt} began at ${String(seq)} although ${ground} is paused`);
      const checks = state.steps[data.step]?.spec.checks ?? [];
      if (checks.some(({ run }) => broken?.about === `check:${exactKey(run)}`))
        say(
          `${data.attempt} began at ${String(seq)} although its check fails everybody: ${repository} is paused`,
        );
    },
  };
}

/** Pauses that were measured on the machine whose clock has jumped are as long as before. */
function movePauses(heard: Map<string, SharedResourceNews>, { byMs, clock }: EventData<"ClockJumped">): void {
  for (const [ground, news] of heard) {
    const { pause } = news;
    if (pause?.boot === undefined || pause.boot !== clock?.boot) continue;
    const moved = { ...pause, since: pause.since + byMs, until: pause.until + byMs };
    heard.set(ground, { ...news, pause: moved });
  }
}

/** A worktree that is put back is made without waiting, and what comes after the work is no beginning. */
const isMadeReady = ({ restoring }: RunState, effect: Effect): boolean =>
  (effect.kind === "CreateWorktree" && restoring === null) ||
  (effect.kind === "RunInTree" && effect.part !== "teardown");

/** A limit that was waited for is gone on after once, and never without a word. */
export function oneContinuation(): Watcher {
  const waits = new Set<string>();
  const passed = new Set<string>();
  const wait = (step: string): void => {
    waits.add(step);
    passed.delete(step);
  };
  return {
    see({ event }, say) {
      const { type, data, seq } = event;
      if (type === "StepRetryScheduled" && data.limit !== undefined) wait(data.step);
      if (type === "StepRetryScheduled" && data.limit === undefined) waits.delete(data.step);
      if (type === "HealthChanged" && data.waitsFor === "limit") wait(stepOfAttempt(data.attempt));
      if (type === "AttemptEnded") waits.delete(stepOfAttempt(data.attempt));
      if (type === "StepReset") waits.delete(data.step);
      if (type === "LimitPassed") {
        if (!waits.delete(data.step) || passed.has(data.step))
          say(`step ${data.step} goes on at ${String(seq)} after a limit that it has gone on after already`);
        passed.add(data.step);
      }
      if (type !== "AttemptStarted") return;
      if (waits.has(data.step) && !passed.has(data.step))
        say(`${data.attempt} began at ${String(seq)} and the limit before it was not said to be over`);
      waits.delete(data.step);
      passed.delete(data.step);
    },
  };
}

/** However many runs suffer from it, people are told of an incident by one of them, once. */
export function oneNoticePerIncident(events: readonly Recorded[], { told }: Witness): string[] {
  return events.flatMap(({ type, data, run, seq }) => {
    if (type !== "NoticeQueued" || data.notice.kind !== "incident") return [];
    const before = told.get(data.notice.id);
    told.set(data.notice.id, run);
    return before === undefined
      ? []
      : [`${data.notice.id} is queued at ${String(seq)} and was by ${before} already`];
  });
}

/** Crashes in a short time pause the run: counted here once more. */
export function crashGuardKept(): Watcher {
  let crashes: number[] = [];
  let until = -Infinity;
  let due: string | null = null;
  return {
    see({ event, state, turnEnds }, say) {
      const { type, data, at, seq } = event;
      const { count, windowMs } = state.settings.crashes;
      if (type === "ClockJumped") {
        crashes = crashes.map((when) => when + data.byMs);
        until += data.byMs;
      }
      const isCrash = type === "AttemptEnded" && data.charged && /crashed|zombie/.test(data.outcome);
      if (isCrash && data.failure?.class !== "rate_limited") {
        crashes = [...crashes, at].filter((when) => at - when <= windowMs);
        if (crashes.length >= count) due = `${String(crashes.length)} crashes by ${String(seq)}`;
      }
      if (type === "CrashGuardTripped") {
        crashes = [];
        due = null;
        until = data.until;
      }
      if (type === "RunUnblocked") {
        crashes = [];
        until = -Infinity;
      }
      if (type === "AttemptStarted" && at < until)
        say(`${data.attempt} began at ${String(seq)} while the crash guard holds the run`);
      if (turnEnds && due !== null) say(`${due} did not trip the crash guard`);
      if (turnEnds) due = null;
    },
  };
}
