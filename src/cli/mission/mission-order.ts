import { existsSync } from "node:fs";
import path from "node:path";
import type { System, SystemOptions } from "../../main.ts";
import type { MissionSpec, Workstream } from "../../model/mission/mission-spec.ts";
import { loadConfig, type LoadedConfig } from "../config/load-config.ts";
import { orderIn, trusted, type OrderedGoal, type OwnFolders } from "../continuous/goal-order.ts";
import { inTask, workstreamText } from "./workstream-text.ts";

type RunOrder = Parameters<System["createRun"]>[0];
type MissionOrders = NonNullable<SystemOptions["missions"]>;
type Handed = Parameters<MissionOrders["order"]>[2];

/** What missions need of files that people write. */
export const missionOrders = (folders: OwnFolders): MissionOrders => ({
  order: async (spec, workstream, handed) => {
    const loaded = await configOf(spec, workstream, folders.hostFolder);
    return trusted(workstreamOrder(spec, { workstream, handed }, loaded), folders.stateFolder);
  },
});

/** The configuration of the repository that a workstream works in. */
export function configOf(
  spec: MissionSpec,
  { repository }: Workstream,
  hostFolder: string,
): Promise<LoadedConfig> {
  const cwd = spec.repositories[repository]?.path ?? spec.cwd;
  return loadConfig({ cwd, hostFolder, named: spec.config });
}

/** The run of a workstream: in a worktree of its own, whose work is committed, and which delivers what was declared. */
export function workstreamOrder(
  spec: MissionSpec,
  { workstream, handed }: { readonly workstream: Workstream; readonly handed: Handed },
  loaded: LoadedConfig,
): OrderedGoal {
  const { agent = spec.agent, flow = spec.flow, checks = spec.checks ?? [], repository } = workstream;
  const cwd = spec.repositories[repository]?.path ?? spec.cwd;
  const { order, obeying } = orderIn(
    cwd,
    {
      goal: workstreamText(spec, workstream, handed),
      agent: agentFrom(spec.cwd, agent),
      flow: flow === undefined ? undefined : besideMission(spec.cwd, flow),
      worktree: true,
      check: checks,
    },
    loaded,
  );
  return { order: delivering(handing(order, handed), workstream), obeying };
}

/** Files are named from the folder in which the mission was begun; what is not there is the repository's. */
const besideMission = (cwd: string, file: string): string =>
  existsSync(path.resolve(cwd, file)) ? path.resolve(cwd, file) : file;

function agentFrom(cwd: string, agent: string | undefined): string | undefined {
  const [, script] = /^demo:(.+)$/s.exec(agent ?? "") ?? [];
  return script === undefined ? agent : `demo:${besideMission(cwd, script)}`;
}

/** Files that are too long for the task are put where each of its agents can read them, byte for byte. */
function handing(order: RunOrder, handed: Handed): RunOrder {
  const short = inTask(handed);
  const files = handed
    .filter((one) => !short.has(one))
    .map(({ path: name, digest, bytes, from }) => ({ path: name, digest, bytes, step: `mission/${from}` }));
  return files.length === 0 ? order : { ...order, flow: { ...order.flow, handed: files } };
}

/** Its branch is laid before it begins, nothing of the user's that is not committed gets in, and its last step delivers. */
function delivering(order: RunOrder, { goal, artifacts, decisions }: Workstream): RunOrder {
  const { settings, flow } = order;
  const declared = [...new Set([...artifacts, ...(decisions === undefined ? [] : [decisions])])];
  const last = flow.steps.at(-1);
  const steps = flow.steps.map((step) => {
    const has = new Set((step.outputs ?? []).map((output) => output.path));
    const more = declared.filter((file) => !has.has(file)).map((file) => ({ path: file }));
    return step !== last || more.length === 0
      ? step
      : { ...step, outputs: [...(step.outputs ?? []), ...more] };
  });
  return {
    ...order,
    // What it is for, in the words that commits and lists show; the agent gets all of it in its task.
    goal,
    flow: { ...flow, steps },
    settings: {
      ...settings,
      commit: { ...settings.commit, when: "step" },
      workspace: {
        ...settings.workspace,
        uncommitted: "leave",
        branch: "holdfast/{run}",
        cleanup: "accepted",
      },
    },
  };
}
