/** The package's entry: what a program that embeds Holdfast may rely on. */
export { openSystem, type System, type SystemOptions } from "./main.ts";
export type { FunctionAgent, FunctionAgentContext } from "./agents/function/function-agent.ts";
export { configSchema, type Config } from "./model/config.ts";
export { Fault, isFault, type FaultCode } from "./model/fault.ts";
export { checkMessages } from "./loop/repair/check-messages.ts";
export { repairMessages } from "./loop/repair/repair-messages.ts";
