import { existsSync } from "node:fs";
import path from "node:path";
import type { System } from "../main.ts";
import { errorText } from "../model/fault.ts";
import { runTrees } from "../views/run-trees.ts";
import { statusBindings, statusDrift } from "../views/status/status-drift.ts";
import type { Finding } from "./supervise/doctor-finding.ts";
import { openRuns } from "./supervise/host-faults.ts";
import type { Invocation } from "./shell/invocation.ts";

/** What moved under runs that have not ended, and agents that are bound otherwise since. Nothing of it is mended here. */
export async function driftFinding(call: Invocation, system: System): Promise<Finding> {
  const name = "drift";
  const found: { readonly text: string; readonly command: string }[] = [];
  for (const [run, state] of await openRuns(system)) {
    const drift = statusDrift(state, call.store.named);
    if (drift !== null) found.push({ text: `${run}: ${drift.text}`, command: drift.command });
    for (const { text, command } of statusBindings(state, call.store.named))
      found.push({ text: `${run}: ${text}`, command });
  }
  if (found.length === 0) return { name, state: "ok", text: "nothing moved under a run", remedy: null };
  const text = found.map((one) => one.text).join("; ");
  return { name, state: "warn", text, remedy: found.map(({ command }) => command).join("; ") };
}

type Opened = (work: (system: System) => Promise<string>) => Promise<string>;

/** A deleted worktree is made again when its run continues; `--fix` does it at once, where nobody supervises the run. */
export async function worktreesFinding(call: Invocation, system: System, opened: Opened): Promise<Finding> {
  const name = "worktrees";
  const missing = await missingTrees(system);
  const [first] = missing;
  if (first === undefined) return { name, state: "ok", text: "none is missing", remedy: null };
  const text = missing.map(({ run, tree }) => `the worktree of ${run} is gone: ${tree}`).join("; ");
  return {
    ...{ name, state: "warn", text, remedy: call.command("retry", first.run) },
    fix: {
      does: "makes them again, from their branch and the last checkpoint",
      apply: () => opened(async (again) => (await mendAll(again)).join("; ")),
    },
  };
}

interface MissingTree {
  readonly run: string;
  readonly project: string;
  readonly tree: string;
  readonly branch: string;
  readonly commit: string;
}

async function missingTrees(system: System): Promise<MissingTree[]> {
  const found: MissingTree[] = [];
  for (const [run, state] of await openRuns(system)) {
    for (const { project, tree, branch, commit } of runTrees(state))
      if (!existsSync(path.join(tree, ".git")) && existsSync(project))
        found.push({ run, project, tree, branch, commit });
  }
  return found;
}

async function mendAll(system: System): Promise<string[]> {
  const lines: string[] = [];
  for (const { run, ...place } of await missingTrees(system)) {
    if (await system.leases.isHeld(run)) {
      lines.push(`${run} is supervised: its supervisor makes the worktree again`);
      continue;
    }
    const { workspace, world } = system.ports;
    const done = await workspace.mendWorktree({ ...place, atMs: world.now() }).then(
      () => `made ${place.tree} again`,
      (error: unknown) => `${place.tree} was not made again: ${errorText(error)}`,
    );
    lines.push(`${run}: ${done}`);
  }
  return lines;
}
