import { providerTrouble } from "../model/agent/provider-trouble.ts";
import { elapsedMs, type World } from "../model/world.ts";

/** What is known in the store of a provider that refuses: until when nobody should try. */
export interface SharedWait {
  /** Records the wait that a step was asked for, for the runs of every process; answers until when to wait now. */
  report(wait: ReportedWait): Promise<number>;
  /** Until when to wait, as reported by others; 0 where nothing was. */
  look(): Promise<number>;
}

export interface ReportedWait {
  readonly run: string;
  /** Reported again under the same key, it counts once. */
  readonly key: string;
  readonly until: number;
  readonly text: string;
}

interface RefusedTry {
  readonly run: string;
  readonly key: string;
  readonly error: unknown;
  /** When the step itself would try again. */
  readonly until: number;
  readonly world: World;
}

/**
 * One wait for all runs whose provider refuses them: the longest that one of them was asked to wait holds for the next
 * one that is refused too, so that they do not each find out for themselves. It is shared by the runs of this process,
 * and through the store by those of others. What cannot be shared is waited for all the same. Here it is measured by
 * the clock that nobody sets.
 */
export class Cooldown {
  readonly #shared: SharedWait | null;
  #endMs = -Infinity;

  constructor(shared: SharedWait | null = null) {
    this.#shared = shared;
  }

  /** When a step that failed so may try again, by the wall clock; trouble of a provider moves it for the others too. */
  async extend({ run, key, error, until, world }: RefusedTry): Promise<number> {
    const trouble = providerTrouble(error);
    if (trouble === null || trouble.kind === "network") return until;
    const { waitMs } = trouble;
    const ranMs = elapsedMs(world);
    if (waitMs !== undefined) this.#endMs = Math.max(this.#endMs, ranMs + waitMs);
    const own = world.now() + Math.max(this.#endMs - ranMs, 0);
    const text = (error instanceof Error ? error.message : trouble.kind).slice(0, TEXT_CHARS_MAX);
    const asked =
      waitMs === undefined
        ? this.#shared?.look()
        : this.#shared?.report({ run, key, until: world.now() + waitMs, text });
    const shared = (await asked?.catch(() => 0)) ?? 0;
    return Math.max(until, own, shared - world.now() > SHARED_MS_MAX ? 0 : shared);
  }
}

const TEXT_CHARS_MAX = 300;
/** What others were asked to wait for longer than this is not waited for here: the step decides by itself. */
const SHARED_MS_MAX = 21_600_000;
