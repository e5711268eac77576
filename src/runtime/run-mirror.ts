import type { RunState } from "../model/state/run-state.ts";
import type { Ports } from "./ports.ts";

/** A talkative agent brings many appends a second; people read more slowly. */
const GAP_MS = 200;

/**
 * Keeps the files in which people follow one run up to date. Called with every append, it shows the newest state, one
 * write at a time, and leaves out what came in between.
 *
 * 1. Only what is durable is shown: never a state that an append under way may still be refused.
 * 2. A file that cannot be written stops nothing; that is reported once.
 * 3. An owner that dies leaves files that lag behind; the next one begins by catching up.
 */
export class RunMirror {
  readonly #ports: Ports;
  readonly #state: Readonly<RunState>;
  readonly #failed: (text: string) => void;
  readonly #wanted: boolean;
  #durable: number;
  #shown = -1;
  #writing: Promise<void> | null = null;
  #cancelGap: (() => void) | null = null;
  #isReported = false;
  #closed = false;

  constructor(ports: Ports, state: Readonly<RunState>, failed: (text: string) => void) {
    const { humanTasks, status } = state.settings.mirrors;
    this.#ports = ports;
    this.#state = state;
    this.#failed = failed;
    this.#wanted = ports.mirror !== undefined && (humanTasks || status);
    this.#durable = state.seq;
  }

  /** Everything up to the state's last event is on disk. */
  appended(): void {
    this.#durable = this.#state.seq;
    this.#showSoon();
  }

  /** The one that owns the run is about to let go: what is not shown yet is shown now. */
  async catchUp(): Promise<void> {
    this.#closed = true;
    this.#cancelGap?.();
    await this.#writing;
    await this.#show();
  }

  #showSoon(): void {
    const busy = this.#writing !== null || this.#cancelGap !== null;
    if (!this.#wanted || this.#closed || busy || this.#shown === this.#durable) return;
    this.#cancelGap = this.#ports.world.timer(GAP_MS, () => {
      this.#cancelGap = null;
      this.#showSoon();
    });
    void this.#show();
  }

  async #show(): Promise<void> {
    if (!this.#wanted || this.#shown === this.#durable || this.#state.seq !== this.#durable) return;
    this.#shown = this.#durable;
    this.#writing = this.#write();
    await this.#writing;
    this.#writing = null;
    this.#showSoon();
  }

  async #write(): Promise<void> {
    const [problem] = (await this.#ports.mirror?.(this.#state)) ?? [];
    if (problem === undefined || this.#isReported) return;
    this.#isReported = true;
    this.#failed(problem);
  }
}
