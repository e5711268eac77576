import type { AgentDriver, SendOutcome, SignalBatch, StartOrder } from "../../src/agents/agent-driver.ts";
import { toSignal } from "../../src/agents/to-signal.ts";
import { AGENTS } from "../../src/model/agent/kinds/registry.ts";
import type { Signal } from "../../src/model/agent/signals.ts";
import { word, type Act, type Behaviour } from "./health-zoo.ts";
import type { SimProcess } from "../world/sim-process.ts";
import type { SimTime } from "../world/sim-time.ts";

/** Work that brings something new each time, and then the end: what a cured agent does. */
function* cured(from: number): Iterable<Act> {
  for (let round = 0; round < 10; round += 1)
    yield {
      afterMs: 5_000,
      signals: [
        { kind: "context", usedPct: 20 },
        { kind: "tool_call", name: "bash", args: `go on with ${word(from + round)}` },
        { kind: "tool_result", name: "bash", ok: true, text: `done with ${word(from + round)}` },
      ],
    };
  yield {
    afterMs: 900_000,
    signals: [
      { kind: "tool_call", name: "bash", args: "finish" },
      { kind: "tool_result", name: "bash", ok: true, text: "finished" },
      { kind: "result", ok: true, text: "done" },
      { kind: "exit", how: "code", code: 0 },
    ],
  };
}

const READY: Act = { afterMs: 1_000, signals: [{ kind: "ready" }, { kind: "conversation", id: "talk" }] };
/** Whoever was never at work is not stuck in it. */
const LOOKS_AROUND: Act = {
  afterMs: 2_000,
  signals: [
    { kind: "tool_call", name: "bash", args: "git status" },
    { kind: "tool_result", name: "bash", ok: true, text: "nothing to commit" },
  ],
};
const HUNG_CALL_ENDS: Act = {
  afterMs: 1_000,
  signals: [{ kind: "tool_result", name: "bash", ok: false, text: "it was broken off" }],
};

class StuckSession {
  readonly order: StartOrder;
  readonly log: Signal[] = [];
  readonly told = new Map<string, string>();
  readonly wakers = new Set<() => void>();
  readonly #time: SimTime;
  #acts: Iterator<Act>;
  #life = 0;
  isOver = false;

  constructor(time: SimTime, order: StartOrder, acts: Iterable<Act>) {
    this.#time = time;
    this.order = order;
    this.#acts = acts[Symbol.iterator]();
    this.#next(this.#life);
  }

  /** From now on it works well. */
  cure(): void {
    if (this.isOver) return;
    this.#life += 1;
    const from = 9_000 + 100 * this.order.number + this.log.length;
    const isHung = this.log.at(-1)?.kind === "tool_call";
    this.#acts = (isHung ? [HUNG_CALL_ENDS, ...cured(from)] : [...cured(from)])[Symbol.iterator]();
    this.#next(this.#life);
  }

  end(): void {
    this.#life += 1;
    if (!this.isOver) this.#say([{ kind: "exit", how: "signal", signal: "SIGTERM" }]);
  }

  #next(life: number): void {
    const next = this.#acts.next();
    if (next.done === true) return;
    const { value } = next;
    this.#time.schedule(value.afterMs, () => {
      if (life !== this.#life || this.isOver) return;
      this.#say(value.signals ?? []);
      this.#next(life);
    });
  }

  #say(signals: readonly unknown[]): void {
    this.log.push(...signals.map(toSignal));
    this.isOver = this.log.at(-1)?.kind === "exit";
    for (const wake of [...this.wakers]) wake();
  }
}

/** Whoever is asked about a stuck agent, and not one that works. */
export const isAdviser = ({ attempt }: StartOrder): boolean => attempt.endsWith(".triage");

const answering = (text: string): Act[] => [
  READY,
  {
    afterMs: 20_000,
    signals: [
      { kind: "result", ok: true, text },
      { kind: "exit", how: "code", code: 0 },
    ],
  },
];

