import type { Spread } from "./statistics.ts";

/** What a benchmark is given by whoever runs it. */
export interface BenchContext {
  /** Smaller sizes and fewer rounds: shows that it works, not how fast. */
  readonly quick: boolean;
  /** Removed when the run ends. */
  readonly folder: string;
  /** Tells a person what is happening. */
  readonly progress: (text: string) => void;
}

export interface Bench {
  /** As in `--only NAME`. */
  readonly name: string;
  readonly title: string;
  /** Needs packages of its own or much time: not part of a run that names no benchmark. */
  readonly onlyWhenAsked?: boolean;
  run(context: BenchContext): Promise<Findings>;
}

export interface Findings {
  /** What was measured and how, in sentences. */
  readonly says: string;
  readonly figures: readonly Figure[];
  readonly ratios: readonly Ratio[];
  /** Why nothing, or not everything, was measured. */
  readonly skipped?: string;
  /** Version of the server, where one took part. */
  readonly postgres?: string;
}

export type Unit = "per second" | "steps per second" | "steps" | "ms" | "MB" | "%" | "bytes";

export interface Figure {
  readonly what: string;
  readonly unit: Unit;
  readonly spread: Spread;
  readonly target?: Target;
}

export interface Ratio {
  readonly what: string;
  readonly spread: Spread;
  readonly target?: Target;
}

export type Target = { readonly atLeast: number } | { readonly atMost: number };

export const isMet = (target: Target, { median }: Spread): boolean =>
  "atLeast" in target ? median >= target.atLeast : median <= target.atMost;
