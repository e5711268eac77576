import type { Fault } from "../model/fault.ts";
import type { ServerFacts } from "../model/host/server-facts.ts";
import type { ApartPlace } from "../model/state/bound-tree.ts";
import type { Recorded, RunEvent } from "../model/events/events.ts";
import type { RunRequest } from "../model/requests/requests.ts";
import type { RunStatus } from "../model/state/run-status.ts";
import type { ProcessIdentity } from "../model/world.ts";
import type { Blob, StoredEvent } from "./chain.ts";
import type { HostRecords } from "./host-records.ts";

/**
 * The journal: the only truth, and the only meeting point of processes and hosts.
 *
 * Every store keeps the same promises (numbers cite ARCHITECTURE.md):
 * 1. `append` is all or nothing, at a required position, by the current owner only (I1, I9); it answers after
 *    the data is on disk, never before.
 * 2. Sequence numbers are gapless per run from 1; each record carries the hash of its predecessor.
 * 3. Reading checks the chain. Damage is a `journal_damaged` fault with the exact place; it never looks like an end.
 * 4. Any number of processes may open one store.
 * 5. A large value is kept once, under its digest, and events name it; it is on disk no later than they are. What
 *    no event names any more goes with the last run that did.
 */
export interface Journal {
  append(order: AppendOrder): Promise<AppendOutcome>;
  /** Events of a run with `seq > after`, oldest first, at most `limit` of them. Checked against the chain. */
  read(run: string, page: ReadPage): Promise<Recorded[]>;
  /** The JSON texts of large values that an event names, in order; one that is not as it was written is damage there. */
  readApart(
    event: { readonly run: string; readonly seq: number },
    digests: readonly string[],
  ): Promise<string[]>;
  /** The same events with their data as it was written, byte for byte: the text that the hash covers. */
  readStored(run: string, page: ReadPage): Promise<StoredEvent[]>;
  head(run: string): Promise<Head | null>;
  /** Newest first by creation. Journals of what runs share are left out unless they are asked for. */
  runs(filter?: RunsFilter): Promise<RunListing[]>;

  /** Takes the place of the one that the same version of the fold wrote; those of few other versions are kept. */
  saveSnapshot(run: string, snapshot: Snapshot): Promise<void>;
  /**
   * The snapshot of that version of the fold, or the newest of any; one that cannot be read or does not match the chain
   * is as good as none.
   */
  loadSnapshot(run: string, fold?: string): Promise<Snapshot | null>;

  /**
   * Removes a run with everything that hangs on it: events, listing, snapshot and consumed requests, at one stroke.
   * Only under its lease, only at the head named, and only while no request waits. The lease is let go and its epoch
   * kept: a later run of the same id begins above it, so that no former owner can write to it (I9).
   */
  remove(order: RemoveOrder): Promise<RemoveOutcome>;

  /**
   * Puts other texts in the place of a run's last events, all of it or nothing: only under its lease and at the head named.
   * The snapshot goes with them; so do large values that no event names any more.
   */
  rewrite(order: RewriteOrder): Promise<RewriteOutcome>;
  /** The texts of all requests in an inbox; of consumed ones the store keeps the id alone. */
  mailTexts(address: string): Promise<MailText[]>;
  /** How often these texts stand in the store's own files, unused parts included; null where a server has the files. */
  traces(texts: readonly string[]): Promise<number | null>;
  /**
   * Sees to it that nothing of what was replaced or removed is left in the store's files, which are written again for it;
   * or nothing of requests that were consumed, which is quick and may be put off while others read.
   */
  purge(what: "all" | "requests"): Promise<void>;

  /** Puts a request into a run's inbox. Idempotent by request id. Unfenced: anybody may ask. */
  ask(row: InboxRow): Promise<"put" | "already">;
  /** Rows not yet consumed, oldest first; those that cannot be read say so in `damaged`. Consumption happens inside `append`. */
  inbox(address: string): Promise<InboxRow[]>;
  /** Addresses with rows waiting. */
  addressesWithMail(): Promise<string[]>;
  /** Removes rows of an address that has no journal of its own (a supervisor). */
  consume(address: string, requestIds: readonly string[]): Promise<void>;

