import type { Evidence } from "../../src/model/effects/evidence.ts";
import type { CheckOrder, Quality } from "../../src/quality/quality.ts";
import type { SimMachine, SimProcess } from "./sim-process.ts";

const CHECK_MS_MAX = 600_000;

/** Checks that take their time, and what each has really shown: the truth against which the journal is checked. */
export class SimQuality {
  readonly #machine: SimMachine;
  /** Whether everything fails in the same way just now. */
  isBroken: () => boolean = () => false;
  readonly #shown = new Map<string, Set<Evidence["verdict"]>>();
  /** How often each order was begun, by its key. */
  readonly begun = new Map<string, number>();

  constructor(machine: SimMachine) {
    this.#machine = machine;
  }

  /** Whether a check under that key has ever ended so. */
  hasShown(key: string, verdict: Evidence["verdict"]): boolean {
    return this.#shown.get(key)?.has(verdict) === true;
  }

  /** A check dies with the process that runs it, and its answer with both. */
  port(process: SimProcess): Quality {
    return {
      check: (order, signal) =>
        new Promise((resolve) => {
          this.begun.set(order.key, (this.begun.get(order.key) ?? 0) + 1);
          const durationMs = Math.round(this.#machine.chance() * Math.min(order.limitMs, CHECK_MS_MAX));
          const drawn = this.#draw();
          const isBroken = this.isBroken();
          const verdict = isBroken ? "fail" : drawn;
          const answer = (shown: Evidence["verdict"]): void => {
            this.#shown.set(order.key, (this.#shown.get(order.key) ?? new Set()).add(shown));
            const found = evidence(order, shown, durationMs);
            resolve(isBroken && shown === "fail" ? { ...found, excerpt: "simulated: it is broken" } : found);
          };
          const cancel = process.timer(durationMs, () => {
            answer(verdict);
          });
          signal.addEventListener("abort", () => {
            cancel();
            answer("unknown");
          });
        }),
    };
  }

  #draw(): Evidence["verdict"] {
    const { checkFails, checkUnknown } = this.#machine.faults();
    const drawn = this.#machine.chance();
    if (drawn < checkFails) return "fail";
    return drawn < checkFails + checkUnknown ? "unknown" : "pass";
  }
}

const evidence = (
  { command, key }: CheckOrder,
  verdict: Evidence["verdict"],
  durationMs: number,
): Evidence => ({
  command,
  verdict,
  exitCode: verdict === "pass" ? 0 : verdict === "fail" ? 1 : null,
  signal: null,
  timedOut: false,
  outputBytes: 0,
  digest: "",
  excerpt: `${verdict} of ${key}: ${partOf(key)}`,
  durationMs,
});

/** What a check looks at last: often, but not always, the same as the time before. */
const PARTS = ["the door", "the roof", "the well"];
const partOf = (key: string): string => {
  const letters = Array.from(key).reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0);
  return PARTS[Math.floor(letters / 2) % PARTS.length] ?? "";
};
