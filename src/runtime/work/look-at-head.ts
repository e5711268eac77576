import type { Effect } from "../../model/effects/effects.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Trees } from "../ports.ts";

const FILES_SHOWN_MAX = 200;

/** Where HEAD stands, and how that is to where it stood. Reads only. */
export async function lookAtHead(
  workspace: Trees,
  { tree, since }: Extract<Effect, { kind: "LookAtHead" }>,
): Promise<EffectOutcome> {
  const head = await workspace.head(tree);
  if (head.kind === "none" || head.commit === null)
    return { kind: "done", head: { branch: null, commit: null, relation: "same", files: [], count: 0 } };
  const { branch, commit } = head;
  const compared =
    since === null || since === commit
      ? ({ relation: "same", files: [], count: 0 } as const)
      : await workspace.compareCommits({ project: tree, tree }, since, commit);
  const { relation, files, count } = compared;
  return { kind: "done", head: { branch, commit, relation, files: files.slice(0, FILES_SHOWN_MAX), count } };
}
