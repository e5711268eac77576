import { cannotReceive } from "../../src/agents/listening.ts";
import type { AgentDriver, Finding, SignalBatch, StartOrder } from "../../src/agents/agent-driver.ts";
import { AGENTS } from "../../src/model/agent/kinds/registry.ts";
import type { AgentSpec } from "../../src/model/flow/flow.ts";
import type { Signal } from "../../src/model/agent/signals.ts";
import { drawAnswer, decideOf } from "./draw-reviews.ts";
import { drawScript, type ScriptLine } from "./sim-agent-script.ts";
import type { SimMachine, SimProcess } from "../world/sim-process.ts";

/** A simulated agent: what it says, when, and how it ends. The truth against which the journal is checked. */
export class SimSession {
  readonly order: StartOrder;
  readonly startedAt: number;
  /** Agents inside a supervisor's process die with it. */
  readonly inside: SimProcess | null;
  #lines: ScriptLine[];
  #wakers = new Set<() => void>();

  constructor(order: StartOrder, startedAt: number, lines: ScriptLine[], inside: SimProcess | null) {
    this.order = order;
    this.startedAt = startedAt;
    this.inside = inside;
    this.#lines = lines;
  }

  /** Everything it has said by then. */
  said(now: number): Signal[] {
    return this.#lines.slice(0, this.#linesBy(now)).map(({ signal }) => signal);
  }

