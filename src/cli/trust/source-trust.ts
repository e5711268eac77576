import path from "node:path";
import type { System } from "../../main.ts";
import type { RunSource } from "../../model/flow/bindings.ts";
import { readsAgentConfig } from "../../model/flow/obeyed.ts";
import type { Config } from "../../model/settings/config.ts";
import { isCode } from "../config/find-config.ts";
import { findFlow } from "../config/find-flow.ts";
import { obeyedByRun, type Obeying } from "./obeyed-here.ts";

/** Where a run is begun, and by which configuration. */
interface BegunIn {
  readonly cwd: string;
  readonly config: Config;
  readonly configFile: string | null;
}

interface Wish {
  readonly flow?: string | undefined;
  readonly check?: readonly string[];
}

export interface SourceTrust {
  readonly obeying: Obeying;
  /** The flow's file; undefined for a goal alone. */
  readonly flowFile: string | undefined;
  /** Recorded with the run, for looks at everything it starts later. */
  readonly trust: NonNullable<RunSource["trust"]>;
}

/** What a run is to obey, as the files stand now. */
export function sourceTrust(
  { cwd, config, configFile }: BegunIn,
  order: Parameters<System["createRun"]>[0],
  { flow, check = [] }: Wish,
): SourceTrust {
  const flowFile = flow === undefined ? undefined : findFlow(flow, cwd);
  const obeying = obeyedByRun(cwd, {
    config,
    isConfigOwn: configFile !== null && isCode(configFile),
    agents: order.agents,
    settings: order.settings,
    flow: flowFile === undefined ? undefined : { file: flowFile, flow: order.flow },
    checks: check,
  });
  const { tree, programs, checks } = obeying;
  const fromRoot = (file: string): string => path.relative(tree.root, file);
  const trust = {
    root: tree.root,
    cwd: tree.cwd,
    programs: programs.map(fromRoot),
    checks: checks.map(fromRoot),
    agentConfig: Object.values(order.agents).some(readsAgentConfig),
  };
  return { obeying, flowFile, trust };
}
