import type { World } from "../../model/world.ts";
import type { StartOrder } from "../agent-driver.ts";
import type { FunctionAgent } from "./function-agent.ts";
import { functionContext } from "./function-context.ts";
import { signalsOfReturn, signalsOfThrow } from "./function-result.ts";
import { signalLog, type SignalLog } from "./signal-log.ts";

/**
 * One function at work for one attempt.
 *
 * `running` until the function settles or the session is ended; then `over`. While it is being ended the function was
 * told by its abort signal and has its grace to settle; after that it is abandoned: it cannot be killed, only ignored.
 * 1. Exactly one exit is logged, and nothing after it.
 * 2. Nothing a function returns after it was told to end counts as a result: it may have stopped halfway.
 */
export interface FunctionSession {
  readonly log: SignalLog;
  /** Tells this entry of the function from one that an earlier process made under the same session key. */
  readonly entry: string;
  isOver(): boolean;
  end(graceMs: number): Promise<void>;
}

export function startFunctionSession(world: World, order: StartOrder, agent: FunctionAgent): FunctionSession {
  const log = signalLog();
  const abort = new AbortController();
  let over = false;

  const finish = (signals: ReturnType<typeof signalsOfReturn>): void => {
    if (over) return;
    over = true;
    for (const signal of signals) log.push(signal, "always");
    log.wake();
  };
  const context = functionContext(
    order,
    guarded(log, () => over),
    abort.signal,
  );
  const aborted = [{ kind: "exit", how: "signal", signal: "abort" }] as const;

  log.push({ kind: "ready" }, "always");
  const settled = Promise.resolve()
    .then(() => agent(context))
    .then(signalsOfReturn, signalsOfThrow)
    .then((signals) => {
      finish(abort.signal.aborted ? aborted : signals);
    });
  const end = async (graceMs: number): Promise<void> => {
    if (over) return;
    abort.abort(new Error("the session is being ended"));
    // A function that waits for room to speak could otherwise not settle.
    log.wake();
    await firstOf(settled, world, graceMs);
    finish(aborted);
  };
  return { log, entry: world.id("fun"), isOver: () => over, end };
}

/** Ignores what an abandoned function still says. */
const guarded = (log: SignalLog, over: () => boolean): SignalLog => ({
  ...log,
  push: (signal, keep) => {
    if (!over()) log.push(signal, keep);
  },
});

function firstOf(settled: Promise<void>, world: World, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = world.timer(graceMs, resolve);
    void settled.then(() => {
      cancel();
      resolve();
    });
  });
}
