import type { System } from "../../main.ts";
import { Fault } from "../../model/fault.ts";
import { askRun } from "./ask-run.ts";
import { findRun } from "../run/find-run.ts";
import type { Invocation } from "../shell/invocation.ts";
import { agentNamed } from "../run/run-order.ts";
import { obeyedByAgent } from "../trust/obeyed-here.ts";
import { requireTrust } from "../trust/require-trust.ts";

export interface HandoffOptions {
  readonly to?: string;
  readonly step?: string;
  readonly reason?: string;
  readonly trust?: boolean;
}

const FILES_MAX = 100;

/** Names the agent as `run` would, and the files that the run has changed as far as its checkpoints show. */
export async function handOff(call: Invocation, text: string, options: HandoffOptions): Promise<number> {
  if (options.to === undefined)
    throw new Fault("usage", "who shall go on? Expected --to with an agent's name, such as --to codex");
  const given = await givenTo(call, text, { ...options, to: options.to });
  const reason = options.reason === undefined ? {} : { reason: options.reason };
  return askRun(call, text, { kind: "handoff", ...given, ...reason });
}

/** A paused run is resumed with another agent; one that is blocked or at work is handed over, which lets it continue. */
export async function resumeWith(
  call: Invocation,
  named: string | undefined,
  options: HandoffOptions & { readonly to: string },
): Promise<number> {
  const { run, status } = await call.withSystem("empty", async (system) => {
    const run = await findRun(system.ports.journal, named, ["paused", "blocked", "running"]);
    return { run, status: (await system.loadRun(run))?.status };
  });
  if (status !== "paused") return handOff(call, run, options);
  return askRun(call, run, { kind: "resume", ...(await givenTo(call, run, options)) });
}

async function givenTo(call: Invocation, text: string, options: HandoffOptions & { readonly to: string }) {
  const { cwd } = call.surroundings;
  const config = await call.config();
  const { to, spec } = agentNamed(options.to, config, cwd);
  await requireTrust(call, obeyedByAgent(cwd, to, spec, config), options);
  const files = await call.withSystem("empty", (system) => changedFiles(system, text, options.step));
  return { to, spec, files, ...(options.step === undefined ? {} : { step: options.step }) };
}

async function changedFiles(system: System, text: string, step?: string): Promise<string[]> {
  const run = await findRun(system.ports.journal, text);
  const state = await system.loadRun(run);
  if (state === null) throw new Fault("not_found", `there is no run "${run}"`);
  const { trees } = state.workspace;
  const own = trees[step ?? Object.keys(trees)[0] ?? ""]?.tree;
  const checkpoints = Object.values(state.checkpoints).filter(
    ({ tree }) => own === undefined || tree === own,
  );
  const [first, last] = [checkpoints[0], checkpoints.at(-1)];
  if (first === undefined || last === undefined || first === last) return [];
  const place = { project: first.project, tree: first.tree };
  const { changes } = await system.ports.workspace.compare(place, first.snapshot.id, last.snapshot.id);
  return changes.slice(0, FILES_MAX).map(({ path }) => path);
}
