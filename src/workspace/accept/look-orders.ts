import type { MovedFiles, SeenTree } from "../../model/state/bound-tree.ts";

export interface LookOrder {
  readonly project: string;
  readonly tree: string;
  readonly atMs: number;
  readonly since: SeenTree;
  /** Patterns of files whose changes do not count. */
  readonly aside?: readonly string[] | undefined;
}

export interface Look {
  readonly digest: string;
  /** Null where nothing differs. */
  readonly moved: MovedFiles | null;
}
