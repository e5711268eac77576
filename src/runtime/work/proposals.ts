import type { Effect } from "../../model/effects/effects.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import { PROPOSED_FILES_MAX } from "../../model/requests/proposal.ts";
import type { WorkspaceFacts } from "../../model/effects/workspace-effects.ts";
import type { Ports } from "../ports.ts";

type EffectOf<Kind extends Effect["kind"]> = Extract<Effect, { kind: Kind }>;

interface Under {
  readonly run: string;
  readonly key: string;
}

const done = (place: WorkspaceFacts): EffectOutcome => ({ kind: "done", place });

export async function copyTree(
  { workspace }: Ports,
  { project, tree, name, at }: EffectOf<"CopyTree">,
  { run, key }: Under,
): Promise<EffectOutcome> {
  const copy = await workspace.copyTree({ key: `${run}/${key}`, project, tree, name, atMs: at });
  return done({ kind: "copied", ...copy });
}

/** The patch is kept by its digest before anything is reported of it. */
export async function keepProposal(
  { workspace, artifacts }: Ports,
  { project, copy, base, rules, at, proved }: EffectOf<"KeepProposal">,
  { run, key }: Under,
): Promise<EffectOutcome> {
  const found = await workspace.propose({ key: `${run}/${key}`, project, copy, base, rules, atMs: at });
  const problems = [
    ...found.problems,
    ...found.protected.map((name) => `${name} is protected: leave it as it was`),
  ];
  if (problems.length > 0) {
    const lines = problems.slice(0, PROPOSED_FILES_MAX).map((problem) => `- ${problem}`);
    return done({ kind: "unproposed", why: ["what you changed cannot be proposed:", ...lines].join("\n") });
  }
  const { snapshot, changes, patch } = found;
  // What is kept was taken above; the look after it shows whether that is what the checks have seen.
  const moved =
    proved === undefined
      ? null
      : (await workspace.look({ project, tree: copy, atMs: at, since: proved, aside: proved.writes })).moved;
  if (moved !== null) return done({ kind: "unproved", ...moved });
  const digest = await artifacts.keep(patch);
  const files = changes.slice(0, PROPOSED_FILES_MAX).map(({ path, kind }) => ({ path, kind }));
  return done({ kind: "proposed", snapshot, digest, bytes: patch.length, files, count: changes.length });
}

export async function applyProposal(
  { workspace }: Ports,
  { project, tree, base, snapshot, at }: EffectOf<"ApplyProposal">,
  { run, key }: Under,
): Promise<EffectOutcome> {
  const order = { key: `${run}/${key}`, project, tree, base, snapshot, atMs: at };
  const applied = await workspace.applyProposal(order);
  const files = applied.files.slice(0, PROPOSED_FILES_MAX);
  const count = applied.files.length;
  return applied.kind === "applied"
    ? done({ kind: "applied", before: applied.before, files, count })
    : done({ kind: "unapplied", files, count });
}

/** What cannot be removed is nobody's: the run does not wait for it. */
export async function dropCopy(
  { workspace }: Ports,
  { project, tree }: EffectOf<"DropCopy">,
): Promise<EffectOutcome> {
  await workspace.dropCopy({ project, tree });
  return done({ kind: "dropped" });
}
