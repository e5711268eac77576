import type { SystemOptions } from "../../main.ts";
import { loadConfig } from "../config/load-config.ts";
import { goalOrder, trusted, type OwnFolders } from "./goal-order.ts";
import { planOrderOf } from "./plan-order.ts";
import { readGoals } from "./read-goals.ts";

/** What continuous sessions need of files that people write. */
export const continuousGoals = (folders: OwnFolders): NonNullable<SystemOptions["goals"]> => ({
  read: readGoals,
  order: (spec, goal) => goalOrder(spec, goal, folders),
  planOrder: async (spec, goal, ended) => {
    const loaded = await loadConfig({ cwd: spec.cwd, hostFolder: folders.hostFolder, named: spec.config });
    return trusted(planOrderOf(spec, goal, { loaded, ended }), folders.stateFolder);
  },
});
