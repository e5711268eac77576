import type { RunEvent } from "../../model/events/events.ts";
import type { Evidence } from "../../model/effects/evidence.ts";
import type { SharedResourceNews } from "../../model/host/shared-resource.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { publishToResource } from "../resources/shared-resources.ts";
import { PLACE, repositoryOf } from "../../fold/resource/repository.ts";
import { checkPart, likeness } from "./repository.ts";

/**
 * What fails several runs of one repository in the same way is not theirs (R5): they report it, and from so many on it
 * is one incident. Then what needs the failing part waits before it is tried; one run tries again first.
 */

/** The place could not be made ready: others are notified before a person is asked; null where they know. */
export function reportUnready(state: RunState): RunEvent[] | null {
  const { unready, failure } = state.workspace;
  const resource = repositoryOf(state);
  if (unready === null || resource === null) return null;
  if (unready.notified) return isReporting(state) ? [] : null;
  const same = likeness(state, `${PLACE} ${failure}`);
  return [
    publishToResource(state, resource, {
      kind: "broken",
      attempt: PLACE,
      text: failure,
      until: null,
      about: PLACE,
      same,
    }),
  ];
}

const isReporting = ({ effects }: RunState): boolean =>
  Object.values(effects).some(
    (effect) =>
      effect.kind === "TellGround" && effect.fact.kind === "broken" && effect.fact.attempt === PLACE,
  );

/** A check that says nothing of why it failed is the same as no other. */
export function recheckRepository(
  state: RunState,
  { checking }: StepState,
  { command, excerpt }: Evidence,
  text: string,
): RunEvent[] {
  const resource = repositoryOf(state);
  if (resource === null || checking === null || excerpt.trim() === "") return [];
  const about = checkPart(command);
  const same = likeness(state, `${about} ${text}`);
  return [
    publishToResource(state, resource, {
      kind: "broken",
      attempt: checking.attempt,
      text,
      until: null,
      about,
      same,
    }),
  ];
}

/** The attempt that shows that a paused part of a repository works: it has a place, or its work has passed the check. */
export function showsRepository(
  state: RunState,
  { about, since }: NonNullable<SharedResourceNews["pause"]>,
): string | undefined {
  const { readyAt } = state.workspace;
  if (about === PLACE)
    return readyAt <= since
      ? undefined
      : Object.values(state.attempts).find(({ startedAt }) => startedAt >= readyAt)?.id;
  return Object.keys(state.checking)
    .map((name) => state.steps[name]?.checking)
    .find((checking) =>
      checking?.evidence.some(({ command, verdict }) => verdict === "pass" && checkPart(command) === about),
    )?.attempt;
}
