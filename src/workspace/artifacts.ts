import type { Handed, Output, OutputsReport } from "../model/effects/artifact.ts";

export interface OutputsOrder {
  readonly tree: string;
  readonly outputs: readonly Output[];
  readonly fileBytesMax: number;
  /** Values in JSON outputs that are reported with them, as JSON pointers. */
  readonly read?: readonly { readonly path: string; readonly at: readonly string[] }[] | undefined;
}

export interface HandOrder {
  /** Who they are for: each has a folder of its own. */
  readonly key: string;
  readonly artifacts: readonly Handed[];
}

/**
 * The port to declared outputs.
 *
 * 1. What is reported as an artifact is kept, whole and synced, by its digest, in a place outside of every tree.
 * 2. What is handed on is read back and held against its digest first; there is no handing on of other bytes.
 * 3. Done twice is done once: a folder that a kill has left half filled is filled by the next try.
 */
export interface Artifacts {
  /** Looks at files where outputs are declared. Nothing is kept for outputs that are not all as declared. */
  collect(order: OutputsOrder): Promise<OutputsReport>;
  /** Puts artifacts into a folder, as STEP/PATH, and says which. Rejects where one is no longer what it was. */
  hand(order: HandOrder): Promise<string>;
  /** Keeps bytes that are no file of a tree, and says their digest. */
  keep(bytes: Uint8Array): Promise<string>;
  /** Null where they are no longer kept as they were. */
  read(digest: string): Promise<Uint8Array | null>;
}
