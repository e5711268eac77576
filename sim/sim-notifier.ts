import type { Notifier } from "../src/notify/notifier.ts";
import type { SimMachine, SimProcess } from "./sim-process.ts";

const DELIVERY_MS_MAX = 10_000;

/** A receiver that is told to count: what arrived, under which id, how often. */
export class SimReceiver {
  readonly arrived = new Map<string, number>();
  readonly #machine: SimMachine;

  constructor(machine: SimMachine) {
    this.#machine = machine;
  }

  /** Some tries fail, and some arrive although the sender never hears of it. */
  notifier(process: SimProcess): Notifier {
    const { chance, time } = this.#machine;
    return {
      deliver: (notice) =>
        new Promise((resolve) => {
          const drawn = chance();
          time.schedule(chance() * DELIVERY_MS_MAX, () => {
            if (drawn < 0.75) this.arrived.set(notice.id, (this.arrived.get(notice.id) ?? 0) + 1);
          });
          process.timer(DELIVERY_MS_MAX, () => {
            resolve(
              drawn < 0.65
                ? { kind: "delivered", detail: "200" }
                : { kind: "failed", text: "no answer", terminal: false },
            );
          });
        }),
    };
  }
}
