import { keyText } from "../model/body-key.ts";
import type { RunEvent } from "../model/events.ts";
import type { OpenScope, Told } from "./open-scope.ts";

export const inDoubt = (key: string): RunEvent => ({
  type: "RunBlocked",
  data: {
    blocked: {
      reason: "in_doubt",
      detail: `step "${keyText(key)}" was begun by a process that died; whether it was done is not known`,
      step: key,
      attemptKept: true,
      guidance: [],
    },
  },
});

/** The steps of this life that wait for a person to say what became of them. */
export class Doubts {
  readonly #asking = new Map<string, (told: Told) => void>();

  /** Blocks the run until somebody says what became of the step. What is said is recorded by whoever hears it. */
  async ask(scope: OpenScope, key: string): Promise<Told> {
    const told = new Promise<Told>((resolve) => {
      this.#asking.set(key, resolve);
    });
    const pay = scope.life.budget.clock.hold(scope.path);
    try {
      const { status, body } = scope.life.state;
      if (status !== "blocked" || body?.doubts.includes(key) !== true) await scope.commit([inDoubt(key)]);
      return await scope.race(told);
    } finally {
      pay();
    }
  }

  tell(key: string, told: Told): void {
    const resolve = this.#asking.get(key);
    this.#asking.delete(key);
    resolve?.(told);
  }
}
