import type { Journal } from "../../journal/journal.ts";
import type { World } from "../../model/world.ts";

/**
 * Wakes the one that waits for a change of the store. A change that comes while nobody waits is kept for the next wait;
 * a hint that is lost costs one pause.
 */
export class ChangeBell {
  readonly #world: Pick<World, "timer">;
  readonly #unwatch: () => void;
  #isRung = false;
  #wake: () => void = () => undefined;

  constructor({ journal, world }: { readonly journal: Journal; readonly world: World }) {
    this.#world = world;
    this.#unwatch = journal.watch(() => {
      this.ring();
    });
  }

  ring(): void {
    this.#isRung = true;
    this.#wake();
  }

  /** Resolves after a change, at once if there was one since the last wait, and after the pause in any case. */
  async wait(pauseMs: number): Promise<void> {
    if (!this.#isRung)
      await new Promise<void>((resolve) => {
        const cancel = this.#world.timer(pauseMs, resolve);
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
    this.#isRung = false;
  }

  close(): void {
    this.#unwatch();
    this.ring();
  }
}
