import type { ApiProblem } from "../../../src/api/client/api-problem.ts";

export type NoticeState = "asking" | "done" | "queued" | "refused" | "lost";

/** What became of something that a person asked for. */
export interface Notice {
  readonly id: string;
  /** What was asked: `retry api-tests`. */
  readonly title: string;
  readonly state: NoticeState;
  readonly text: string;
  readonly problem: ApiProblem | null;
  /** Asks the same once more, under the same key; null where it was answered. */
  readonly again: (() => void) | null;
}

const SHOWN_MAX = 5;
const DONE_MS = 8_000;

/** The last answers to what this tab asked for. What went wrong stays until it is dismissed. */
export class Notices {
  #all: readonly Notice[] = [];
  readonly #listeners = new Set<() => void>();

  get all(): readonly Notice[] {
    return this.#all;
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  put(notice: Notice): void {
    const others = this.#all.filter(({ id }) => id !== notice.id);
    this.#set([...others, notice].slice(-SHOWN_MAX));
    if (notice.state === "done" || notice.state === "queued")
      setTimeout(() => this.dismiss(notice.id), DONE_MS);
  }

  dismiss(id: string): void {
    this.#set(this.#all.filter((notice) => notice.id !== id));
  }

  #set(all: readonly Notice[]): void {
    this.#all = all;
    for (const listener of this.#listeners) listener();
  }
}
