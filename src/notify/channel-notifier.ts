import { errorText } from "../model/fault.ts";
import { printableLine } from "../model/printable.ts";
import { deliverByCommand } from "./command-channel.ts";
import type { DeliveryOutcome, Notifier } from "./notifier.ts";
import { deliverByWebhook, type WebhookOptions } from "./webhook-channel.ts";

/** The real channels. */
export function channelNotifier(options: WebhookOptions): Notifier {
  return {
    async deliver(notice, channel): Promise<DeliveryOutcome> {
      try {
        return channel.use === "command"
          ? await deliverByCommand(options, notice, channel)
          : await deliverByWebhook(options, notice, channel);
      } catch (error) {
        return {
          kind: "failed",
          text: printableLine(`${channel.use}: ${errorText(error)}`, 400),
          terminal: false,
        };
      }
    },
  };
}
