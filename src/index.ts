/** The package's entry: what a program that embeds Holdfast may rely on. */
export { openSystem, type System, type SystemOptions } from "./main.ts";
export type { FunctionAgent, FunctionAgentContext } from "./agents/function/function-agent.ts";
export { configSchema, type Config } from "./model/config.ts";
export { defineFlow, type FlowDefinition, type StepDefinition } from "./model/define-flow.ts";
export { Fault, isFault, type FaultCode } from "./model/fault.ts";
export { checkMessages } from "./loop/repair/check-messages.ts";
export type { MessageRule, Problem } from "./loop/repair/problem.ts";
export type { KnownResult, MessageShape, Repair, RepairKind, RepairOptions } from "./loop/repair/repair.ts";
export { repairMessages, type RepairedMessages } from "./loop/repair/repair-messages.ts";
export { openHoldfast, type HoldfastOptions } from "./open-holdfast.ts";
export type { Asked } from "./loop/ask-run.ts";
export type { DefineOptions } from "./loop/registered-bodies.ts";
export type { Holdfast, RunOptions } from "./loop/holdfast.ts";
export { StepError, type ErrorClass } from "./loop/step-error.ts";
export type { Waiting, WaitOptions } from "./loop/wait-for-lease.ts";
export type {
  Body,
  BudgetHandle,
  GroupOptions,
  ListedChild,
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
} from "./loop/body.ts";
