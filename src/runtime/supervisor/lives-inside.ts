import type { AgentDriver } from "../../agents/agent-driver.ts";
import type { AgentSpec } from "../../model/flow/flow.ts";

/** Whether an agent works inside the process of its supervisor and dies with it. One given as a module has its own. */
export const livesInside = (
  { capabilities }: Pick<AgentDriver, "capabilities">,
  { module }: Pick<AgentSpec, "module">,
): boolean => !capabilities.outlivesSupervisor && module === undefined;
