/** The package's entry: what a program that embeds Holdfast may rely on. On a Node that is too old it says so. */
import type { System, SystemOptions } from "./main.ts";
import { tooOldNode } from "./model/host/needed-node.ts";
export type { System, SystemOptions } from "./main.ts";
export type { FunctionAgent, FunctionAgentContext } from "./agents/function/function-agent.ts";
export { configSchema, type Config } from "./model/settings/config.ts";
export { defineFlow, type FlowDefinition, type StepDefinition } from "./model/flow/define-flow.ts";
export type { Duration } from "./model/text/duration.ts";
export { Fault, isFault, type FaultCode } from "./model/fault.ts";
export type { DeepReadonly, Jsonify } from "./model/values/jsonify.ts";
export { checkMessages } from "./loop/repair/check-messages.ts";
export type { MessageRule, Problem } from "./loop/repair/problem.ts";
export type { KnownResult, MessageShape, Repair, RepairKind, RepairOptions } from "./loop/repair/repair.ts";
export { repairMessages, type RepairedMessages } from "./loop/repair/repair-messages.ts";
export { openHoldfast, type HoldfastOptions } from "./open-holdfast.ts";
export type { Asked } from "./loop/ask-run.ts";
export type { DefineOptions } from "./loop/registered-programs.ts";
export type { Holdfast } from "./loop/holdfast.ts";
export type { EventsOptions } from "./loop/follow-run.ts";
export type { ListOptions, RunInfo, RunRow } from "./loop/read-runs.ts";
export type { RunArguments, RunOptions, StartOptions } from "./loop/run-options.ts";
export type { ServeOptions, Worker } from "./loop/worker.ts";
export { StepError, type ErrorClass } from "./loop/scope/step-error.ts";
export type { Waiting, WaitOptions } from "./loop/life/wait-for-lease.ts";
export type {
  WorkflowFunction,
  /** The former name of WorkflowFunction. */
  WorkflowFunction as Body,
  BudgetHandle,
  GroupOptions,
  ListedChild,
  LoopState,
  NamedChild,
  Recovered,
  Run,
  Settled,
  SpawnOptions,
  Spending,
  StepBackoff,
  StepContext,
  StepOptions,
  StepRetries,
  TreeLimits,
  Waited,
} from "./loop/workflow-function.ts";

/** Loaded when it is called: a program whose functions go on after a crash does not wait for what agents need. */
export async function openSystem(options: SystemOptions): Promise<System> {
  const system = await import("./main.ts");
  return system.openSystem(options);
}

const tooOld = tooOldNode(process.versions.node);
if (tooOld !== null) throw new Error(`holdfast: ${tooOld}`);
