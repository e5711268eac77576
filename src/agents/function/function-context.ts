import { errorText } from "../../model/fault.ts";
import type { StartOrder } from "../agent-driver.ts";
import { jsonText, toSignal, unknownSignal } from "../to-signal.ts";
import type { FunctionAgentContext, ReportableSignal } from "./function-agent.ts";
import type { SignalLog } from "./signal-log.ts";

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
    const heard = toSignal(said);
    // A session that is ending has nobody left to slow it down for; whatever it still says is not waited for.
    log.push(NOT_REPORTABLE.has(heard.kind) ? unknownSignal(said) : heard);
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
