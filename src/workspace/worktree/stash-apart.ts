import { renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { plainTextIfAny } from "../../files/plain-file.ts";
import { runGit } from "../git/run-git.ts";
import { shadowRepository, type ShadowRepository } from "../git/shadow-repository.ts";
import { readHead, resolveRef } from "../git/user-repository.ts";
import { readRefLog } from "../protect/ref-log.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-desk.ts";
import { recordedAnswer } from "../accept/commit-orders.ts";
import { isLinkedTree } from "./work-ref.ts";
import type { Worktree } from "./worktree-orders.ts";

const STASH = "refs/stash";
const LOG_BYTES_MAX = 64 * 2 ** 20;

/**
 * All worktrees of a repository share one stash. What an agent has stashed in a worktree of ours is taken out of the
 * user's list and kept under refs of ours; git names the branch that an entry was made on. On disk: our refs, then the
 * ref of the stash, from the value that was seen, then its log. Dying in between is finished by the next time.
 */
export async function stashApart(
  { store, world }: SnapshotHandle,
  { project, tree }: { readonly project: string; readonly tree: string },
): Promise<readonly string[]> {
  const branch = recordedAnswer<Worktree>(store, "standing", tree)?.branch;
  const repository = shadowRepository(store.folder, tree);
  if (branch === undefined || tree === project || !isLinkedTree(repository)) return [];
  const [ours, theirs] = parted(repository, branch);
  if (ours.length === 0 || readHead(project).kind !== "git") return [];
  const refs: string[] = [];
  for (const { after } of ours) {
    const name = `refs/holdfast/stash/${branch}/${after.slice(0, 12)}`;
    await runGit({ gitDir: repository.veil, args: ["update-ref", name, after] });
    refs.push(name);
  }
  world.crashPoint("workspace.stash.kept");
  const found = resolveRef(repository, STASH);
  const wanted = theirs.at(-1)?.after ?? null;
  if (found !== wanted && !(await moveStash(repository, found, wanted))) return [];
  world.crashPoint("workspace.stash.moved");
  rewriteLog(repository, branch);
  return refs;
}

interface Entry {
  readonly after: string;
  readonly message: string;
}

/** The entries of the stash that were made on a branch of ours, and the others; each oldest first. */
function parted(repository: ShadowRepository, branch: string): [readonly Entry[], readonly Entry[]] {
  const all = readRefLog(repository.commonDir, STASH).flatMap(({ after, message }) =>
    after === null ? [] : [{ after, message }],
  );
  return [
    all.filter(({ message }) => isMadeOn(branch, message)),
    all.filter(({ message }) => !isMadeOn(branch, message)),
  ];
}

const isMadeOn = (branch: string, message: string): boolean =>
  message.startsWith(`WIP on ${branch}: `) || message.startsWith(`On ${branch}: `);

async function moveStash(
  { veil }: ShadowRepository,
  found: string | null,
  wanted: string | null,
): Promise<boolean> {
  const args =
    wanted === null ? ["update-ref", "-d", STASH, found ?? ""] : ["update-ref", STASH, wanted, found ?? ""];
  return (await runGit({ gitDir: veil, args, answers: [1, 128] })).code === 0;
}

/** Without the entries of ours; what the user stashes meanwhile is a line that stays. */
function rewriteLog({ commonDir }: ShadowRepository, branch: string): void {
  const file = path.join(commonDir, "logs", STASH);
  const text = plainTextIfAny(file, { bytesMax: LOG_BYTES_MAX }) ?? "";
  const lines = text.split("\n").filter((line) => line !== "");
  const left = lines.filter((line) => !isMadeOn(branch, line.slice(line.indexOf("\t") + 1)));
  if (left.length === 0) {
    rmSync(file, { force: true });
    return;
  }
  writeFileSync(`${file}.holdfast`, `${left.join("\n")}\n`);
  renameSync(`${file}.holdfast`, file);
}