/** Agents that behave as given until they are cured. They outlive supervisors and can be told things. */
export class StuckAgents {
  readonly sessions = new Map<string, StuckSession>();
  readonly #time: SimTime;
  readonly #behaviour: Behaviour;
  /** Whether an agent that begins now, or was told this just now, is well from here on. */
  readonly #isCured: (what: { readonly order: StartOrder; readonly text?: string }) => boolean;
  /** Starts that found a session of the step alive. */
  readonly doubled: string[] = [];
  readonly #judge: string;

  constructor(time: SimTime, behaviour: Behaviour, isCured: StuckAgents["cures"], judge = "") {
    this.#time = time;
    this.#judge = judge;
    this.#behaviour = behaviour;
    this.#isCured = isCured;
  }

  readonly cures = (what: { readonly order: StartOrder; readonly text?: string }): boolean =>
    this.#isCured(what);

  get told(): string[] {
    return [...this.sessions.values()].flatMap(({ told }) => [...told.values()]);
  }

  cureAll(): void {
    for (const session of this.sessions.values()) if (!isAdviser(session.order)) session.cure();
  }

  driver(process: SimProcess, use: "acp" | "claude"): AgentDriver {
    return {
      use,
      capabilities: AGENTS[use].capabilities,
      start: (order) => process.hears(this.#start(order)),
      find: ({ session }) => {
        const found = this.sessions.get(session);
        const kind = found === undefined ? "gone" : found.isOver ? "over" : "alive";
        return process.hears(Promise.resolve({ kind, detail: "simulated" } as const));
      },
      listen: ({ session }, cursor, hear) => this.#listen(process, session, Number(cursor), hear),
      send: ({ session }, { key, text }) => process.hears(this.#send(session, key, text)),
      answer: () => Promise.resolve({ kind: "failed", text: "simulated: nothing was asked", terminal: true }),
      interrupt: () => Promise.resolve({ kind: "failed", text: "simulated: not here", terminal: true }),
      end: async ({ session }) => {
        await process.hears(this.#time.sleep(500));
        this.sessions.get(session)?.end();
        return process.hears(Promise.resolve({ kind: "ended" } as const));
      },
      abandon: () => undefined,
      close: () => Promise.resolve(),
    };
  }

  async #start(order: StartOrder): Promise<{ readonly kind: "started"; readonly detail: string }> {
    await this.#time.sleep(300);
    if (this.sessions.has(order.session)) return { kind: "started", detail: "already" };
    for (const other of this.sessions.values())
      if (!other.isOver && isAdviser(other.order) === isAdviser(order)) this.doubled.push(order.session);
    const acts = isAdviser(order) ? answering(this.#judge) : this.#actsOf(order);
    this.sessions.set(order.session, new StuckSession(this.#time, order, acts));
    return { kind: "started", detail: "simulated" };
  }

  #actsOf(order: StartOrder): Iterable<Act> {
    return this.#isCured({ order })
      ? [READY, ...cured(9_000 + 100 * order.number)]
      : startingWith(READY, this.#behaviour);
  }

  /** Under one key it arrives once. */
  async #send(name: string, key: string, text: string): Promise<SendOutcome> {
    await this.#time.sleep(200);
    const session = this.sessions.get(name);
    if (session === undefined || session.isOver)
      return { kind: "failed", text: "simulated: it is gone", terminal: false };
    if (!session.told.has(key)) {
      session.told.set(key, text);
      if (this.#isCured({ order: session.order, text })) session.cure();
    }
    return { kind: "sent", detail: "simulated" };
  }

  #listen(
    process: SimProcess,
    name: string,
    from: number,
    hear: (batch: SignalBatch) => Promise<void>,
  ): { close(): void } {
    let closed = false;
    const loop = async (): Promise<void> => {
      let read = from;
      while (!closed && process.alive) {
        const session = this.sessions.get(name);
        const signals = session?.log.slice(read) ?? [];
        if (session === undefined) return;
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
}

function* startingWith(first: Act, { acts }: Behaviour): Iterable<Act> {
  yield first;
  yield LOOKS_AROUND;
  yield* acts();
}
