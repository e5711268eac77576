import type { AgentDriver, SignalBatch, StartOrder } from "../../../src/agents/agent-driver.ts";
import { toSignal } from "../../../src/agents/to-signal.ts";
import { AGENTS } from "../../../src/model/agent/kinds/registry.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import type { SimProcess } from "../../../sim/world/sim-process.ts";
import type { SimTime } from "../../../sim/world/sim-time.ts";

/** What an agent does next, so long after what it did before. */
export interface Act {
  readonly afterMs: number;
  readonly signals?: readonly unknown[];
  readonly does?: (cwd: string) => void;
}

/** What an agent of one attempt does from its start to its end. */
export type ScriptOf = (order: StartOrder) => readonly Act[];

class StorySession {
  readonly log: Signal[] = [];
  readonly wakers = new Set<() => void>();
  readonly #time: SimTime;
  readonly #cwd: string;
  isOver = false;

  constructor(time: SimTime, { cwd }: StartOrder, acts: readonly Act[]) {
    this.#time = time;
    this.#cwd = cwd;
    this.#play(acts, 0);
  }

  end(): void {
    this.#say([{ kind: "exit", how: "signal", signal: "SIGTERM" }]);
  }

  #play(acts: readonly Act[], at: number): void {
    const act = acts[at];
    if (act === undefined) return;
    this.#time.schedule(act.afterMs, () => {
      if (this.isOver) return;
      act.does?.(this.#cwd);
      this.#say(act.signals ?? []);
      this.#play(acts, at + 1);
    });
  }

  #say(signals: readonly unknown[]): void {
    if (this.isOver) return;
    this.log.push(...signals.map(toSignal));
    this.isOver = this.log.at(-1)?.kind === "exit";
    for (const wake of [...this.wakers]) wake();
  }
}

/** Agents of a story: they say what is written for their attempt, when it is written, no matter who supervises them. */
export class StoryAgents {
  readonly #sessions = new Map<string, StorySession>();
  readonly #time: SimTime;
  readonly #scriptOf: ScriptOf;

  constructor(time: SimTime, scriptOf: ScriptOf) {
    this.#time = time;
    this.#scriptOf = scriptOf;
  }

  driver(process: SimProcess): AgentDriver {
    const find = (session: string): StorySession | undefined => this.#sessions.get(session);
    return {
      use: "claude",
      capabilities: AGENTS.claude.capabilities,
      start: async (order) => {
        await process.hears(this.#time.sleep(700));
        if (find(order.session) === undefined)
          this.#sessions.set(order.session, new StorySession(this.#time, order, this.#scriptOf(order)));
        return { kind: "started", detail: "pid 4711" };
      },
      find: ({ session }) => {
        const kind = find(session) === undefined ? "gone" : find(session)?.isOver === true ? "over" : "alive";
        return process.hears(Promise.resolve({ kind, detail: "its process" } as const));
      },
      listen: ({ session }, cursor, hear) => listen(process, () => find(session), Number(cursor), hear),
      send: () => process.hears(Promise.resolve({ kind: "sent", detail: "typed" } as const)),
      answer: () => process.hears(Promise.resolve({ kind: "sent", detail: "answered" } as const)),
      interrupt: () => process.hears(Promise.resolve({ kind: "sent", detail: "interrupted" } as const)),
      end: async ({ session }) => {
        await process.hears(this.#time.sleep(400));
        find(session)?.end();
        return { kind: "ended" };
      },
      abandon: () => undefined,
      close: () => Promise.resolve(),
    };
  }
}

function listen(
  process: SimProcess,
  find: () => StorySession | undefined,
  from: number,
  hear: (batch: SignalBatch) => Promise<void>,
): { close(): void } {
  let closed = false;
  const loop = async (): Promise<void> => {
    let read = from;
    while (!closed && process.alive) {
      const session = find();
      if (session === undefined) return;
      const signals = session.log.slice(read);
      if (signals.length === 0) {
        await new Promise<void>((resolve) => {
          session.wakers.add(resolve);
          process.onDeath(resolve);
        });
        session.wakers.clear();
        continue;
      }
      read += signals.length;
      await process.hears(hear({ signals, cursor: String(read) }));
      if (signals.at(-1)?.kind === "exit") return;
    }
  };
  void loop();
  return {
    close() {
      closed = true;
    },
  };
}
