import type { ChannelSpec, Notice } from "../model/notice.ts";

/** A failure that is not terminal may be tried again, not before `retryAfterMs` if the receiver said so. */
export type DeliveryOutcome =
  | { readonly kind: "delivered"; readonly detail: string }
  | {
      readonly kind: "failed";
      readonly text: string;
      readonly terminal: boolean;
      readonly retryAfterMs?: number;
    };

/**
 * The port to the channels. Each call is one try: durable trying again is for whoever keeps the outbox.
 * `deliver` does not reject for anything a channel does, takes no longer than the channel's limit and a moment,
 * and what it answers names no secret and is safe to print.
 */
export interface Notifier {
  deliver(notice: Notice, channel: ChannelSpec): Promise<DeliveryOutcome>;
}
