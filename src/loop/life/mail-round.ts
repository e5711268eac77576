import type { Journal } from "../../journal/journal.ts";
import type { World } from "../../model/world.ts";

/** The longest a request waits because another look was just taken. */
const REST_MS = 5;

interface MailRoundOptions {
  readonly journal: Pick<Journal, "addressesWithMail">;
  readonly world: Pick<World, "timer">;
  /** Called with everybody who has mail. */
  readonly found: (addresses: readonly string[]) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Looks for the mail of all workflow functions at once, however many there are and however often the store changes:
 * every commit of their own is a change too, and asking for each workflow function after each of them would cost more
 * than the commits.
 *
 * States: idle; resting, for a moment after a look; resting and hinted, which leads to another look; closed.
 */
export class MailRound {
  readonly #options: MailRoundOptions;
  #state: "idle" | "resting" | "hinted" | "closed" = "idle";
  #cancelRest: () => void = () => undefined;

  constructor(options: MailRoundOptions) {
    this.#options = options;
  }

  /** Something may have changed. */
  hint(): void {
    if (this.#state === "resting") this.#state = "hinted";
    else if (this.#state === "idle") this.#look();
  }

  close(): void {
    this.#state = "closed";
    this.#cancelRest();
  }

  #look(): void {
    const { journal, world, found, failed } = this.#options;
    this.#state = "resting";
    this.#cancelRest = world.timer(REST_MS, () => {
      if (this.#state === "hinted") this.#look();
      else if (this.#state === "resting") this.#state = "idle";
    });
    journal.addressesWithMail().then((addresses) => {
      if (this.#state !== "closed" && addresses.length > 0) found(addresses);
    }, failed);
  }
}
