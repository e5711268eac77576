import { guardedTrees } from "../../decide/gate/guard-rules.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { Ports } from "../ports.ts";
import type { Receive } from "../session-listeners.ts";

/**
 * So long after one sign the next is reported: the one that writes all the time has looks come at this pace, not
 * faster.
 */
const GAP_MS = 2_000;

/**
 * Watches the protected files of one run while agents work there. Given the whole state after every append, it opens
 * what is missing and closes what is watched for nobody any more (I3). What it sees is a hint: it brings a look
 * forward.
 */
export class ProtectedWatch {
  readonly #ports: Pick<Ports, "guard" | "world">;
  readonly #receive: Receive;
  readonly #open = new Map<string, () => void>();

  constructor(ports: Pick<Ports, "guard" | "world">, receive: Receive) {
    this.#ports = ports;
    this.#receive = receive;
  }

  reconcile(state: RunState): void {
    const isAtWork = Object.values(state.attempts).some(({ ending }) => ending === null);
    const wanted = new Map(
      (isAtWork ? guardedTrees(state) : [])
        .filter(({ tree }) => (state.guards[tree]?.trusted ?? null) !== null)
        .map(({ tree, rules }) => [tree, rules]),
    );
    for (const [tree, close] of this.#open) {
      if (wanted.has(tree)) continue;
      close();
      this.#open.delete(tree);
    }
    for (const [tree, rules] of wanted)
      if (!this.#open.has(tree)) this.#open.set(tree, this.#watch(tree, rules));
  }

  close(): void {
    for (const close of this.#open.values()) close();
    this.#open.clear();
  }

  #watch(tree: string, rules: readonly string[]): () => void {
    const { world, guard } = this.#ports;
    let notBefore = -Infinity;
    let cancel: (() => void) | null = null;
    const report = (): void => {
      cancel = null;
      notBefore = world.now() + GAP_MS;
      void this.#receive({ type: "ProtectedFilesStirred", data: { tree } });
    };
    const close = guard.watch({ tree, rules }, () => {
      if (cancel !== null) return;
      const waitMs = notBefore - world.now();
      if (waitMs <= 0) report();
      else cancel = world.timer(waitMs, report);
    });
    return () => {
      cancel?.();
      close();
    };
  }
}
