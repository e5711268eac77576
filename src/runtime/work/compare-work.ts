import type { Effect } from "../../model/effects/effects.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Trees } from "../ports.ts";

/** Tells other runs of the repository what this one has changed, and hears what both have. */
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
