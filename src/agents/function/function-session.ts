import type { StartOrder } from "../agent-driver.ts";
import type { FunctionAgent, FunctionAgentContext, ReportableSignal } from "./function-agent.ts";
import { signalLog, type SignalLog } from "./signal-log.ts";
import { jsonText, toSignal, unknownSignal } from "../to-signal.ts";
import { type Signal, toExcerpt } from "../../model/agent/signals.ts";
import { errorText } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";

/** Results are journaled; what is larger belongs into a file, and its path into the result. */
export const RESULT_CHARS_MAX = 1024 * 1024;

/** The last signals of a function that returned: its result as it will be read back from the journal, or why it cannot be. */
export function signalsOfReturn(value: unknown): readonly Signal[] {
  // Nothing returned is nothing claimed: whether something was done its files or its checks must show.
  if (value === undefined) return [exitWith(0)];
  const encoded = encode(value);
  if (encoded.kind === "failed")
    return [{ kind: "error", text: toExcerpt(encoded.text), terminal: false }, exitWith(1)];
  const text = toExcerpt(typeof value === "string" ? value : encoded.json);
  return [{ kind: "result", ok: true, text, value: JSON.parse(encoded.json) as unknown }, exitWith(0)];
}

export function signalsOfThrow(thrown: unknown): readonly Signal[] {
  const terminal =
    typeof thrown === "object" && thrown !== null && "terminal" in thrown && thrown.terminal === true;
  const text = thrown instanceof Error ? thrown.message : jsonText(thrown);
  return [
    { kind: "error", text: toExcerpt(text === "" ? "an error without a message" : text), terminal },
    exitWith(1),
  ];
}

type Encoded =
  { readonly kind: "json"; readonly json: string } | { readonly kind: "failed"; readonly text: string };

function encode(value: unknown): Encoded {
  try {
    // Typed as text, but a function or a symbol gives undefined.
    const json = JSON.stringify(value) as string | undefined;
    if (json === undefined) return { kind: "failed", text: unfit(`a ${typeof value}`) };
    if (json.length <= RESULT_CHARS_MAX) return { kind: "json", json };
    return { kind: "failed", text: unfit(`${String(json.length)} characters of JSON`) };
  } catch (error) {
    return { kind: "failed", text: unfit(errorText(error)) };
  }
}

const unfit = (seen: string): string =>
  `the result of the function cannot be recorded: ${seen}; expected a JSON value of at most ` +
  `${String(RESULT_CHARS_MAX)} characters (return the path of a file instead)`;

const exitWith = (code: number): Signal => ({ kind: "exit", how: "code", code });

/**
 * One function at work for one attempt.
 *
 * `running` until the function settles or the session is ended; then `over`. While it is being ended the function was
 * informed by its abort signal and has its grace to settle; after that it is abandoned: it cannot be killed, only
 * ignored.
 * 1. Exactly one exit is logged, and nothing after it.
 * 2. Nothing a function returns after it was asked to end counts as a result: it may have stopped halfway.
 */
export interface FunctionSession {
  readonly log: SignalLog;
  /** Distinguishes this entry of the function from one that an earlier process made under the same session key. */
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

/** What a function knows of its order. */
export type FunctionOrder = Pick<StartOrder, "run" | "step" | "attempt" | "number" | "task" | "cwd">;

const NOT_REPORTABLE = new Set<string>(["ready", "result", "exit"]);

/** What the function is given: its order, and ways to speak that cannot end or finish the session in its driver's name. */
export function functionContext(
  order: FunctionOrder,
  log: Pick<SignalLog, "push" | "room">,
  signal: AbortSignal,
): FunctionAgentContext {
  let calls = 0;
  const emit = (said: ReportableSignal): Promise<void> => {
    const received = toSignal(said);
    // A session that is ending has nobody left to slow it down for; everything it still says is not waited for.
    log.push(NOT_REPORTABLE.has(received.kind) ? unknownSignal(said) : received);
    return signal.aborted ? Promise.resolve() : log.room();
  };
  const tool = async <Result>(
    name: string,
    args: unknown,
    work: () => Promise<Result> | Result,
  ): Promise<Result> => {
    calls += 1;
    const callId = String(calls);
    await emit({ kind: "tool_call", callId, name, args: jsonText(args) });
    try {
      const result = await work();
      await emit({ kind: "tool_result", callId, name, ok: true, text: jsonText(result) });
      return result;
    } catch (error) {
      await emit({ kind: "tool_result", callId, name, ok: false, text: errorText(error) });
      throw error;
    }
  };
  const { run, step, attempt, number, task, cwd } = order;
  return {
    ...{ run, step, attempt, number, task, cwd, signal, emit, tool },
    report: (text, pct) => emit({ kind: "progress", text, ...(pct === undefined ? {} : { pct }) }),
  };
}
