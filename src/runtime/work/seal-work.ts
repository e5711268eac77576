import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Effect } from "../../model/effects/effects.ts";
import {
  sealedEmail,
  sealedEnvironment,
  type SealOrder,
  type SealReport,
} from "../../model/requests/seal.ts";
import type { Ports, Trees } from "../ports.ts";
import { endLeftovers } from "./bound-evidence.ts";

interface Sealed {
  readonly agent: string;
  readonly cwd: string;
  readonly seal?: SealOrder | undefined;
  readonly spec: { readonly env?: Record<string, string> | undefined };
}

/**
 * Records how the real repository stands before an agent begins that may not write there (G16), and gives the agent a
 * name of its own in git's log. The record is on disk before the agent is started; performed again, the first one
 * counts.
 */
export async function sealFor(
  { workspace }: Ports,
  { seal, agent, cwd, spec }: Sealed,
): Promise<Record<string, string>> {
  if (seal === undefined) return {};
  const { at: atMs, ...order } = seal;
  await workspace.seal({ ...order, atMs });
  const isCopy = cwd !== seal.tree && !cwd.startsWith(`${seal.tree}/`);
  return sealedEnvironment(
    seal.key,
    { name: agent, env: spec.env },
    isCopy ? cwd.slice(0, cwd.lastIndexOf("/")) : undefined,
  );
}

/** Compares afterwards, and undoes what is proved to be the agent's. */
export function openSealOf({ workspace }: Ports, seal: SealOrder): Promise<SealReport> {
  const { key, project, tree, at: atMs, files } = seal;
  return workspace.openSeal({ key, project, tree, atMs, files, email: sealedEmail(key) });
}

export const performOpening = async (
  ports: Ports,
  effect: Extract<Effect, { kind: "OpenSeal" }>,
): Promise<EffectOutcome> => {
  const leftovers = await endLeftovers(ports, effect.ends);
  const ended = leftovers.length === 0 ? {} : { leftovers };
  return { kind: "done", seal: await openSealOf(ports, effect), ...ended };
};

/** An outcome of a reviewer that has ended, with what it did to the real repository. */
export async function withSealOpened(
  ports: Ports,
  seal: SealOrder | undefined,
  outcome: EffectOutcome,
): Promise<EffectOutcome> {
  if (seal === undefined || outcome.kind === "in_doubt") return outcome;
  return { ...outcome, seal: await openSealOf(ports, seal) };
}

/** Reports to other runs of the repository what this one has changed, and receives what both have. */
export async function compareWork(
  workspace: Trees,
  { project, tree, since, base, snapshot }: Extract<Effect, { kind: "CompareWork" }>,
  run: string,
): Promise<EffectOutcome> {
  const { own, peers } = await workspace.overlaps({ project, tree, run, since, base, snapshot });
  return {
    kind: "done",
    overlap: { own, peers: peers.map((peer) => ({ ...peer, files: [...peer.files] })) },
  };
}
