import type { Notice } from "../../src/model/settings/notice.ts";
import type { DeliveryOutcome, Notifier } from "../../src/notify/notifier.ts";
import type { SimMachine, SimProcess } from "./sim-process.ts";

const DELIVERY_MS_MAX = 10_000;
const LOOK_EVERY_MS = 10 * 60_000;
const AWAY_MS_MAX = 5 * 3_600_000;

/** Who is told: counts what arrived, under which id. Sometimes it is away for hours. */
export class SimReceiver {
  readonly arrived = new Map<string, number>();
  readonly #machine: SimMachine;
  /** Told of every try. */
  readonly #onTry: (notice: Notice) => void;
  #awayUntil = 0;

  constructor(machine: SimMachine, onTry: (notice: Notice) => void) {
    this.#machine = machine;
    this.#onTry = onTry;
    this.#comeAndGo();
  }

  /** A notice that is under way arrives although its sender dies. */
  notifier(process: SimProcess): Notifier {
    const { chance, time } = this.#machine;
    return {
      deliver: (notice) =>
        new Promise((resolve) => {
          this.#onTry(notice);
          const { arrives, outcome } = this.#draw();
          time.schedule(chance() * DELIVERY_MS_MAX, () => {
            if (arrives) this.arrived.set(notice.id, (this.arrived.get(notice.id) ?? 0) + 1);
          });
          process.timer(DELIVERY_MS_MAX, () => {
            resolve(outcome);
          });
        }),
    };
  }

  #draw(): { arrives: boolean; outcome: DeliveryOutcome } {
    const { chance, faults, time } = this.#machine;
    const { noticeFails, noticeUnheard, meanReachableMs } = faults();
    const retryAfter = chance() < 0.2 ? { retryAfterMs: Math.round(chance() * 120_000) } : {};
    const failed = (text: string): DeliveryOutcome => ({
      kind: "failed",
      text,
      terminal: false,
      ...retryAfter,
    });
    const drawn = chance();
    if (Number.isFinite(meanReachableMs) && time.now < this.#awayUntil)
      return { arrives: false, outcome: failed("simulated: nobody is there") };
    if (drawn < noticeUnheard) return { arrives: true, outcome: failed("simulated: no answer") };
    if (drawn < noticeUnheard + noticeFails * 0.1)
      return {
        arrives: false,
        outcome: { kind: "failed", text: "simulated: gone for good", terminal: true },
      };
    if (drawn < noticeUnheard + noticeFails) return { arrives: false, outcome: failed("simulated: 503") };
    return { arrives: true, outcome: { kind: "delivered", detail: "simulated" } };
  }

  #comeAndGo(): void {
    const { chance, faults, time } = this.#machine;
    time.schedule(LOOK_EVERY_MS, () => {
      const { meanReachableMs } = faults();
      if (Number.isFinite(meanReachableMs) && chance() < LOOK_EVERY_MS / meanReachableMs)
        this.#awayUntil = time.now + chance() * AWAY_MS_MAX;
      this.#comeAndGo();
    });
  }
}
