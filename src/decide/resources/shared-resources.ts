import { accountOf } from "../../model/agent/account.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { SharedResourceFact, SharedResourceNews } from "../../model/host/shared-resource.ts";
import { accountResource, hostResource, STORE_RESOURCE } from "../../model/host/resource-address.ts";
import type { AttemptState, RunState, StepState } from "../../model/state/run-state.ts";
import type { RunSettings } from "../../model/settings/settings.ts";
import { jittered } from "../dispatch/jitter.ts";
import { storeHold } from "./store-hold.ts";
import { concerns } from "../dispatch/repository.ts";
import { repositoryOf } from "../../fold/resource/repository.ts";

/** The account whose limits an agent of the run meets; null where there is none. */
export function accountOfAgent({ agents }: RunState, agent: string): string | null {
  const spec = agents[agent];
  const account = spec === undefined ? null : accountOf(spec);
  return account === null ? null : accountResource(account);
}

const hostOf = ({ host }: RunState): string | null => (host === null ? null : hostResource(host));

/** Everything that a run shares with others. */
export function sharedResourcesOf(state: RunState): string[] {
  if (state.kind === "program") return [];
  const accounts = Object.keys(state.agents).map((agent) => accountOfAgent(state, agent));
  return [...new Set([...accounts, hostOf(state), repositoryOf(state), STORE_RESOURCE])].filter(
    (resource) => resource !== null,
  );
}

const resourcesOfStep = (state: RunState, { spec }: StepState): string[] =>
  [accountOfAgent(state, spec.agent), hostOf(state), repositoryOf(state)].filter(
    (resource) => resource !== null,
  );

/**
 * When a pause is over for a run. The one that goes first goes as soon as the pause ends; the others when it has shown that
 * it works, or has had its time, each at a moment of its own, and those of a higher priority before the rest.
 */
export function opensAt(
  pause: NonNullable<SharedResourceNews["pause"]>,
  run: string,
  { cooldown }: RunSettings,
): number {
  if (pause.reopenedAt !== null && pause.atOnce === true) return pause.reopenedAt;
  if (pause.first.run === run) return pause.reopenedAt ?? pause.until;
  const { priority, staggerMs, probeMs } = cooldown;
  const band = priority > 0 ? 0 : priority === 0 ? 1 : 2;
  const third = staggerMs / 3;
  const place = Math.round(third * band + jittered(third, `${run}/${String(pause.id)}`));
  return pause.reopenedAt === null ? pause.until + probeMs + place : pause.reopenedAt + place;
}

/** The account of a step's agent, while nothing is started on it; null where it is open, or there is none. */
export function pausedAccount(state: RunState, step: string | undefined): string | null {
  const agent = state.steps[step ?? ""]?.spec.agent;
  const account = agent === undefined ? null : accountOfAgent(state, agent);
  const pause = account === null ? null : (state.sharedResources[account]?.news.pause ?? null);
  return pause === null || pause.reopenedAt !== null ? null : account;
}

export interface Hold {
  readonly until: number;
  /** Null for the run's own crash guard. */
  readonly ground: string | null;
}

/** What keeps a step from being started although it is ready, the longest of it; null for nothing. */
export function holdOf(state: RunState, step: StepState, now: number): Hold | null {
  const store = storeHold(state, now);
  if (store !== null) return { until: store.until, ground: STORE_RESOURCE };
  let hold: Hold | null =
    state.crashPause !== null && now < state.crashPause ? { until: state.crashPause, ground: null } : null;
  for (const resource of resourcesOfStep(state, step)) {
    const known = state.sharedResources[resource];
    const pause = known?.news.pause ?? null;
    const until = isBeingReported(state, resource)
      ? Infinity
      : pause === null || pause.id === known?.waived || !concerns(pause, state, step)
        ? -Infinity
        : opensAt(pause, state.run, state.settings);
    if (until > now && until > (hold?.until ?? -Infinity)) hold = { until, ground: resource };
  }
  return hold;
}

const HARMLESS: ReadonlySet<SharedResourceFact["kind"]> = new Set(["worked", "spent"]);

/** Until others know what happened to a shared resource, nothing more is started on it. */
const isBeingReported = ({ effects }: RunState, resource: string): boolean => {
  for (const key in effects) {
    const effect = effects[key];
    if (effect?.kind === "TellGround" && effect.ground === resource && !HARMLESS.has(effect.fact.kind))
      return true;
  }
  return false;
};

/** Whether the account of an attempt is known not to answer now: nothing is said to its agent meanwhile. */
export function accountHold(state: RunState, { agent }: AttemptState, now: number): number | null {
  const resource = accountOfAgent(state, agent);
  const pause = resource === null ? null : (state.sharedResources[resource]?.news.pause ?? null);
  if (pause === null) return null;
  const until = opensAt(pause, state.run, state.settings);
  return until > now ? until : null;
}

/** The intent to report something to a shared resource; at most one of its number. */
export function publishToResource(
  state: RunState,
  resource: string,
  fact: Pick<SharedResourceFact, "kind" | "attempt" | "text" | "until" | "named" | "about" | "same" | "used">,
): RunEvent {
  const { cooldown, crashes, incidents, health } = state.settings;
  const nth = state.resourceReports + 1;
  return {
    type: "EffectIntended",
    data: {
      key: effectKey("ground", "TellGround", nth),
      effect: {
        kind: "TellGround",
        ground: resource,
        fact: {
          ...fact,
          text: fact.text.slice(0, 500),
          key: `${state.run}/${String(nth)}`,
          run: state.run,
          ...(state.family === undefined ? {} : { family: state.family }),
          priority: cooldown.priority,
        },
        rules: {
          waitMs: health.limitWaitMs,
          decayMs: cooldown.decayMs,
          failures: cooldown.failures,
          openMs: cooldown.openMs,
          successes: cooldown.successes,
          deaths: crashes.deaths,
          deathsMs: crashes.deathsMs,
          hostPauseMs: crashes.hostPauseMs,
          incidentRuns: incidents.runs,
          incidentMs: incidents.windowMs,
          brokenMs: incidents.pauseMs,
          brokenPauses: incidents.pauses,
        },
      },
    },
  };
}

/** Whether a shared resource was paused and has not been seen to work since. */
export const isDoubted = (state: RunState, resource: string | null): boolean =>
  resource !== null && state.sharedResources[resource]?.news.pause?.reopenedAt === null;
