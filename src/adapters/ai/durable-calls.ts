/** `holdfast/ai`: the calls of the AI SDK made durable. */
import type { Run, StepOptions } from "../../loop/workflow-function.ts";
import { Fault } from "../../model/fault.ts";
import { type CallableModel, durableModel, fromPlain, toPlain } from "./durable-model.ts";

export interface DurableOptions {
  /** Tools that must not happen twice: how their step is committed, by the tool's name. */
  readonly effects?: Readonly<Record<string, StepOptions<unknown>>>;
}

interface ToolLike {
  readonly execute?: unknown;
}
interface ExecuteOptions {
  readonly toolCallId: string;
  /** Of the step: the same however often it is tried. */
  readonly key?: string;
}
type Execute = (input: unknown, options: ExecuteOptions) => unknown;

const calls = new WeakMap<Run, number>();

/**
 * Makes what is given to `generateText`, `streamText` or an agent durable: every reply of the model and every result
 * of a tool is committed in `run`, and a process that starts again is answered from there.
 */
export function durable<Options extends { readonly model: unknown }>(
  run: Run,
  options: Options,
  { effects = {} }: DurableOptions = {},
): Options {
  const number = calls.get(run) ?? 0;
  calls.set(run, number + 1);
  const scope = `ai/${String(number)}`;
  const { tools } = options as { readonly tools?: Readonly<Record<string, ToolLike>> };
  return {
    ...options,
    abortSignal: (options as { readonly abortSignal?: AbortSignal }).abortSignal ?? run.signal,
    model: durableModel(callable(options.model), run, scope),
    ...(tools === undefined ? {} : { tools: durableTools(tools, { run, scope, effects }) }),
  };
}

function callable(model: unknown): CallableModel {
  if (typeof model === "object" && model !== null && "doGenerate" in model && "doStream" in model)
    return model as CallableModel;
  throw new Fault(
    "usage",
    `durable needs a model made by a provider, such as openai("…"); it was given ${typeof model === "string" ? `the text "${model}"` : typeof model}`,
  );
}

interface ToolPlace {
  readonly run: Run;
  readonly scope: string;
  readonly effects: Readonly<Record<string, StepOptions<unknown>>>;
}

function durableTools(tools: Readonly<Record<string, ToolLike>>, place: ToolPlace): Record<string, ToolLike> {
  const seen = new Map<string, number>();
  const durableOnes = Object.entries(tools).map(([name, tool]) => {
    if (typeof tool.execute !== "function") return [name, tool] as const;
    const execute = tool.execute as Execute;
    return [
      name,
      { ...tool, execute: durableExecute(name, execute.bind(tool), { ...place, seen }) },
    ] as const;
  });
  return Object.fromEntries(durableOnes);
}

/** A call's id comes from the recorded reply, so that it is the same in every life; some models use one twice. */
function durableExecute(
  name: string,
  execute: Execute,
  { run, scope, effects, seen }: ToolPlace & { readonly seen: Map<string, number> },
): Execute {
  return async (input, options) => {
    const call = `${scope}/tool/${name}/${options.toolCallId}`;
    const times = (seen.get(call) ?? 0) + 1;
    seen.set(call, times);
    const step = times === 1 ? call : `${call}#${String(times)}`;
    const result = await run.step(
      step,
      async ({ key }) => toPlain(await lastOf(execute(input, { ...options, key }))),
      effects[name] ?? {},
    );
    return fromPlain(result);
  };
}

/** A tool that reports as it goes gives its result last. */
async function lastOf(result: unknown): Promise<unknown> {
  if (typeof result !== "object" || result === null || !(Symbol.asyncIterator in result)) return result;
  let last: unknown;
  for await (const value of result as AsyncIterable<unknown>) last = value;
  return last;
}
