import type { System } from "../../../main.ts";
import { isFault } from "../../../model/fault.ts";
import type { RunState } from "../../../model/state/run-state.ts";
import { isEnded } from "../../../model/state/run-status.ts";
import { damagedStatusView, statusView } from "../../../views/status/status.ts";
import { lookAtSupervision } from "../../supervise/look-at-supervision.ts";
import {
  DONE_MAX,
  endedEntry,
  entryOf,
  supervisedEntry,
  type WatchEntry,
} from "../../../views/runs/watch-entry.ts";

type Listing = Awaited<ReturnType<System["ports"]["journal"]["runs"]>>[number];

type Known = Map<string, { readonly seq: number; readonly state: RunState | WatchEntry }>;

/** All runs of a store for somebody who watches: only runs that moved since the last look are read again. */
export class WatchSource {
  readonly #system: System;
  readonly #store: string | null;
  #known: Known = new Map();

  constructor(system: System, store: string | null) {
    this.#system = system;
    this.#store = store;
  }

  /** Newest first within each group, as the store lists them. */
  async entries(now: number): Promise<WatchEntry[]> {
    const listings = await this.#system.ports.journal.runs();
    const lookedOf = await lookAtSupervision(this.#system, this.#store, now);
    const known: Known = new Map();
    const entries: WatchEntry[] = [];
    let ended = 0;
    for (const listing of listings) {
      if (isEnded(listing.status)) {
        const isRead = listing.status === "completed" && ended < DONE_MAX;
        ended += 1;
        entries.push(isRead ? await this.#completed(listing, known) : endedEntry(listing));
        continue;
      }
      const found = this.#known.get(listing.run);
      const state = found?.seq === listing.seq ? found.state : await this.#read(listing);
      known.set(listing.run, { seq: listing.seq, state });
      entries.push("group" in state ? state : supervisedEntry(state, lookedOf(listing.run)));
    }
    this.#known = known;
    return entries;
  }

  /** Read once, for whether it is verified: of those that are shown. */
  async #completed(listing: Listing, known: Known): Promise<WatchEntry> {
    const found = this.#known.get(listing.run);
    if (found?.seq === listing.seq && "group" in found.state) {
      known.set(listing.run, found);
      return found.state;
    }
    const state = await this.#read(listing);
    const { what } = "group" in state ? endedEntry(listing) : entryOf(statusView(state, this.#store));
    const entry = { ...endedEntry(listing), what };
    known.set(listing.run, { seq: listing.seq, state: entry });
    return entry;
  }

  async #read(listing: Listing): Promise<RunState | WatchEntry> {
    try {
      return (await this.#system.loadRun(listing.run)) ?? endedEntry(listing);
    } catch (fault) {
      if (!isFault(fault, "journal_damaged") && !isFault(fault, "event_unknown")) throw fault;
      return entryOf(damagedStatusView(listing, fault, this.#store));
    }
  }
}
