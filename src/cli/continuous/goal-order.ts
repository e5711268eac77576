import type { System } from "../../main.ts";
import type { ContinuousSpec, Goal } from "../../model/continuous/continuous-spec.ts";
import { Fault } from "../../model/fault.ts";
import { printableLine } from "../../model/text/printable.ts";
import { isCode } from "../config/find-config.ts";
import { loadConfig, type LoadedConfig } from "../config/load-config.ts";
import { runOrder } from "../run/run-order.ts";
import type { Obeying } from "../trust/obeyed-here.ts";
import { sourceTrust } from "../trust/source-trust.ts";
import { readTrust, untrustedOf } from "../trust/trust-record.ts";

type RunOrder = Parameters<System["createRun"]>[0];

/** The order of a goal's run, and what it would obey. */
export interface OrderedGoal {
  readonly order: RunOrder;
  readonly obeying: Obeying;
}

/** Where settings and trust of this user stand. */
export interface OwnFolders {
  readonly hostFolder: string;
  readonly stateFolder: string;
}

/** Everything needed to create the run of a goal, in the folder of the session. Nothing untrusted is begun. */
export async function goalOrder(spec: ContinuousSpec, goal: Goal, folders: OwnFolders): Promise<RunOrder> {
  const loaded = await loadConfig({ cwd: spec.cwd, hostFolder: folders.hostFolder, named: spec.config });
  return trusted(orderOf(spec, goal, loaded), folders.stateFolder);
}

/** The same order, once it is known that it can begin, and that all it obeys is trusted. */
export async function trusted({ order, obeying }: OrderedGoal, stateFolder: string): Promise<RunOrder> {
  await refuseHopeless(order);
  const left = untrustedOf(readTrust(stateFolder, obeying.tree.root), obeying.obeyed);
  if (left.length === 0) return order;
  const names = left.map(({ obeyed }) => printableLine(obeyed.key, 200)).join(", ");
  throw new Fault(
    "untrusted",
    `${names} is not trusted in ${obeying.tree.root}; look at it and trust it there: holdfast trust --yes`,
  );
}

/** What a goal's run is ordered as by a configuration that was read already. */
export function orderOf(spec: ContinuousSpec, goal: Goal, loaded: LoadedConfig): OrderedGoal {
  const { agent, flow, inPlace } = { ...spec, ...goal };
  return orderIn(spec.cwd, { goal: goal.goal, agent, flow, inPlace, check: spec.checks ?? [] }, loaded);
}

/** What is asked for beside the folder. */
interface Asked {
  readonly goal: string;
  readonly agent: string | undefined;
  readonly flow: string | undefined;
  readonly inPlace?: boolean | undefined;
  readonly worktree?: boolean | undefined;
  readonly check: readonly string[];
}

/** The order of a run in a folder, and what it would obey there. */
export function orderIn(cwd: string, asked: Asked, { config, file }: LoadedConfig): OrderedGoal {
  const { goal, agent, flow, inPlace, worktree, check } = asked;
  if (flow !== undefined && isCode(flow))
    throw new Fault("usage", `the flow ${flow} is code; expected one that is YAML or JSON`);
  const order = runOrder(
    {
      goal,
      check,
      configFile: file,
      ...(agent === undefined ? {} : { agent }),
      ...(flow === undefined ? {} : { flow }),
      ...(inPlace === undefined ? {} : { inPlace }),
      ...(worktree === undefined ? {} : { worktree }),
    },
    config,
    cwd,
  );
  const { trust, obeying } = sourceTrust({ cwd, config, configFile: file }, order, { flow, check });
  const source = order.source === undefined ? {} : { source: { ...order.source, trust } };
  return { order: { ...order, ...source }, obeying };
}

/** Nothing is recorded of a run that could not begin. */
export async function refuseHopeless(order: RunOrder): Promise<void> {
  const { lookBeforehand } = await import("../../main.ts");
  const problems = lookBeforehand(order);
  if (problems.length > 0) throw new Fault("usage", problems.join("; "));
}
