import { isoTime } from "../../model/text/iso-time.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** A notice that somebody should have got and has not. */
export interface StatusNotice {
  readonly id: string;
  readonly channel: string;
  readonly state: "tried_again" | "given_up";
  readonly tries: number;
  readonly why: string;
  /** When it is sent again; null if it is not. */
  readonly nextTry: string | null;
}

/** Notices whose first try failed: those that are still sent, and those that never arrived. */
export const undeliveredNotices = (state: RunState): StatusNotice[] => [
  ...state.undelivered.map(({ id, channel, tries, why }): StatusNotice => ({
    id,
    channel,
    state: "given_up",
    tries,
    why,
    nextTry: null,
  })),
  ...Object.values(state.notices).flatMap(({ notice, channel, tries, notBefore, lastWhy }): StatusNotice[] =>
    lastWhy === null
      ? []
      : [
          {
            id: notice.id,
            channel,
            state: "tried_again",
            tries,
            why: lastWhy,
            nextTry: isoTime(notBefore),
          },
        ],
  ),
];

export const undeliveredText = ({ channel, state, tries, why, nextTry }: StatusNotice): string =>
  state === "given_up"
    ? `no notice was delivered through ${channel}: ${why}`
    : `not yet delivered through ${channel}, tried ${String(tries)} time${tries === 1 ? "" : "s"}, next ${nextTry ?? "at once"}: ${why}`;
