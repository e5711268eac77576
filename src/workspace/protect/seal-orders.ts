import type { SealReport } from "../../model/requests/seal.ts";

interface SealPlace {
  readonly key: string;
  readonly project: string;
  readonly tree: string;
  readonly atMs: number;
}

export interface SealOrder extends SealPlace {
  /** Whether the files of the tree are recorded too. */
  readonly files: boolean;
}

export interface OpenSealOrder extends SealPlace {
  /** Whether the files that were recorded are compared. */
  readonly files: boolean;
  /** The address under which git logs what the sealed agent did. */
  readonly email: string;
}

export interface Sealing {
  /**
   * Records refs, HEAD, index and, where asked, files of the real repository. On disk: a record under the key. The same
   * key again keeps the first record, so what an agent did since is never taken for how things were.
   */
  seal(order: SealOrder): Promise<void>;

  /**
   * Compares with the record, and undoes what git's log proves to be the sealed agent's. On disk: the list of what is
   * to be undone, then a hidden ref that keeps each value, then the ref moved back, then the answer. Dying in between
   * leaves a part of the list undone: the same order again does the rest and gives the same answer.
   */
  openSeal(order: OpenSealOrder): Promise<SealReport>;
}
