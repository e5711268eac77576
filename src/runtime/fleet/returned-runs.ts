import type { Journal, RunListing, RunsFilter } from "../../journal/journal.ts";
import { isBack } from "../../decide/workspace/away.ts";
import { asFault } from "../../model/fault.ts";
import type { HomeHost } from "../../model/host/supervision.ts";
import { loadRun } from "../load-run.ts";
import type { Ports } from "../ports.ts";

/** So many of the runs that were blocked last are looked at. */
const LOOKED_AT_MAX = 200;

/** Finds runs that were blocked because this host was gone. Each is read once, and again when it has changed. */
export class ReturnedRuns {
  readonly #journal: Journal;
  readonly #home: Ports["home"];
  readonly #onDamaged: NonNullable<RunsFilter["onDamaged"]>;
  #notOurs = new Map<string, number>();

  constructor(journal: Journal, home: Ports["home"], onDamaged: NonNullable<RunsFilter["onDamaged"]>) {
    this.#journal = journal;
    this.#home = home;
    this.#onDamaged = onDamaged;
  }

  async find(): Promise<RunListing[]> {
    const here = this.#home?.();
    if (here === undefined) return [];
    const blocked = await this.#journal.runs({ statuses: ["blocked"], onDamaged: this.#onDamaged });
    const newest = blocked.sort((a, b) => b.updatedAt - a.updatedAt).slice(0, LOOKED_AT_MAX);
    const notOurs = new Map<string, number>();
    const found: RunListing[] = [];
    for (const listing of newest) {
      const { run, seq } = listing;
      const isKnown = this.#notOurs.get(run) === seq;
      if (!isKnown && (await this.#isBack(run, here))) found.push(listing);
      else notOurs.set(run, seq);
    }
    this.#notOurs = notOurs;
    return found;
  }

  async #isBack(run: string, here: HomeHost): Promise<boolean> {
    try {
      const state = await loadRun(this.#journal, run);
      return state !== null && isBack(state, here);
    } catch (fault) {
      this.#onDamaged(run, asFault(fault));
      return false;
    }
  }
}
