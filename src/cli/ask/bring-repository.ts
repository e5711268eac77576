import path from "node:path";
import { Fault } from "../../model/fault.ts";
import { isRepositoryLost } from "../../model/flow/protected.ts";
import { printableLine } from "../../model/text/printable.ts";
import { protectedTrees } from "../../views/status/protected-trees.ts";
import { askRun } from "./ask-run.ts";
import { findRun } from "../run/find-run.ts";
import type { Invocation } from "../shell/invocation.ts";

/** Puts the kept copy of a run's repository in the place of one that is gone or damaged, and lets the run continue. */
export async function bringRepository(call: Invocation, text: string): Promise<number> {
  const run = await call.withSystem("empty", async (system) => {
    const found = await findRun(system.ports.journal, text);
    const state = await system.loadRun(found);
    if (state === null) throw new Fault("not_found", `there is no run "${found}"`);
    const trees = protectedTrees(state).map(({ tree }) => tree);
    const brought = [];
    for (const tree of trees) {
      const one = await system.ports.guard.bringRepository(tree);
      if (one !== null) brought.push({ tree, ...one });
    }
    // One that was begun before may have brought it already, or a person has mended it: what is there is looked at again.
    const isWaiting = state.blocked !== null && isRepositoryLost(state.blocked);
    if (brought.length === 0 && !call.isRepeated && !isWaiting)
      throw new Fault(
        "refused",
        `nothing is to be put back: of ${trees.join(", ") || "no tree"} every .git is sound, or no copy was kept; expected one that is gone or damaged`,
      );
    for (const { tree, files, aside } of brought) {
      const kept = aside === null ? "" : `; what stood there is in ${aside}`;
      const where = path.join(tree, ".git");
      call.output.line(printableLine(`${where} is back: ${String(files)} files${kept}`));
    }
    if (brought.length === 0)
      call.output.line(printableLine(`nothing is missing in ${trees.join(", ")}: the run looks at it again`));
    return found;
  });
  return askRun(call, run, { kind: "trust", trees: [], undo: true });
}
