import type { Snapshot, Workspace } from "../src/workspace/workspace.ts";
import type { SimGuard } from "./sim-guard.ts";
import type { SimMachine, SimProcess } from "./sim-process.ts";

const KEEP_MS_MAX = 20_000;

type Port = Pick<Workspace, "snapshot" | "restore" | "compare">;

/** Trees as one word each, kept under keys: the truth against which checkpoints and restores are checked. */
export class SimWorkspace {
  readonly #machine: SimMachine;
  readonly #guard: SimGuard;
  readonly #taken = new Map<string, Snapshot>();
  readonly #words = new Map<string, string>();
  /** Trees that were put back, by the key of the order. */
  readonly restored = new Map<string, string>();

  constructor(machine: SimMachine, guard: SimGuard) {
    this.#machine = machine;
    this.#guard = guard;
  }

  /** Whether that snapshot was ever kept. */
  holds(id: string): boolean {
    return this.#words.has(id);
  }

  /** What is kept is kept although whoever asked for it dies; the same key again gives the same answer. */
  port(process: SimProcess): Port {
    const after = <Answer>(act: () => Answer): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const { chance, faults } = this.#machine;
        process.timer(chance() * KEEP_MS_MAX, () => {
          if (chance() < faults().keepFails) {
            reject(new Error("simulated: no space left"));
            return;
          }
          const answer = act();
          process.timer(chance() * KEEP_MS_MAX, () => {
            resolve(answer);
          });
        });
      });
    return {
      snapshot: (order) => after(() => this.#take(order)),
      restore: (order) =>
        after(() => {
          const before = this.#take({ ...order, key: `${order.key}/before` }).id;
          this.#guard.put(order.tree, this.#words.get(order.snapshot) ?? "lost");
          this.restored.set(order.key, order.snapshot);
          return { before, written: 1, removed: 0, left: { count: 0, first: [] } };
        }),
      compare: () => Promise.resolve({ changes: [], count: 0 }),
    };
  }

  #take({ key, tree, project, atMs }: Parameters<Port["snapshot"]>[0]): Snapshot {
    const known = this.#taken.get(key);
    if (known !== undefined) return known;
    const word = this.#guard.now(tree);
    const id = `snapshot of ${word}`;
    this.#words.set(id, word);
    const taken: Snapshot = {
      key,
      id,
      digest: word,
      files: word,
      project,
      tree,
      atMs,
      note: null,
      head: { kind: "none" },
      fileCount: 1,
      read: { files: 1, bytes: 1 },
      skipped: { count: 0, first: [] },
      whole: true,
    };
    this.#taken.set(key, taken);
    return taken;
  }
}
