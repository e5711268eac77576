import { isoTime } from "../model/text/iso-time.ts";
import type { RunState } from "../model/state/run-state.ts";

/** A notice to people that is under way, or that never arrived. What has arrived is in the journal alone. */
export interface DeliveryView {
  readonly run: string;
  readonly id: string;
  readonly channel: string;
  readonly state: "waiting" | "tried_again" | "given_up";
  readonly tries: number;
  readonly why: string | null;
  readonly nextTry: string | null;
}

export const deliveriesOf = (state: RunState): DeliveryView[] => [
  ...Object.values(state.notices).map(({ notice, channel, tries, notBefore, lastWhy }): DeliveryView => ({
    run: state.run,
    id: notice.id,
    channel,
    state: lastWhy === null ? "waiting" : "tried_again",
    tries,
    why: lastWhy,
    nextTry: isoTime(notBefore),
  })),
  ...state.undelivered.map(({ id, channel, tries, why }): DeliveryView => ({
    run: state.run,
    id,
    channel,
    state: "given_up",
    tries,
    why,
    nextTry: null,
  })),
];
