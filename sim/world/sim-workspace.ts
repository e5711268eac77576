import type { Ports, Trees } from "../../src/runtime/ports.ts";
import type { Snapshot } from "../../src/workspace/workspace.ts";
import type { Worktree } from "../../src/workspace/worktree/worktree-orders.ts";
import type { SimGuard } from "./sim-guard.ts";
import { SimHeads } from "./sim-heads.ts";
import type { SimMachine, SimProcess } from "./sim-process.ts";

const KEEP_MS_MAX = 20_000;

/** Nobody but the run's own agents moves a worktree's branch. */
const ON_ITS_BRANCH = { kind: "git", commit: "0".repeat(40), branch: "simulated" } as const;

/** What does not go is told to whoever asked for it. */
function attempted<Value>(act: () => Value): { readonly value: Value } | { readonly error: Error } {
  try {
    return { value: act() };
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** Trees as one word each, kept under keys: the truth against which checkpoints and restores are checked. */
export class SimWorkspace {
  /** Whether no worktree can be made just now. */
  isBroken: () => boolean = () => false;
  readonly #machine: SimMachine;
  readonly #guard: SimGuard;
  readonly #heads: SimHeads;
  readonly #taken = new Map<string, Snapshot>();
  readonly #words = new Map<string, string>();
  readonly #ever = new Set<string>();
  /** Trees that were put back, by the key of the order. */
  readonly restored = new Map<string, string>();
  /** Worktrees that stand, and those that were removed with the snapshot of what was in them. */
  readonly standing = new Set<string>();
  readonly copies = new Set<string>();
  readonly removed = new Map<string, string>();
  /** Those of single steps, with their branch, by which a later try knows what an earlier one has made: their work is on a branch, and is taken into the run's. */
  readonly #ofSteps = new Map<string, string>();

  constructor(machine: SimMachine, guard: SimGuard) {
    this.#machine = machine;
    this.#guard = guard;
    this.#heads = new SimHeads(machine);
  }

  /** Whether that snapshot was ever kept. */
  holds(id: string): boolean {
    return this.#ever.has(id);
  }

  /** Copies that are thrown away, by what they are for: none may be left when its run has ended. */
  cleanFolders(process: SimProcess): NonNullable<Ports["cleanFolders"]> {
    const soon = <Answer>(act: () => Answer): Promise<Answer> =>
      new Promise((resolve) => {
        process.timer(this.#machine.chance() * 100, () => {
          resolve(act());
        });
      });
    return {
      make: (key) => soon(() => (this.copies.add(key), `/clean/${key}`)),
      remove: (key) => soon(() => void this.copies.delete(key)),
    };
  }

  /** What is kept is kept although whoever asked for it dies; the same key again gives the same answer. */
  port(process: SimProcess): Trees {
    const after = <Answer>(act: () => Answer): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const { chance, faults } = this.#machine;
        process.timer(chance() * KEEP_MS_MAX, () => {
          if (chance() < faults().keepFails) {
            reject(new Error("simulated: no space left"));
            return;
          }
          const answer = attempted(act);
          if ("error" in answer) {
            reject(answer.error);
            return;
          }
          process.timer(chance() * KEEP_MS_MAX, () => {
            resolve(answer.value);
          });
        });
      });
    return {
      snapshot: (order) =>
        after(() => {
          if (order.again === true) this.#taken.delete(order.key);
          if (order.make === true && this.removed.has(order.tree)) this.standing.add(order.tree);
          if (!this.#taken.has(order.key)) this.#mustStand(order.tree);
          return this.#take(order);
        }),
      restore: (order) =>
        after(() => {
          this.#mustStand(order.tree);
          if (!this.#words.has(order.snapshot)) throw new Error(`simulated: ${order.snapshot} is gone`);
          const before = this.#take({ ...order, key: `${order.key}/before` }).id;
          this.#guard.putWhole(order.tree, this.#words.get(order.snapshot) ?? "lost");
          this.restored.set(order.key, order.snapshot);
          return { before, written: 1, removed: 0, left: { count: 0, first: [] } };
        }),
      look: ({ tree, since }) =>
        after(() => {
          this.#mustStand(tree);
          const digest = this.#guard.whole(tree);
          return { digest, moved: digest === since.digest ? null : { files: ["work"], count: 1 } };
        }),
      release: ({ keys }) =>
        after(() => {
          const released = keys.filter((key) => this.#taken.delete(key)).length;
          const held = new Set([...this.#taken.values()].map(({ id }) => id));
          for (const id of this.#words.keys()) if (!held.has(id)) this.#words.delete(id);
          return { released };
        }),
      head: (tree) => after(() => (this.standing.has(tree) ? ON_ITS_BRANCH : this.#heads.head(tree))),
      compareCommits: ({ tree }, from, to) => Promise.resolve(this.#heads.compare(tree, from, to)),
      upload: () => Promise.reject(new Error("simulated: there is no remote")),
      download: () => Promise.reject(new Error("simulated: there is no remote")),
      countLines: () => Promise.resolve({ lines: 1, binary: 0 }),
      compare: (_place, from, to) => {
        const isSame = this.#words.get(from) === this.#words.get(to);
        const changes = isSame ? [] : [{ path: "work", kind: "modified" } as const];
        return Promise.resolve({ changes, count: changes.length });
      },
      placeFor: ({ project, name }) => Promise.resolve({ project, tree: `/worktrees/${name}`, inside: "" }),
      // Agents commit their work themselves: nothing is left to commit, and heads stand where they stood.
      commit: () => after(() => ({ kind: "nothing" }) as const),
      takeIn: ({ commit }) =>
        after(() => ({ kind: "taken", commit, into: "simulated", how: "already", files: [] }) as const),
      beginMerge: () => Promise.resolve({ kind: "clean" } as const),
      overlaps: () => after(() => ({ own: 0, peers: [] })),
      createWorktree: (order) =>
        after(() => {
          if (this.isBroken()) throw new Error("simulated: cannot lock ref");
          return this.#make(order);
        }),
      carry: ({ tree }) =>
        after(() => {
          this.#mustStand(tree);
          return { files: [], count: 0, paths: [], left: [] };
        }),
      copyTree: (order) =>
        after(() => {
          const base = this.#take({ ...order, key: `${order.key}/base` });
          const tree = `/copies/${order.name}`;
          this.#guard.putWhole(tree, this.#words.get(base.id) ?? "lost");
          return { tree, base: base.id, commit: null };
        }),
      propose: (order) =>
        after(() => {
          const { key, project, copy, atMs } = order;
          const { id } = this.#take({ key, project, tree: copy, atMs });
          const changes = id === order.base ? [] : [{ path: "work", kind: "modified" } as const];
          return { snapshot: id, changes, protected: [], problems: [], patch: new Uint8Array() };
        }),
      applyProposal: (order) =>
        after(() => {
          const before = this.#take({ ...order, key: `${order.key}/before` }).id;
          this.#guard.putWhole(order.tree, this.#words.get(order.snapshot) ?? "lost");
          return { kind: "applied", before, files: ["work"] } as const;
        }),
      dropCopy: () => after(() => true),
      seal: () => Promise.resolve(),
      openSeal: () => after(() => ({ acts: [], count: 0 })),
      // Nobody deletes a worktree here.
      mendWorktree: () => Promise.resolve(null),
      removeWorktree: (order) =>
        after(() => {
          const snapshot = this.#take({ ...order, key: `${order.key}/last` }).id;
          this.standing.delete(order.tree);
          this.removed.set(order.tree, snapshot);
          return { kind: "removed", snapshot } as const;
        }),
    };
  }

  #mustStand(tree: string): void {
    if (this.removed.has(tree) && !this.standing.has(tree))
      throw new Error(`simulated: ${tree} is not there`);
  }

  #make({ project, tree, branch, ports, from }: Parameters<Trees["createWorktree"]>[0]): Worktree {
    const isOfStep = from !== undefined;
    if (isOfStep && this.standing.has(tree) && this.#ofSteps.get(tree) !== branch)
      throw new Error(`simulated: ${tree} stands already`);
    this.standing.add(tree);
    if (isOfStep) this.#ofSteps.set(tree, branch);
    const range = ports === undefined ? null : { first: ports.from, count: ports.count };
    return {
      project,
      tree,
      branch,
      from: "0",
      unfiltered: 0,
      slot: 0,
      ports: range,
      commands: {},
    };
  }

  #take({ key, tree, project, atMs }: Parameters<Trees["snapshot"]>[0]): Snapshot {
    const known = this.#taken.get(key);
    if (known !== undefined) return known;
    const word = this.#guard.whole(tree);
    const id = `snapshot of ${word}`;
    this.#words.set(id, word);
    this.#ever.add(id);
    const taken: Snapshot = {
      key,
      id,
      digest: word,
      files: word,
      project,
      tree,
      atMs,
      note: null,
      head: this.#ofSteps.has(tree) ? ON_ITS_BRANCH : { kind: "none" },
      fileCount: 1,
      read: { files: 1, bytes: 1 },
      skipped: { count: 0, first: [] },
      whole: true,
    };
    this.#taken.set(key, taken);
    return taken;
  }
}
