import type { Lit } from "./read-capture.ts";

export interface Cursor {
  readonly x: number;
  readonly y: number;
  /** Some programs hide it and draw their own. */
  readonly shown: boolean;
}

export interface Screen {
  readonly title: string;
  readonly lines: readonly string[];
  readonly cursor?: Cursor;
  /** What is drawn in reverse. */
  readonly lit?: readonly Lit[];
}
