import type { SystemOptions } from "../../main.ts";
import { goalOrder, type OwnFolders } from "./goal-order.ts";
import { readGoals } from "./read-goals.ts";

/** What continuous sessions need of files that people write. */
export const continuousGoals = (folders: OwnFolders): NonNullable<SystemOptions["goals"]> => ({
  read: readGoals,
  order: (spec, goal) => goalOrder(spec, goal, folders),
});
