import type { Artifacts } from "../../src/workspace/artifacts.ts";
import { drawPlan } from "../agents/sim-flow.ts";
import type { SimMachine, SimProcess } from "./sim-process.ts";

const LOOK_MS_MAX = 10_000;

/** Declared outputs that are delivered or not, and what was ever kept of them. */
export class SimArtifacts {
  readonly #machine: SimMachine;
  readonly #kept = new Set<string>();

  constructor(machine: SimMachine) {
    this.#machine = machine;
  }

  holds(digest: string): boolean {
    return this.#kept.has(digest);
  }

  port(process: SimProcess): Artifacts {
    const after = <Answer>(act: () => Answer): Promise<Answer> =>
      new Promise((resolve, reject) => {
        process.timer(this.#machine.chance() * LOOK_MS_MAX, () => {
          const { chance, faults } = this.#machine;
          if (chance() < faults().lookFails) reject(new Error("simulated: not readable"));
          else resolve(act());
        });
      });
    return {
      collect: ({ tree, outputs, read }) =>
        after(() => {
          const { chance, faults } = this.#machine;
          const [first] = outputs;
          if (first !== undefined && chance() < faults().checkFails)
            return { artifacts: [], problems: [{ path: first.path, problem: "simulated: it is empty" }] };
          const artifacts = outputs.map(({ path }) => {
            const digest = `${tree}/${path} ${String(this.#kept.size)}`;
            this.#kept.add(digest);
            const at = read?.find((one) => one.path === path)?.at;
            const values = Object.fromEntries(
              (at ?? []).map((pointer) => [
                pointer,
                pointer === "" ? drawPlan(chance, this.#kept.size) : chance() < 0.5,
              ]),
            );
            return { path, digest, bytes: 1, ...(at === undefined ? {} : { values }) };
          });
          return { artifacts, problems: [] };
        }),
      hand: ({ key, artifacts }) =>
        after(() => {
          const lost = artifacts.find(({ digest }) => !this.#kept.has(digest));
          if (lost !== undefined) throw new Error(`simulated: ${lost.path} was never kept`);
          return `/simulated/handed/${key}`;
        }),
      keep: () =>
        after(() => {
          const digest = `patch ${String(this.#kept.size)}`;
          this.#kept.add(digest);
          return digest;
        }),
      read: () => Promise.resolve(null),
    };
  }
}
