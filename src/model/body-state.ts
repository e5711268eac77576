import type { BodyError } from "./body-events.ts";

/** What is recorded under a name: enough to answer the body when it asks again. */
export type BodyRecord =
  | { readonly kind: "intended" }
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "error"; readonly error: BodyError }
  | { readonly kind: "drew"; readonly value: string | number }
  | { readonly kind: "slept"; readonly until: number }
  | { readonly kind: "waiting"; readonly name: string; readonly until: number | null }
  | { readonly kind: "waited"; readonly timedOut: boolean; readonly value: unknown }
  | { readonly kind: "spawned"; readonly input: string; readonly attempt: number }
  | { readonly kind: "looped"; readonly i: number; readonly state: unknown; readonly done: boolean };

/** A scope holds records by name and the scopes inside it. What is settled loses its inside: only the live is kept. */
export interface BodyScope {
  readonly records: Record<string, BodyRecord>;
  readonly scopes: Record<string, BodyScope>;
}

export interface BodyState {
  readonly name: string | null;
  readonly input: unknown;
  readonly root: BodyScope;
  /** Signals that nobody has taken yet, by name. */
  readonly signals: Record<string, unknown[]>;
  readonly spent: { tokens: number; usd: number; iterations: number };
}

export const newBodyScope = (): BodyScope => ({ records: {}, scopes: {} });

/** The queue of signals of a name, whatever the name: `constructor` is one like any other. */
export const signalsOf = ({ signals }: BodyState, name: string): unknown[] =>
  Object.hasOwn(signals, name) ? (signals[name] ?? []) : [];
