import type { RunRequest } from "../../model/requests/requests.ts";
import { Fault } from "../../model/fault.ts";
import { protectedTrees } from "../../views/status/protected-trees.ts";
import { withdrawnFiles } from "../../views/runs/withdrawn-files.ts";
import { askRun } from "./ask-run.ts";
import { findRun } from "../run/find-run.ts";
import type { Invocation } from "../shell/invocation.ts";

/**
 * Puts files of a person's that were undone beside an agent at work into the tree again, and has the run trust them,
 * and nothing else. Should a look undo them in between, the next one brings them back: they are trusted by then.
 */
export async function returnFiles(call: Invocation, text: string, paths: readonly string[]): Promise<number> {
  const { run, trees } = await call.withSystem("empty", async (system) => {
    const found = await findRun(system.ports.journal, text);
    const state = await system.loadRun(found);
    if (state === null) throw new Fault("not_found", `there is no run "${found}"`);
    const known = withdrawnFiles(state, null);
    const unknown = paths.find((path) => !known.some((one) => one.path === path));
    if (unknown !== undefined)
      throw new Fault(
        "not_found",
        `"${unknown}" was not undone beside an agent of ${found}; expected one of ${known.map(({ path }) => path).join(", ") || "none: nothing was"}`,
      );
    const asked: Extract<RunRequest, { kind: "trust" }>["trees"] = [];
    for (const { tree, rules, trusted } of protectedTrees(state)) {
      const files = (state.guards[tree]?.withdrawn ?? []).filter(({ path }) => paths.includes(path));
      if (files.length > 0 && known.some((one) => one.tree === tree))
        asked.push({ tree, ...(await system.ports.guard.returnFiles({ tree, rules, trusted, files })) });
    }
    return { run: found, trees: asked };
  });
  return askRun(call, run, { kind: "trust", trees });
}
