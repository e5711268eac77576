import { tryOf } from "../../decide/continuous/digest-rule.ts";
import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import { errorText } from "../../model/fault.ts";
import { commandText } from "../../model/text/command-text.ts";
import type { DeliveryOutcome } from "../../notify/notifier.ts";
import type { Ports } from "../ports.ts";

/**
 * Sends digests of sessions to their channels, beside the turns: a channel may take its time. What became of a try is
 * kept for the next turn, which records it; one whose answer was lost with its process is made again, under the same id.
 */
export class DigestSender {
  /** By the try. */
  readonly tried = new Map<
    string,
    { readonly kind: "delivered" | "failed"; readonly text: string; readonly terminal: boolean }
  >();
  readonly #ports: Pick<Ports, "notifier" | "storeNamed">;
  readonly #underWay = new Set<string>();

  constructor(ports: Pick<Ports, "notifier" | "storeNamed">) {
    this.#ports = ports;
  }

  send({ digest, spec }: ContinuousState, now: number): void {
    for (const open of digest.open) {
      const key = tryOf(open);
      const channel = spec?.notify?.channels[open.channel];
      if (channel === undefined || open.notBefore > now || this.#underWay.has(key)) continue;
      this.#underWay.add(key);
      const notice = { ...open.notice, command: this.#named(open.notice.command), link: null };
      void this.#ports.notifier
        .deliver(notice, channel, spec?.cwd)
        .catch((error: unknown): DeliveryOutcome => ({
          kind: "failed",
          text: errorText(error),
          terminal: false,
        }))
        .then((outcome) => {
          const text = outcome.kind === "delivered" ? outcome.detail : outcome.text;
          this.tried.set(key, {
            kind: outcome.kind,
            text,
            terminal: outcome.kind === "failed" && outcome.terminal,
          });
        });
    }
  }

  /** Commands name the store where people must. */
  #named(command: string | null): string | null {
    const { storeNamed = null } = this.#ports;
    return command === null || storeNamed === null
      ? command
      : commandText(command.split(" ").slice(1), storeNamed);
  }
}
