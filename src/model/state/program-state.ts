import type { z } from "zod";
import type { ApartPlace } from "./bound-tree.ts";
import type { ProgramError, programFailureSchema, programLimitsSchema } from "../events/program-events.ts";
import { splitKey } from "../values/program-key.ts";
import type { BudgetScopes } from "../requests/budget.ts";

/** Large parts of a recorded value that are read when somebody asks for it, and the event that names them. */
export interface ApartRecord {
  readonly seq: number;
  readonly places: readonly ApartPlace[];
}

/** What is recorded under a name: enough to answer the workflow function when it asks again. */
export type ProgramRecord =
  /** Begun by the process of that epoch. */
  | { readonly kind: "intended"; readonly epoch?: number }
  /** It failed so often, first at `since`, and is tried again at `until`. */
  | ({
      readonly kind: "tried";
      readonly attempt: number;
      readonly since: number;
      readonly until: number;
      readonly error: string;
    } & CleanupRecord)
  /** A child keeps which input it was given. */
  | ({
      readonly kind: "value";
      readonly value: unknown;
      readonly apart?: ApartRecord;
      readonly input?: string;
    } & CleanupRecord)
  /** A child that failed keeps how it was begun, so that a reopened run goes on with it. */
  | ({ readonly kind: "error"; readonly error: ProgramError; readonly begun?: SpawnedRecord } & CleanupRecord)
  | { readonly kind: "drew"; readonly value: string | number }
  | { readonly kind: "slept"; readonly until: number }
  | {
      readonly kind: "waiting";
      readonly name: string;
      readonly until: number | null;
      readonly since?: number;
    }
  | { readonly kind: "waited"; readonly timedOut: boolean; readonly value: unknown }
  | SpawnedRecord
  | { readonly kind: "looped"; readonly i: number; readonly state: unknown; readonly done: boolean };

/** A plain step that was done because the run was cancelled; a reopened run does it again when it comes to it. */
interface CleanupRecord {
  readonly cleanup?: true;
}

export interface SpawnedRecord {
  readonly kind: "spawned";
  readonly input: string;
  readonly attempt: number;
  /** When it was begun again after a failure; the newest ones. */
  readonly restartedAt?: readonly number[];
}

/** A scope holds records by name and the scopes inside it. What is settled loses its inside: only the live is kept. */
export interface ProgramScope {
  readonly records: Record<string, ProgramRecord>;
  readonly scopes: Record<string, ProgramScope>;
  /** How many spendings of this scope are recorded. */
  spends?: number;
  /** Something that failed here or inside is done again: the code may take another way than it did. */
  loose?: true;
}

export type ProgramLimits = z.infer<typeof programLimitsSchema>;

export interface ProgramState {
  readonly name: string | null;
  readonly version?: number;
  readonly input: unknown;
  readonly root: ProgramScope;
  /** Signals that nobody has taken yet, by name. */
  readonly signals: Record<string, unknown[]>;
  /** Keys of steps about which a person was asked. */
  doubts: string[];
  /** Since when each is in doubt: what was said before that was about another doubt. */
  doubtsAt: Record<string, number>;
  /** Of what the run failed; absent while it has not. */
  failure?: z.infer<typeof programFailureSchema>;
  readonly budgets: BudgetScopes;
  readonly limits: ProgramLimits;
}

export const newProgramScope = (): ProgramScope => ({ records: {}, scopes: {} });

/** The scope at a path from another one, if anything is recorded there. */
export function scopeAt(from: ProgramScope | undefined, path: readonly string[]): ProgramScope | undefined {
  let scope = from;
  for (const part of path) scope = scope === undefined ? undefined : scopeIn(scope, part);
  return scope;
}

/** A scope and those around it, the innermost first. */
export const scopesAround = (root: ProgramScope, path: readonly string[]): (ProgramScope | undefined)[] =>
  [...path, ""].map((_, index) => scopeAt(root, path.slice(0, path.length - index)));

/**
 * Where no scope is inside, which is most often so, the part is not made a key: of a name that was never a key before,
 * as that of every iteration, this would cost more than the rest of the look.
 */
export function scopeIn({ scopes }: ProgramScope, part: string): ProgramScope | undefined {
  for (const first in scopes) return first === part ? scopes[first] : scopes[part];
  return undefined;
}

/** The queue of signals of a name, regardless of the name: `constructor` is one like any other. */
export const signalsOf = ({ signals }: ProgramState, name: string): unknown[] =>
  Object.hasOwn(signals, name) ? (signals[name] ?? []) : [];

/** What is recorded under a key, if anything is. */
export function recordAt({ root }: ProgramState, key: string): ProgramRecord | undefined {
  const { scope, record } = splitKey(key);
  return scopeAt(root, scope)?.records[record];
}
