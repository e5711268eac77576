import type { RunEvent } from "../../model/events/events.ts";
import type { HomeHost } from "../../model/host/supervision.ts";
import type { RequestKind, RunRequest } from "../../model/requests/requests.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import { whyHere } from "../workspace/away.ts";
import { leftOf } from "../workspace/left-behind.ts";
import { answered, refusedFor, type Verdict } from "../dispatch/verdict.ts";

/** These change what the journal says, and no file. */
const NEED_NO_FILES: ReadonlySet<RequestKind> = new Set([
  "budget",
  "set",
  "escalate",
  "alarm",
  "cancel_alarm",
  "tell",
]);

/**
 * Answers a request of a run whose files are on a host that is gone: it is started over here, or cancelled, or what was
 * asked has to wait for that host. Null where the files do not matter.
 */
export function answerAway(state: RunState, { kind }: RunRequest, by: string): Verdict | null {
  const { away, home, missing } = state.claim;
  if (away === undefined || home === undefined || NEED_NO_FILES.has(kind)) return null;
  if (kind === "cancel") {
    const stop = { type: "RunStopping", data: { to: "cancelled", stop: "operator" } } as const;
    return answered(`cancelling: ${leftText(state, home)}`, [...movedHere(state, { home, away, by }), stop]);
  }
  if (kind !== "retry")
    return refusedFor(
      `${kind} is refused: the files of the run are on ${home.name}, which is gone${whyHere(state)}; start Holdfast there, or start the run over on ${away.name}: holdfast retry ${state.run}`,
    );
  if (missing.length > 0)
    return refusedFor(
      `retry is refused: the files of the run are on ${home.name}, which is gone, and ${away.name} cannot start it over: ${missing.join("; ")}`,
    );
  const resets = Object.values(state.steps)
    .filter(({ started, status }) => started > 0 || status === "succeeded" || status === "failed")
    .map(({ spec }): RunEvent => ({ type: "StepReset", data: { step: spec.name } }));
  return answered(`started over on ${away.name}: ${leftText(state, home)}`, [
    ...movedHere(state, { home, away, by }),
    ...(isEnded(state.status) ? [{ type: "RunReopened", data: {} } as const] : []),
    ...resets,
    state.blocked === null ? { type: "RunResumed", data: {} } : { type: "RunUnblocked", data: {} },
  ]);
}

interface Move {
  readonly home: HomeHost;
  readonly away: HomeHost;
  readonly by: string;
}

/** The attempts at work died with their host, which is never charged to the step (J4). */
const movedHere = (state: RunState, { home, away, by }: Move): RunEvent[] => [
  ...Object.keys(state.attempts).map((attempt): RunEvent => ({
    type: "AttemptEnded",
    data: { attempt, outcome: "interrupted", charged: false, why: `its host ${home.name} is gone` },
  })),
  { type: "RunMoved", data: { from: home, to: away, left: leftOf(state), by } },
];

const leftText = (state: RunState, { name }: HomeHost): string =>
  `what was done in ${leftOf(state).join(", ")} stays on ${name}`;
