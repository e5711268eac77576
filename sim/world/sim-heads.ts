import type { CommitComparison, Head } from "../../src/workspace/accept/commit-orders.ts";
import type { SimMachine } from "./sim-process.ts";

interface Commit {
  readonly id: string;
  /** Whether it lies on top of the one before. */
  readonly onTop: boolean;
}

/** Branches that somebody moves while nobody looks: on top, or anew. */
export class SimHeads {
  readonly #machine: SimMachine;
  readonly #histories = new Map<string, Commit[]>();

  constructor(machine: SimMachine) {
    this.#machine = machine;
  }

  head(tree: string): Head {
    const { chance, faults } = this.#machine;
    const history = this.#histories.get(tree) ?? [{ id: "0", onTop: true }];
    this.#histories.set(tree, history);
    if (chance() < faults().tampering) history.push({ id: String(history.length), onTop: chance() < 0.6 });
    return { kind: "git", branch: "main", commit: history.at(-1)?.id ?? null };
  }

  compare(tree: string, from: string, to: string): CommitComparison {
    const history = this.#histories.get(tree) ?? [];
    const between = history.slice(Number(from) + 1, Number(to) + 1);
    const relation = from === to ? "same" : between.every(({ onTop }) => onTop) ? "forward" : "apart";
    return { relation, files: ["simulated"], count: 1 };
  }
}
