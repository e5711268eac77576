import { isOwnPath } from "../model/settings/own-files.ts";
import { bytePath } from "./snapshot/byte-path.ts";
import type { ListingHandle } from "./snapshot/list-snapshot.ts";
import { filesOf } from "./accept/proposals.ts";
import { LONG_LIMIT_MS, runGit } from "./git/run-git.ts";

const ARGS = ["diff-tree", "-r", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"];

/** How much was changed between two snapshots, in lines; files that git calls binary have none. */
export async function countLines(
  { store: { gitDir } }: ListingHandle,
  from: string,
  to: string,
): Promise<{ readonly lines: number; readonly binary: number }> {
  const trees = [await filesOf(gitDir, from), await filesOf(gitDir, to)];
  const { output } = await runGit({ gitDir, args: [...ARGS, ...trees], limitMs: LONG_LIMIT_MS });
  const counted = { lines: 0, binary: 0 };
  for (const row of bytePath(output).split("\0")) {
    const [added, removed, file] = row.split("\t");
    if (added === undefined || removed === undefined || file === undefined || isOwnPath(file)) continue;
    if (added === "-") counted.binary += 1;
    else counted.lines += Number(added) + Number(removed);
  }
  return counted;
}
