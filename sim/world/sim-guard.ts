import type { GuardReport } from "../../src/model/flow/protected.ts";
import type { Guard } from "../../src/workspace/guard.ts";
import type { SimMachine, SimProcess } from "./sim-process.ts";
import type { SimSession } from "../agents/sim-agents.ts";

const LOOK_MS_MAX = 5_000;
const WORK = " with work ";

/** Protected files as one word per tree; agents and people change it. The truth against which the journal is checked. */
export class SimGuard {
  readonly #machine: SimMachine;
  readonly #trees = new Map<string, string>();
  readonly #reported = new Set<string>();
  readonly #work = new Map<string, number>();
  #changes = 0;
  #works = 0;

  constructor(machine: SimMachine) {
    this.#machine = machine;
  }

  /** Whether a look has ever shown this. */
  hasReported(report: GuardReport): boolean {
    return this.#reported.has(JSON.stringify(report));
  }

  /** What somebody who looks at the tree would trust. */
  now(tree: string): string {
    return this.#trees.get(tree) ?? "as created";
  }

  /** What somebody who looks at all files of the tree would see: those that are protected, and the work. */
  whole(tree: string): string {
    const done = this.#work.get(tree) ?? 0;
    return done === 0 ? this.now(tree) : `${this.now(tree)}${WORK}${String(done)}`;
  }

  putWhole(tree: string, word: string): void {
    const [guarded = "", done = "0"] = word.split(WORK);
    this.put(tree, guarded);
    this.#work.set(tree, Number(done));
  }

  /** An agent that ends well has done something: files that are not protected are changed by it. */
  work(session: SimSession): void {
    if (!session.endedCleanly()) return;
    this.#machine.time.schedule(1, () => {
      this.#works += 1;
      this.#work.set(session.order.cwd, this.#works);
    });
  }

  /** An agent at work may change what it must not, at some time of its life. */
  tempt({ order }: SimSession): void {
    const { chance, time, faults } = this.#machine;
    if (chance() >= faults().tampering) return;
    time.schedule(chance() * 10 * 60_000, () => {
      this.change(order.cwd);
    });
  }

  /** Files are put back to what they were. */
  put(tree: string, word: string): void {
    this.#trees.set(tree, word);
  }

  change(tree: string): void {
    this.#changes += 1;
    this.#trees.set(tree, `changed ${String(this.#changes)}`);
  }

  /** What is undone is undone although whoever asked for it dies. */
  port(process: SimProcess): Guard {
    const { chance } = this.#machine;
    return {
      // People and agents of a simulation are found by the looks that come every so often.
      watch: () => () => undefined,
      check: ({ tree, trusted, undo }) =>
        new Promise((resolve, reject) => {
          process.timer(chance() * LOOK_MS_MAX, () => {
            if (chance() < this.#machine.faults().lookFails) {
              reject(new Error("simulated: the tree cannot be read"));
              return;
            }
            const report = this.#report({ tree, trusted, undo });
            this.#reported.add(JSON.stringify(report));
            process.timer(chance() * LOOK_MS_MAX, () => {
              resolve(report);
            });
          });
        }),
      compare: () => Promise.resolve([]),
      pack: () => Promise.reject(new Error("simulated: there is no other host")),
      unpack: () => Promise.reject(new Error("simulated: there is no other host")),
      returnFiles: () => Promise.reject(new Error("simulated: nobody asks for a file")),
      bringRepository: () => Promise.resolve(null),
    };
  }

  #report({
    tree,
    trusted,
    undo,
  }: {
    readonly tree: string;
    readonly trusted: string | null;
    readonly undo: boolean;
  }): GuardReport {
    const found = this.now(tree);
    if (trusted === null || found === trusted)
      return { trusted: found, paths: 1, findings: [], count: 0, undone: true };
    const told = { trusted, paths: 1, findings: [{ path: found, act: "edited" as const }], count: 1 };
    if (!undo) return { ...told, undone: false };
    if (this.#machine.chance() < this.#machine.faults().undoFails)
      return { ...told, undone: false, failure: "simulated: it cannot be written" };
    this.#trees.set(tree, trusted);
    return { ...told, undone: true };
  }
}