  /** Takes the lease of an address if nobody holds it. */
  claim(address: string, owner: Owner): Promise<ClaimOutcome>;
  /** Takes it from a holder assessed as gone; refused if that holder showed any sign of life since `seen`. */
  takeOver(address: string, owner: Owner, seen: Lease): Promise<ClaimOutcome>;
  lease(address: string): Promise<Lease | null>;
  /** All leases that somebody holds, each with the age of its holder's last beat by the store's own clock. */
  holders(): Promise<Holder[]>;
  /** Lets go; a no-op if the epoch is not current any more. */
  release(address: string, epoch: number): Promise<void>;
  /** An owner's sign of life, for all its leases at once. */
  beat(ownerId: string): Promise<void>;
  /** What an observer noted of an owner; null if nothing that can be used. It goes with the owner's last lease. */
  sighting(owner: string, observer: string): Promise<Sighting | null>;
  /** Notes it in place of what the observer noted before; nothing if the owner has lost that lease or beaten since. */
  noteSighting(sighting: Sighting, lease: Pick<Lease, "address" | "epoch">): Promise<void>;

  /** What the hosts that share the store say of themselves; absent where it is one machine's. */
  readonly hosts?: HostRecords;
  /** How the database server is set up; absent where there is none. */
  readonly server?: () => Promise<ServerFacts>;

  /** Calls back soon after anything may have changed, in this or another process. A hint: it may come without cause. */
  watch(changed: () => void): () => void;
  /** Reads everything and reports every damage found; an empty list is health. */
  verify(): Promise<Damage[]>;
  /** This process was asked to end: from now on a store that is away is not waited for. */
  leave?(): void;
  close(): Promise<void>;
}

export interface AppendOrder {
  readonly run: string;
  /** The `seq` of the last event the writer knows; 0 creates the run. */
  readonly expected: number;
  /** The lease epoch under which the writer owns the run. */
  readonly epoch: number;
  readonly at: number;
  readonly events: readonly RunEvent[];
  /** Inbox rows that these events answer; they disappear in the same transaction. */
  readonly consumed?: readonly string[];
  /** What `runs()` shows from now on. */
  readonly listing: ListingUpdate;
}

export interface ListingUpdate {
  readonly status: RunStatus;
  readonly goal: string;
  /** When the run wants to be looked at again although nobody asks (backoff, limit); null for never. */
  readonly wakeAt: number | null;
}

export type AppendOutcome =
  | {
      readonly kind: "appended";
      readonly head: Head;
      /** By the event's index: its large values, which the store keeps apart (promise 5). */
      readonly apart?: ReadonlyMap<number, readonly ApartPlace[]>;
    }
  /** Somebody wrote in between: nothing was written. */
  | { readonly kind: "conflict"; readonly head: Head | null }
  /** The writer does not own the run any more: nothing was written. */
  | { readonly kind: "fenced"; readonly currentEpoch: number };

export interface RemoveOrder {
  readonly run: string;
  /** The last event the remover knows, and has kept elsewhere (I10). */
  readonly seq: number;
  readonly hash: string;
  /** The lease epoch under which the remover owns the run. */
  readonly epoch: number;
}

/** Everything that is not `removed` has changed nothing. */
export type RemoveOutcome =
  | { readonly kind: "removed" }
  | Exclude<AppendOutcome, { kind: "appended" }>
  /** Requests wait in the run's inbox. */
  | { readonly kind: "asked" };

