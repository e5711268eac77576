import type { RunState } from "../../model/state/run-state.ts";
import type { Drivers } from "../ports.ts";
import type { AgentDriver } from "../../agents/agent-driver.ts";
import type { AgentSpec } from "../../model/flow/flow.ts";

/** Whether an agent works inside the process of its supervisor and dies with it. One given as a module has its own. */
export const livesInside = (
  { capabilities }: Pick<AgentDriver, "capabilities">,
  { module }: Pick<AgentSpec, "module">,
): boolean => !capabilities.outlivesSupervisor && module === undefined;

/** Whether an agent of the run is at work inside this process. */
export const worksInside = ({ attempts, agents }: Readonly<RunState>, drivers: Drivers): boolean =>
  Object.values(attempts).some(({ agent, ending }) => {
    const spec = agents[agent];
    const driver = spec && drivers.get(spec.use);
    return ending === null && spec !== undefined && driver !== undefined && livesInside(driver, spec);
  });
