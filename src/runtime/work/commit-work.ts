import { FILTERED } from "../../model/state/filtered.ts";
import { shellWord } from "../../model/text/command-text.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { WorkspaceFacts } from "../../model/effects/workspace-effects.ts";
import type { Ports } from "../ports.ts";

type EffectOf<Kind extends Effect["kind"]> = Extract<Effect, { kind: Kind }>;

const FILES_NAMED_MAX = 100;

const done = (place: WorkspaceFacts): EffectOutcome => ({ kind: "done", place });

const refused = (why: string): EffectOutcome => done({ kind: "uncommitted", cause: "refused", why });

/** Commits exactly what was named, or what two snapshots of the tree show to have changed. */
export async function commitWork(
  { workspace }: Ports,
  effect: EffectOf<"CommitWork">,
  { run, key }: { readonly run: string; readonly key: string },
): Promise<EffectOutcome> {
  const { project, tree, message, author, expected, tag, at, proved, alone } = effect;
  const files = effect.files ?? (await observedFiles(workspace, effect));
  if (typeof files === "string") return refused(files);
  // A run in a folder of a repository: commits name files from the repository's.
  const place = await workspace.placeFor({ project: tree, name: run });
  const prefix = place.inside === "" ? "" : `${place.inside}/`;
  const named = files.map((file) => `${prefix}${file}`);
  const committed = await workspace.commit({
    key: `${run}/${key}`,
    project,
    tree: place.project,
    files: named,
    message,
    author,
    expected,
    atMs: at,
    ...(tag === undefined ? {} : { tag }),
    ...(alone === undefined ? {} : { alone }),
    ...(proved === undefined ? {} : { proved: { tree, since: proved, aside: proved.writes } }),
  });
  const { branch } = expected;
  const tagged = tag === undefined ? {} : { tag };
  switch (committed.kind) {
    case "committed":
    case "nothing":
      if (committed.kind === "nothing" && expected.commit === null)
        return refused("there is nothing to commit");
      return done({ ...committedFacts(committed, expected.commit ?? ""), branch, ...tagged });
    case "moved":
      return done({
        kind: "uncommitted",
        cause: "moved",
        why: `${branch} is not where it was when the work was kept`,
      });
    case "displaced":
      return refused(displacedText(effect, committed));
    case "unproved":
      return done({ kind: "unproved", ...committed.moved });
    case "unmerged":
      return refused(
        `a merge is under way in ${tree}, and conflict markers are left in ${committed.files.slice(0, 5).join(", ")}; merge them there, then ask again`,
      );
    case "locked":
      return refused(lockedText(committed.file));
    case "filtered":
      return refused(
        `${FILTERED}${committed.files.slice(0, 3).join(", ")} is stored, and Holdfast runs none by itself`,
      );
  }
}

const displacedText = (
  { project, expected: { branch, commit } }: EffectOf<"CommitWork">,
  { last, ref }: { readonly last: string; readonly ref: string },
): string => {
  const git = `git -C ${shellWord(project)} update-ref`;
  return `somebody moved the branch ${branch} to ${commit?.slice(0, 12) ?? "nothing"}, away from the run's last commit ${last.slice(0, 12)}, which is kept at ${ref}; to put it back: ${git} refs/heads/${branch} ${last}; to go on from where it is now: ${git} ${ref} refs/heads/${branch}`;
};

/** The lock of an index that another git process has, or has left behind. */
export const lockedText = (file: string): string =>
  `another git process has the index: ${file} exists; ask again when it has ended, or remove that file if no git runs there`;

type Settled = Extract<Awaited<ReturnType<Ports["workspace"]["commit"]>>, { kind: "committed" | "nothing" }>;

/** Where nothing differs the branch stands where it stood. */
function committedFacts(
  settled: Settled,
  before: string,
): Pick<Extract<WorkspaceFacts, { kind: "committed" }>, "kind" | "commit" | "files" | "count" | "inner"> {
  const { commit, files } = settled.kind === "committed" ? settled : { commit: before, files: [] };
  const { inner } = settled;
  return {
    kind: "committed",
    ...{ commit, files: files.slice(0, FILES_NAMED_MAX), count: files.length },
    ...(inner === undefined ? {} : { inner: inner.slice(0, FILES_NAMED_MAX) }),
  };
}

/** What changed since. Text where it is not known. */
async function observedFiles(
  workspace: Ports["workspace"],
  { project, tree, base, snapshot }: EffectOf<"CommitWork">,
): Promise<readonly string[] | string> {
  if (base === null)
    return "nothing was kept before agents began, so what they changed is not known; name the files with --file";
  const { changes, count } = await workspace.compare({ project, tree }, base, snapshot);
  if (count > changes.length)
    return `${String(count)} files changed, more than can be committed at once; name the files with --file`;
  return changes.map(({ path }) => path).filter((path) => !/^\.git(\/|$)/.test(path));
}
