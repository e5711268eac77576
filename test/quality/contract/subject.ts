import type { Quality } from "../../../src/quality/quality.ts";

/** What a check is to do, in words that every implementation can be told. */
export type Behaviour =
  | { readonly kind: "exits"; readonly code: number; readonly prints: string }
  /** Prints the text so many times. */
  | { readonly kind: "floods"; readonly text: string; readonly times: number }
  /** Prints, and then does nothing for ever; `deaf` ignores polite requests to end. */
  | { readonly kind: "hangs"; readonly prints: string; readonly deaf: boolean }
  | { readonly kind: "cannot run" };

export interface QualityScene {
  readonly quality: Quality;
  /** A folder that is there. */
  readonly folder: string;
  /** How many processes, or what stands for them, are there of the check under this key. */
  alive(key: string): number;
  close(): Promise<void>;
}

export interface QualitySubject {
  readonly name: string;
  command(behaviour: Behaviour): string;
  open(): Promise<QualityScene>;
}
