import { isoTime } from "../../model/text/iso-time.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isEnded } from "../../model/state/run-status.ts";

/** What a person said to an agent, and no agent has received. */
export interface StatusWords {
  readonly by: string;
  readonly step: string;
  readonly text: string;
  readonly since: string;
  /** `never`: the run has ended without it. */
  readonly state: "waits" | "never";
}

export const unreceivedWords = (state: RunState): StatusWords[] =>
  state.unreceived.map(({ by, step, text, at }) => ({
    by,
    step,
    text,
    since: isoTime(at),
    state: isEnded(state.status) ? "never" : "waits",
  }));

export const unreceivedText = ({ by, step, text, since, state }: StatusWords): string =>
  state === "never"
    ? `the message of ${by} for step ${step} (${since}) never reached an agent: ${text}`
    : `the message of ${by} for step ${step} (${since}) waits for its next attempt: ${text}`;
