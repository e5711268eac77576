import { spawnSync } from "node:child_process";
import path from "node:path";
import { findScript } from "./agents/demo/find-script.ts";
import { lackOf } from "./agents/missing-context.ts";
import { moduleProblem } from "./agents/function/find-function.ts";
import { HEADLESS_AGENTS } from "./all-drivers.ts";
import { AGENT_KINDS } from "./model/agent/kinds/registry.ts";
import type { AgentSpec } from "./model/flow/flow.ts";
import type { RunOrder } from "./runtime/create-run.ts";

/**
 * What would stop a run at its first step, each by name: programs, scripts, modules and checks that are not here.
 * Nothing of the repository is run for it. What a set-up command or the work itself may yet make is no problem.
 */
export function lookBeforehand({
  agents,
  flow,
  settings,
  cwd,
}: Pick<RunOrder, "agents" | "flow" | "settings" | "cwd">): string[] {
  const hasSetup = settings.workspace.setup !== undefined;
  const lacking = Object.entries(agents).flatMap(([name, spec]) => {
    const lack = lackOf(spec, { driven: DRIVEN, named: HEADLESS_AGENTS, cwd });
    const problem = lack ?? (hasSetup ? null : fileProblem(spec, cwd));
    return problem === null ? [] : [`agent "${name}": ${problem}`];
  });
  const commands = flow.steps.flatMap(({ checks }) => checks.map(({ run }) => run));
  return [...lacking, ...(hasSetup ? [] : [...new Set(commands)].flatMap((run) => checkProblem(run, cwd)))];
}

const DRIVEN = new Set(AGENT_KINDS);

function fileProblem(spec: AgentSpec, cwd: string): string | null {
  if (spec.use === "demo") {
    const lookup = findScript(spec, cwd);
    return lookup.kind === "missing" ? lookup.text : null;
  }
  return spec.use === "function" && spec.module !== undefined
    ? moduleProblem(path.resolve(cwd, spec.module), spec.export ?? "default")
    : null;
}

/** Only where the shell is certain to look for a program of that name: a plain first word without a folder. */
function checkProblem(command: string, cwd: string): string[] {
  const [, word] = /^\s*([A-Za-z0-9_.+-]+)(?=\s|$)/u.exec(command) ?? [];
  if (word === undefined) return [];
  // Knows the shell's own commands as well; nothing is run.
  const { status, error } = spawnSync("sh", ["-c", 'command -v -- "$1"', "sh", word], {
    cwd,
    stdio: "ignore",
  });
  if (error !== undefined || status === 0 || status === null) return [];
  return [
    `check "${command}": the program "${word}" was not found on PATH; expected a command such as "npm test"`,
  ];
}
