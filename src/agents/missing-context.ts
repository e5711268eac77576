import { statSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import type { AgentKind } from "../model/agent/kinds/registry.ts";
import type { AgentSpec } from "../model/flow/flow.ts";
import type { RunState } from "../model/state/run-state.ts";
import { isOver } from "../model/state/step-over.ts";
import { findProgram } from "./find-program.ts";

/** A kind of agent whose program has a name of its own, and how to get it. */
export interface NamedProgram {
  readonly use: AgentKind;
  readonly program: string;
  readonly install: string;
}

/**
 * What a run needs here and does not find, each by name: its folder, the programs of the agents that have work left.
 * Looked for when the run is claimed, so that it stops before anything is started. What setup may yet make (a path
 * relative to the tree) is left to the start of the agent.
 */
export const missingContext =
  (driven: ReadonlySet<AgentKind>, named: readonly NamedProgram[]) =>
  (state: Readonly<RunState>): string[] => {
    // A worktree that is gone is made again from its repository.
    const folder = missingFolder(state.workspace.worktree?.project ?? state.cwd);
    const agents = new Set(
      Object.values(state.steps)
        .filter(({ status }) => !isOver({ status }))
        .map(({ spec }) => spec.agent),
    );
    const lacking = [...agents].flatMap((name) => {
      const spec = state.agents[name];
      const lack = spec === undefined ? null : lackOf(spec, { driven, named, cwd: state.cwd });
      return lack === null ? [] : [`agent "${name}": ${lack}`];
    });
    return [...(folder === null ? [] : [folder]), ...lacking];
  };

function missingFolder(cwd: string): string | null {
  const found = statSync(cwd, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return null;
  return `the folder ${cwd} ${found === undefined ? "does not exist" : "is no folder"} on ${hostname()}`;
}

export interface Here {
  readonly driven: ReadonlySet<AgentKind>;
  readonly named: readonly NamedProgram[];
  readonly cwd: string;
}

export function lackOf({ use, command, env }: AgentSpec, { driven, named, cwd }: Here): string | null {
  if (!driven.has(use)) return `this Holdfast has no driver for "${use}"`;
  const known = named.find((one) => one.use === use);
  const programs = [command?.[0] ?? known?.program, use === "tmux" ? "tmux" : undefined];
  for (const program of programs) {
    if (program === undefined || (program.includes("/") && !path.isAbsolute(program))) continue;
    if (findProgram(program, env?.["PATH"] ?? process.env["PATH"], cwd) !== undefined) continue;
    const how = known === undefined || command !== undefined ? "" : `; get it by \`${known.install}\``;
    return `the program "${program}" was not found on ${hostname()}${how}`;
  }
  return null;
}