  /** Lines stand in the order of their times. */
  #linesBy(now: number): number {
    let count = this.#lines.length;
    while (count > 0 && this.startedAt + (this.#lines[count - 1]?.afterMs ?? 0) > now) count -= 1;
    return count;
  }

  saidAll(): Signal[] {
    return this.#lines.map(({ signal }) => signal);
  }

  nextAt(now: number): number | null {
    const next = this.#lines[this.#linesBy(now)];
    return next === undefined ? null : this.startedAt + next.afterMs;
  }

  isOver(now: number): boolean {
    return this.#lines[this.#linesBy(now) - 1]?.signal.kind === "exit";
  }

  /** A clean exit, or its own word of success as its last one, with nobody left to tell how its process ended. */
  endedCleanly(): boolean {
    const [word, exit] = [this.saidAll().at(-2), this.saidAll().at(-1)];
    if (exit?.kind !== "exit") return false;
    return exit.code === 0 || (exit.how === "vanished" && word?.kind === "result" && word.ok);
  }

  /** Really done: its own word of success and a clean exit. */
  succeeded(): boolean {
    return this.endedCleanly() && this.saidAll().some((signal) => signal.kind === "result" && signal.ok);
  }

  /** From outside, at `now`: what it would have said later is never said. */
  stop(now: number): void {
    this.cut(now, [{ kind: "exit", how: "signal", signal: "SIGTERM" }]);
  }

  /** These are its last words. */
  cut(now: number, last: readonly Signal[]): void {
    if (this.isOver(now)) return;
    const afterMs = now - this.startedAt;
    const said = this.#lines.filter((line) => line.afterMs <= afterMs);
    this.#lines = [...said, ...last.map((signal) => ({ afterMs, signal }))];
    for (const wake of [...this.#wakers]) wake();
  }

  onChange(wake: () => void): () => void {
    this.#wakers.add(wake);
    return () => this.#wakers.delete(wake);
  }
}

/** All simulated agents of all hosts, and what was seen of how they were treated. */
export class SimAgents {
  readonly #current = new Map<string, SimSession>();
  readonly #byAttempt = new Map<string, SimSession[]>();
  readonly #byRun = new Map<string, SimSession[]>();
  readonly #advisers = new Map<string, SimSession[]>();
  readonly machine: SimMachine;
  /** Told of every start that is really performed. */
  /** What an agent hears of its provider that starts now; null where it is let in. */
  refusal: (session: SimSession) => Signal[] | null = () => null;
  readonly onStart: (order: StartOrder, session: SimSession) => void;

  constructor(machine: SimMachine, onStart: (order: StartOrder, session: SimSession) => void) {
    this.machine = machine;
    this.onStart = onStart;
  }

  /** Every session that was ever begun for an attempt. */
  of(run: string, attempt: string): SimSession[] {
    return this.#byAttempt.get(`${run}/${attempt}`) ?? [];
  }

  /** Sessions at work that outlive their supervisors. */
  alive(): SimSession[] {
    const { now } = this.machine.time;
    return [...this.#current.values()]
      .filter(({ inside }) => inside === null)
      .filter((one) => !one.isOver(now));
  }

  /** Every session that was ever begun for a run. */
  ofRun(run: string): readonly SimSession[] {
    return this.#byRun.get(run) ?? [];
  }

  /** Every session that was ever asked about the work of others. */
  advisersOf(run: string): readonly SimSession[] {
    return this.#advisers.get(run) ?? [];
  }

  driver(use: AgentSpec["use"], process: SimProcess): AgentDriver {
    const outlives = use === "demo";
    const find = (session: string): SimSession | undefined =>
      this.#current.get(placeOf(session, outlives ? null : process));
    return {
      use,
      capabilities: {
        outlivesSupervisor: outlives,
        steer: "none",
        resume: false,
        permissions: false,
        usage: true,
        counts: AGENTS.demo.capabilities.counts,
        mcp: false,
      },
      ...cannotReceive,
      start: (order) => process.hears(this.#start(order, process, outlives)),
      find: ({ session }) => process.hears(this.#find(find(session))),
      listen: ({ session }, cursor, hear) => this.#listen(process, () => find(session), { cursor, hear }),
      end: ({ session }) => process.hears(this.#end(process, find(session))),
      abandon: ({ session }) => {
        if (process.alive && !outlives) this.#current.delete(placeOf(session, process));
      },
      close: () => Promise.resolve(),
    };
  }

  async #start(order: StartOrder, process: SimProcess, outlives: boolean) {
    const { time, chance, faults } = this.machine;
    const inside = outlives ? null : process;
    await process.hears(time.sleep(1 + chance() * 500));
    if (chance() < faults().spawnThrows) throw new Error("simulated: spawn failed");
    const place = placeOf(order.session, inside);
    if (this.#current.has(place)) return { kind: "started", detail: "already" } as const;
    if (chance() < faults().spawnRefused)
      return { kind: "failed", text: "simulated: refused", terminal: false } as const;
    const judge = decideOf(order.attempt);
    const script =
      judge === null
        ? drawScript(chance, faults().agentMisbehaves, faults().agentBlocked)
        : drawAnswer(judge, chance, faults().agentMisbehaves);
    const session = new SimSession(order, time.now, script, inside);
    const refusal = this.refusal(session);
    if (refusal !== null) session.cut(time.now, [{ kind: "ready" }, ...refusal]);
    this.#current.set(place, session);
    if (judge === null) {
      put(this.#byRun, order.run, session);
      put(this.#byAttempt, `${order.run}/${order.attempt}`, session);
    } else put(this.#advisers, order.run, session);
    this.onStart(order, session);
    if (chance() < faults().spawnThrows) throw new Error("simulated: spawned, but the answer was lost");
    return { kind: "started", detail: "simulated" } as const;
  }

  async #find(session: SimSession | undefined): Promise<Finding> {
    const { time, chance, faults } = this.machine;
    await time.sleep(chance() * 50);
    if (chance() < faults().probeFails) throw new Error("simulated: the probe failed");
    if (session === undefined) return { kind: "gone", detail: "simulated: no such session" };
    return { kind: session.isOver(time.now) ? "over" : "alive", detail: "simulated" };
  }

  #listen(
    process: SimProcess,
    find: () => SimSession | undefined,
    from: { cursor: string; hear: (batch: SignalBatch) => Promise<void> },
  ): { close(): void } {
    let closed = false;
    const { time, chance } = this.machine;
    const loop = async (): Promise<void> => {
      let read = from.cursor === "" ? 0 : Number(from.cursor);
      while (!closed && process.alive) {
        const session = find();
        const fresh =
          session === undefined
            ? [VANISHED]
            : session.said(time.now).slice(read, read + 1 + Math.floor(chance() * 20));
        if (fresh.length === 0 && session !== undefined) {
          await untilMore(process, session, time.now);
          continue;
        }
        read += fresh.length;
        await process.hears(from.hear({ signals: fresh, cursor: String(read) }));
        if (fresh.at(-1)?.kind === "exit") return;
      }
    };
    void loop();
    return {
      close() {
        closed = true;
      },
    };
  }

  async #end(process: SimProcess, session: SimSession | undefined) {
    const { time, chance, faults } = this.machine;
    await process.hears(time.sleep(chance() * 2_000));
    if (chance() < faults().endFails) return { kind: "failed", text: "simulated: it would not die" } as const;
    session?.stop(time.now);
    return { kind: "ended" } as const;
  }
}

function put(map: Map<string, SimSession[]>, key: string, session: SimSession): void {
  const before = map.get(key);
  if (before === undefined) map.set(key, [session]);
  else before.push(session);
}

/** Inside a process a session is that process's own: two that both believe to own a run may each have one. */
const placeOf = (session: string, inside: SimProcess | null): string =>
  inside === null ? session : `${session} in ${String(inside.identity.pid)}`;

const VANISHED: Signal = { kind: "exit", how: "vanished" };

/** A tail waits for the next line, or for the session to be stopped; like a poll it wakes now and then anyway. */
function untilMore(process: SimProcess, session: SimSession, now: number): Promise<void> {
  return new Promise((resolve) => {
    const next = session.nextAt(now);
    const delayMs = Math.min(next === null ? 600_000 : next - now, 600_000);
    const unwatch = session.onChange(() => {
      wake();
    });
    const cancel = process.timer(delayMs, () => {
      wake();
    });
    const wake = (): void => {
      cancel();
      unwatch();
      resolve();
    };
  });
}
