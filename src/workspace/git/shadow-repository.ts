import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { plainTextIfAny } from "../../files/plain-file.ts";
import { Fault } from "../../model/fault.ts";
import { hashOf } from "../snapshot/hash-of.ts";
import { settleFile } from "../worktree/settle-file.ts";
import { refuseSpecialRepository } from "../snapshot/special-files.ts";
import { findRepository, type UserRepository } from "./user-repository.ts";

/**
 * A git directory of Holdfast's own through which a user's repository is seen: its objects and refs are the user's, by
 * links; its configuration is ours. So git can add objects and move a branch there without reading a line that an
 * agent may have written into the repository's configuration, hooks or attributes.
 */
export interface ShadowRepository extends UserRepository {
  readonly shadow: string;
}

export function shadowRepository(storeFolder: string, tree: string): ShadowRepository {
  const repository = findRepository(tree);
  if (repository === null)
    throw new Fault(
      "refused",
      `${tree} is no git repository; expected one: run "git init" and commit there first`,
    );
  refuseSpecialRepository(repository);
  const shadow = path.join(storeFolder, `veil-${hashOf(repository.commonDir).slice(0, 16)}`);
  mkdirSync(shadow, { recursive: true, mode: 0o700 });
  settleFile(path.join(shadow, "config"), shadowConfig(repository));
  settleFile(path.join(shadow, "HEAD"), "ref: refs/heads/holdfast-has-no-head\n");
  for (const name of ["objects", "refs", "packed-refs", "shallow"])
    pointTo(path.join(shadow, name), path.join(repository.commonDir, name));
  return { ...repository, shadow };
}

function pointTo(link: string, target: string): void {
  if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) return;
  try {
    symlinkSync(target, link);
  } catch (error) {
    // Another process of ours was quicker, with the same link.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

const CONFIG_BYTES_MAX = 2 ** 20;

/** Only what decides how the repository is laid out is taken over. */
function shadowConfig({ commonDir }: UserRepository): string {
  const file = path.join(commonDir, "config");
  const text = plainTextIfAny(file, { bytesMax: CONFIG_BYTES_MAX }) ?? "";
  const says = (setting: RegExp): boolean => text.split("\n").some((line) => setting.test(line.trim()));
  if (says(/^refstorage\s*=\s*reftable/i))
    throw new Fault(
      "refused",
      `the repository ${commonDir} keeps its refs as a reftable; expected plain files: migrate it with "git refs migrate --ref-format=files"`,
    );
  const sha256 = says(/^objectformat\s*=\s*sha256/i);
  return [
    `[core]`,
    `\trepositoryformatversion = ${sha256 ? "1" : "0"}`,
    `\tbare = true`,
    `\tfsmonitor = false`,
    `\thooksPath = /dev/null`,
    `\tattributesFile = /dev/null`,
    `\tfsync = committed,loose-object,reference`,
    `[gc]`,
    `\tauto = 0`,
    ...(sha256 ? [`[extensions]`, `\tobjectformat = sha256`] : []),
    ``,
  ].join("\n");
}

/** Where git keeps its record of a worktree. */
export const recordFolderOf = (repository: UserRepository, tree: string): string =>
  path.join(repository.commonDir, "worktrees", `holdfast-${hashOf(tree).slice(0, 12)}`);

export function removeFolderOfOurs(folder: string): void {
  if (existsSync(folder)) rmSync(folder, { recursive: true });
}
