import path from "node:path";
import { errorText } from "../model/fault.ts";
import { printableLine } from "../model/text/printable.ts";
import { deliverByCommand } from "./command-channel.ts";
import type { DeliveryOutcome, Notifier } from "./notifier.ts";
import { deliverByWebhook, type WebhookOptions, type WebhookSpec } from "./webhook-channel.ts";

/** The real channels. */
export function channelNotifier(options: WebhookOptions): Notifier {
  return {
    async deliver(notice, channel, cwd): Promise<DeliveryOutcome> {
      try {
        return channel.use === "command"
          ? await deliverByCommand({ ...options, cwd }, notice, channel)
          : await deliverByWebhook(options, notice, placed(channel, cwd));
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

/** Whoever delivers may work in another folder than the one in which the files were named. */
function placed(spec: WebhookSpec, cwd = ""): WebhookSpec {
  const { urlFile, secretFile } = spec;
  return {
    ...spec,
    ...(urlFile === undefined ? {} : { urlFile: path.resolve(cwd, urlFile) }),
    ...(secretFile === undefined ? {} : { secretFile: path.resolve(cwd, secretFile) }),
  };
}
