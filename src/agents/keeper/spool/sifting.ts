import type { Redactor } from "../../../model/text/redact.ts";

/** What is removed from what agents print, before it is on disk. */
export interface Sifting {
  /** For copiers: see `siftTable`. */
  readonly table: string;
  /** For what is written down of an agent by this process itself. */
  readonly redact: Redactor;
}

/** One per process, as the environment is whose secrets these are. Nothing is removed until it is known what. */
let current: Sifting = { table: "", redact: (text) => text };

export function siftBy(sifting: Sifting): void {
  current = sifting;
}

export const sifted: Redactor = (text) => current.redact(text);

/** For the environment of a keeper or a copier, which does not hand it on. */
export const siftVariable = (): Readonly<Record<string, string>> =>
  current.table === "" ? {} : { HOLDFAST_SIFT: current.table };
