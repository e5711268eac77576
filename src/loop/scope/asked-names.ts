import type { RecordKind } from "../../model/values/program-key.ts";

/** What a scope has been asked for in this life. Nothing is made before it is needed: most iterations ask for little. */
export class AskedNames {
  #asked: Set<string> | null = null;
  /** Answered by other ways than by being asked for. */
  #seen: Set<string> | null = null;
  #counts: Map<RecordKind, number> | null = null;

  isAsked(name: string): boolean {
    return this.#asked?.has(name) === true;
  }

  isNew(name: string): boolean {
    return !this.isAsked(name) && this.#seen?.has(name) !== true;
  }

  ask(name: string): void {
    (this.#asked ??= new Set<string>()).add(name);
  }

  see(name: string): void {
    (this.#seen ??= new Set<string>()).add(name);
  }

  /** Numbers what has no name, from 0. */
  next(kind: RecordKind): number {
    const counts = (this.#counts ??= new Map<RecordKind, number>());
    const count = counts.get(kind) ?? 0;
    counts.set(kind, count + 1);
    return count;
  }
}