export interface RewriteOrder {
  readonly run: string;
  /** The lease epoch under which the writer owns the run. */
  readonly epoch: number;
  /** The last event the writer knows. */
  readonly head: Head;
  readonly at: number;
  /** From the first that changes up to the new last one, which comes behind `head`; each with its hash. */
  readonly events: readonly StoredEvent[];
  /** Of events among these that changed: the large values that they name now. */
  readonly uses: readonly { readonly seq: number; readonly blobs: readonly Blob[] }[];
  /** Large values that changed events do not name any more. */
  readonly dropped: readonly string[];
  readonly mail: readonly MailText[];
  readonly listing: ListingUpdate;
}

export type RewriteOutcome =
  { readonly kind: "rewritten"; readonly head: Head } | Exclude<AppendOutcome, { kind: "appended" }>;

/** A request as the text that the store keeps. */
export interface MailText {
  readonly id: string;
  readonly body: string;
}

export interface Head {
  readonly seq: number;
  readonly hash: string;
}

export interface ReadPage {
  readonly after: number;
  readonly limit: number;
  /** Large results of steps and children are not read; the events say so in `apart`. */
  readonly leaveApart?: boolean;
  /** Reads on although the record of the run's end is damaged, as far as events follow each other: for salvage. */
  readonly withoutEnd?: boolean;
}

export interface RunsFilter {
  /** True: what runs share (addresses with a colon) instead of runs. */
  readonly shared?: boolean;
  readonly statuses?: readonly RunStatus[];
  /** True: only those that have something to do at a time of their own. */
  readonly waking?: boolean;
  readonly limit?: number;
  /** Called with each run whose row is damaged, which is left out then; without it the first one is thrown. */
  readonly onDamaged?: (run: string, fault: Fault) => void;
}

export interface RunListing extends ListingUpdate {
  readonly run: string;
  readonly seq: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Disposable: only shortens reopening. `state` is JSON text. */
/** Of versions of the fold that are not in use any more, so many keep their snapshot of a run. */
export const OTHER_FOLDS_KEPT = 2;

export interface Snapshot {
  readonly seq: number;
  readonly hash: string;
  /** Version of the fold that wrote it; another version ignores it. */
  readonly fold: string;
  readonly state: string;
}

export interface InboxRow {
  readonly id: string;
  /** A run's id, or a supervisor's address. */
  readonly address: string;
  readonly request: RunRequest | SupervisorRequest;
  readonly by: string;
  /** Who that is, as the row says; nothing of it is proved by standing there. */
  readonly principal?: unknown;
  /** A signature by which a person proves to have asked for exactly this. */
  readonly proof?: unknown;
  readonly at: number;
  /** Why the row cannot be read; its other fields then say nothing, and it is refused by the one that takes it. */
  readonly damaged?: string;
}

export interface SupervisorRequest {
  readonly kind: "shutdown";
  readonly stopAgents: boolean;
}

export interface Owner {
  /** Drawn again by every process: `own_…`. */
  readonly id: string;
  readonly process: ProcessIdentity;
}

export interface Lease {
  readonly address: string;
  readonly epoch: number;
  /** Null once released. */
  readonly owner: Owner | null;
  /** How often the owner has beaten; only its change means anything. */
  readonly beats: number;
}

/** For people who look: who takes a lease over decides by changes of `beats` that it has watched itself. */
export interface Holder {
  readonly address: string;
  readonly epoch: number;
  readonly owner: Owner;
  /** Null where the holder is of a version that leaves no time. */
  readonly beatAgeMs: number | null;
}

/** That an owner had beaten so often when it was seen, so that a later process need not begin to wait again. */
export interface Sighting {
  readonly owner: string;
  /** Whose clock: processes that share it may go on with each other's sightings. */
  readonly observer: string;
  readonly beats: number;
  /** By the observer's clock, in milliseconds. */
  readonly seenAt: number;
}

export type ClaimOutcome =
  | { readonly kind: "claimed"; readonly epoch: number; readonly from: Lease | null }
  | { readonly kind: "held"; readonly lease: Lease };

export interface Damage {
  readonly run: string | null;
  readonly seq: number | null;
  readonly what: string;
}
